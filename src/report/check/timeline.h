// When things began and ended, as bars one below the other. Only the order of times counts, so that
// every moment at which something happens takes the same room.
#pragma once

#include <string>
#include <vector>

#include "heddle/recorded_history.h"
#include "report/text/layout.h"

namespace heddle {

struct TimelineBar {
  std::string label;
  Moment began = 0;
  Moment ended = kNever;  // kNever: it is not known to have ended
  bool marked = false;    // the one that does not fit
};

// One line per bar, in the order given; nothing for none.
std::string render_timeline(const std::vector<TimelineBar>& bars, const TextOptions& options);

}  // namespace heddle
