// What the replicas share besides rows, so that two runs give the same: numbers, the clock, chance.
#pragma once

#include <cstdint>
#include <map>
#include <string>

struct sqlite3;

namespace heddle::replicated {

struct Environment {
  std::map<std::string, std::int64_t> sequences;  // the last number that each gave
  std::uint64_t row_numbers = 0;  // the last number of a row in tables that do not show it
  std::uint64_t random_state = 0;
  std::uint64_t now = 0;      // seconds since the beginning of 2000
  std::string last_sequence;  // whose number was given last
};

// Makes functions that PostgreSQL has known to the connection: nextval, now, random, greatest and
// others. SQLite's own of the same name give way. `environment` must outlive the connection.
void add_functions(sqlite3* connection, Environment& environment);

}  // namespace heddle::replicated
