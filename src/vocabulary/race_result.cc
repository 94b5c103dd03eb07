#include <array>

#include "heddle/race_finding.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 10> kRaceResults = {
    "confirmed", "stale read",   "error under overlap", "refused",        "order-dependent",
    "nothing",   "not feasible", "inconclusive",        "not replayable", "not reached"};

}  // namespace

std::string_view to_string(RaceResult result) {
  return kRaceResults[static_cast<std::size_t>(result)];
}

}  // namespace heddle
