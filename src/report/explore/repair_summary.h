// What reports say of repairs and of trying again, before it is laid out.
#pragma once

#include <string>
#include <vector>

#include "heddle/explore.h"

namespace heddle {

struct RepairSummary {
  struct Item {
    std::vector<std::string> changes;
    std::string cost;  // "2 statements; of 20 interleavings none ends a session, 12 make one wait"
  };
  std::string head;                // "A repair: ...", or that none is known; empty: nobody looked
  std::vector<Item> items;         // the best first
  std::vector<std::string> notes;  // on what was left out, and on trying again
};
RepairSummary summarize_repair(const LevelReport& level, const Scenario& scenario);

}  // namespace heddle
