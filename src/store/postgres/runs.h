// The runs of heddle on a given server of PostgreSQL (server_runs.h).
#pragma once

#include <memory>
#include <string>

#include "heddle/result.h"
#include "store/server_runs.h"
#include "throwaway/guard.h"

namespace heddle {

/// Reaches the server in five seconds or not at all.
Result<std::unique_ptr<ServerRuns>> open_postgres_runs(const std::string& conninfo);

/// Databases that this run makes; where they are is the server's conninfo.
extern const GuardedKind kGuardedPostgresDatabases;

}  // namespace heddle
