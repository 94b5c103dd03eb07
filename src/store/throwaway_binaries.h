// Where PostgreSQL's programs are installed.
#pragma once

#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle {

// The environment variable that names the directory of initdb and postgres.
inline constexpr const char* kPostgresBinVariable = "HEDDLE_POSTGRES_BIN";

// Where to look, as the process is set up.
struct BinarySearch {
  std::string chosen;                  // $HEDDLE_POSTGRES_BIN: this directory or none
  std::string path;                    // $PATH: looked through first
  std::vector<std::string> installed;  // "<root>/*/bin", with the highest version first

  static BinarySearch of_this_process();
};

// The directory that has both initdb and postgres.
Result<std::string> find_postgres_binaries(const BinarySearch& search);

}  // namespace heddle
