// The runs of heddle on a given server of MariaDB or MySQL (server_runs.h).
#pragma once

#include <memory>
#include <string>

#include "heddle/result.h"
#include "store/server_runs.h"
#include "throwaway/guard.h"

namespace heddle {

/// Reaches the server in five seconds or not at all.
Result<std::unique_ptr<ServerRuns>> open_mariadb_runs(const std::string& address);

/// Databases that this run makes; where they are is the server's address.
extern const GuardedKind kGuardedMariadbDatabases;

}  // namespace heddle
