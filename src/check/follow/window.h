// What is kept as a history of its own, for check_history: behind transactions that left what is
// forgotten, with the names and numbers that it needs and no more.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "check/follow/kept_part.h"
#include "heddle/recorded_history.h"

namespace heddle {

// Moments of the history are later than this.
inline constexpr Moment kLatestForgotten = std::numeric_limits<Moment>::min() + (Moment{1} << 32);

struct WindowSource {
  const KeptPart& part;
  const ValueTexts& texts;
  // Values of keys that were overwritten, of transactions that aborted, and read by forgotten ones.
  std::vector<std::pair<Value, Value>> overwritten = {};
  std::vector<std::pair<Value, Value>> aborted = {};
  std::vector<std::pair<Value, Value>> read = {};
  bool has_times = false;
};

// Reads of transactions that are not settled are as if nobody had been told, unless `all`.
TransactionHistory make_window(const WindowSource& source, bool all);

}  // namespace heddle
