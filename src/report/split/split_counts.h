// How many causes a cut adds, by what they have in common.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "heddle/split.h"

namespace heddle {

struct CauseCount {
  std::size_t cores = 0;
  std::size_t all = 0;

  void add(const SplitCause& cause) {
    cores += cause.is_core ? 1 : 0;
    ++all;
  }
};

// The causes by one thing: by kind, by tables, by functionalities.
struct CauseCounts {
  std::string by;
  std::map<std::string, CauseCount> counts;  // empty: there are no causes
};

struct SplitCounts {
  CauseCount total;
  std::vector<CauseCounts> tables;                // in the order in which they are shown
  std::map<FindingStatus, std::size_t> executed;  // the cores by what became of them
};

SplitCounts count_causes(const SplitReport& report);

}  // namespace heddle
