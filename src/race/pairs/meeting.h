// Whether two accesses to tables of one name may be about one row, and which columns they share.
#pragma once

#include <string>
#include <vector>

#include "race/accesses/access.h"

namespace heddle::race {

struct Meeting {
  bool is_met = false;  // one row, one of them writes it
  // That both use and one writes, sorted; empty: none. "*": all, as where a row comes or goes.
  std::vector<std::string> columns = {};
  KnownRow row = {};          // what both know of it; empty where nobody can tell which it is
  bool first_writes = false;  // what both use
  bool second_writes = false;
};

// Stores are not compared. `identities`: patterns of the team. REQUIRES: tables of one name, or
// one of them is any table.
Meeting meet(const Access& first, const Access& second, const std::vector<std::string>& identities);

}  // namespace heddle::race
