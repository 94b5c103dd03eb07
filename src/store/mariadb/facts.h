// What a MariaDB or MySQL server says of itself.
#pragma once

#include <mysql.h>
#include <string>
#include <vector>

#include "heddle/isolation.h"
#include "heddle/result.h"
#include "store/mariadb/address.h"

namespace heddle {

struct MariadbFacts {
  std::string product = "MariaDB";
  std::string version;  // "10.11.6"
  IsolationLevel default_level = IsolationLevel::mariadb_repeatable_read;
  bool refuses_stale_writes = false;  // innodb_snapshot_isolation
};

Result<MariadbFacts> read_mariadb_facts(const MariadbAddress& address);

// "MariaDB 10.11.6 (throwaway)": its levels depend on the engine's own switch, which is told, too.
// `kind`: "throwaway".
std::string describe(const MariadbFacts& facts, const std::string& kind);

// Whether sessions can be given this level; the message says which can.
Result<void> offers_level(const MariadbFacts& facts, IsolationLevel level);

// One statement on a connection of its own; the cells of its result, row after row.
Result<std::vector<std::string>> ask_mariadb(const MariadbAddress& address,
                                             const std::string& statement);
// The same on a connection that is there.
Result<std::vector<std::string>> ask_mariadb(MYSQL& connection, const std::string& statement);

}  // namespace heddle
