// Who uses a store of the system past the proxies.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/config/config.h"
#include "heddle/result.h"
#include "record/recorder.h"
#include "store/postgres/clone_check.h"

namespace heddle {

// heddle's own address of the store; none: the file names no variable, or it is not set.
std::optional<std::string> own_address(const StoreSettings& store);

// The edges, by number, that lead to the store's server.
std::vector<std::size_t> edges_to_server(const SystemSettings& system, const StoreSettings& store);

// The servers' numbers of the connections that came through edges to the store's server; two stores
// may be one database.
std::set<std::uint32_t> proxied_backends(const SystemSettings& system, const StoreSettings& store,
                                         Recorder& recorder);

// A connection shows up at the server a little before the proxy is told its number: for so long one
// that nobody knows may still become known.
constexpr std::chrono::milliseconds kUntilNumbered{200};

// The connections to the store's database that are none of the proxies' at this moment. Waits for
// kUntilNumbered where there are any. Errors: as of PostgresWatch.
Result<std::vector<PostgresClient>> find_bypasses(const SystemSettings& system,
                                                  const StoreSettings& store, PostgresWatch& watch,
                                                  Recorder& recorder);

}  // namespace heddle
