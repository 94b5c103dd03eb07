// Where the programs of servers are installed.
#pragma once

#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle {

// The environment variable that names the directory of initdb and postgres.
inline constexpr const char* kPostgresBinVariable = "HEDDLE_POSTGRES_BIN";
// The same of mariadbd.
inline constexpr const char* kMariadbBinVariable = "HEDDLE_MARIADB_BIN";
// The same of redis-server or redis-check-rdb.
inline constexpr const char* kRedisBinVariable = "HEDDLE_REDIS_BIN";

// Where to look, as the process is set up.
struct BinarySearch {
  std::string chosen;                   // of the variable: this directory or none
  std::string path;                     // $PATH: looked through first
  std::vector<std::string> installed;   // "<root>/*/bin", with the highest version first
  std::vector<std::string> usual = {};  // directories, looked through last

  static BinarySearch for_postgres();
  static BinarySearch for_mariadb();
  static BinarySearch for_redis();
};

// The directory that has both initdb and postgres.
Result<std::string> find_postgres_binaries(const BinarySearch& search);
// The directory that has mariadbd.
Result<std::string> find_mariadb_binaries(const BinarySearch& search);
// The path of redis-server, else of redis-check-rdb: that is the same program, which looks at the
// name it is started under.
Result<std::string> find_redis_server(const BinarySearch& search);

}  // namespace heddle
