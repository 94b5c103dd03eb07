// What tells others on a given server that this run lives (server_runs.h): a connection that holds
// the run's lock from before its first database until it ends, in whatever way.
#pragma once

#include <mutex>

#include "heddle/result.h"
#include "store/postgres/session.h"

namespace heddle {

/// Of a server of PostgreSQL. Thread-safe.
class PostgresRunClaim {
 public:
  /// Takes the lock, unless it is held. `parameters`: those of the connections that make databases.
  Result<void> hold(const ConnectionParameters& parameters);

 private:
  std::mutex mutex_;
  PostgresConnection connection_;  // guarded by mutex_
};

}  // namespace heddle
