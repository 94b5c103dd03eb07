// The ways by which a system gets back to the state before a pair, as heddle.yaml says them, or all
// that there are, the quickest first.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontend/config/config.h"
#include "heddle/result.h"

namespace heddle {

// What becomes of the rows of a store.
enum class StoreRestore : std::uint8_t {
  stay,   // they stay as they are
  rows,   // those that changed, and sequences, are put back under open connections
  clone,  // the next run has a copy of the database, made anew
};

struct RestorePlan {
  std::string name = {};                            // "rows", "orders-db: clone, orders: restart"
  std::map<std::string, StoreRestore> stores = {};  // that are seen
  bool resets = false;                              // the system's own command is run
  bool restarts = false;
  std::vector<std::string> services = {};  // that are started again; none: the whole system
  bool resets_last = false;                // behind the restart
  bool sends_again = false;                // the requests before the pair
  bool renames = false;                    // what they create has new names each time

  friend bool operator==(const RestorePlan&, const RestorePlan&) = default;
};

// What can be done with a system.
struct RestoreMeans {
  std::vector<std::string> stores = {};  // of which rows are seen
  bool has_reset = false;
  bool is_started = false;              // heddle started it, so that it can start it again
  std::vector<std::string> parts = {};  // services that heddle started one by one
};

// One where the file says how; else all, to be tried in this order. Errors: bad_input, with the
// place of a part that cannot be restored in the way that the file says.
Result<std::vector<RestorePlan>> restore_plans(const Config& config, const RestoreMeans& means);

}  // namespace heddle
