// What tells others on a given server that this run lives (server_runs.h): a connection that holds
// the run's lock from before its first database until it ends, in whatever way.
#pragma once

#include <mutex>
#include <string>

#include "heddle/result.h"
#include "store/database_name.h"
#include "store/mariadb/session.h"

namespace heddle {

/// Of a server of MariaDB or MySQL, where it also makes the run's databases. Thread-safe.
class MariadbRunClaim {
 public:
  /// Takes the lock, unless it is held, and makes a database.
  Result<Creation> create(const MariadbAddress& address, const std::string& database);

 private:
  Result<void> hold(const MariadbAddress& address);

  std::mutex mutex_;
  MariadbConnection connection_;  // guarded by mutex_
};

/// Makes a database on the connection.
Result<Creation> create_mariadb_database(MYSQL& connection, const std::string& database);

}  // namespace heddle
