// The rows of a ring's servers as if there were one copy: of each row what was written last,
// wherever. For watching a run, in which it is asked which session wrote what; where a row that has
// been delivered replaces another one, nobody writes.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "store/ring/member.h"
#include "store/store.h"

namespace heddle {

class RingWatch {
 public:
  // Rows of the table at each server now. `delivered`: whether the server has applied anything of
  // the other one since the last time.
  std::vector<WatchedRow> merge(const std::string& table,
                                const std::array<std::vector<WatchedRow>, kRingSize>& rows,
                                const std::array<bool, kRingSize>& delivered);
  // What follows has nothing to do with what was.
  void begin() { tables_.clear(); }

 private:
  using Rows = std::map<std::string, WatchedRow>;
  struct Table {
    Rows last;
    std::array<Rows, kRingSize> known;
  };

  std::map<std::string, Table> tables_;
};

}  // namespace heddle
