// Opens the stores that addresses name.
#pragma once

#include <memory>
#include <string>

#include "heddle/replay.h"
#include "heddle/result.h"
#include "heddle/scenario.h"
#include "store/server_runs.h"
#include "store/store.h"

namespace heddle {

// Starts or reaches the store that `address` names, as "postgres" or "mysql://..."; whoever asks
// for the same address while somebody holds the server gets the same server; thread-safe.
Result<std::shared_ptr<StoreServer>> open_server(const std::string& address);

// Starts or reaches the stores that the scenario declares, where `on` says or as throwaway servers
// of their kinds; without a declaration one. Errors: as open_server; an address for a store that
// the scenario does not have.
Result<std::shared_ptr<StoreServer>> open_stores(const Scenario& scenario,
                                                 const StoreAddresses& on);

/// The runs on the server that the address of PostgreSQL or MariaDB names, which is reached in five
/// seconds or not at all.
Result<std::unique_ptr<ServerRuns>> open_server_runs(const std::string& address);

/// Removes what the stores' clients would take from the environment (store/client_environment.h).
/// Whatever connects does so, too; best called before there are threads.
void take_client_environment();

}  // namespace heddle
