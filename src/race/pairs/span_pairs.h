// The paper's random pairs, and at which step each is left out.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "heddle/race.h"
#include "race/flows/branches.h"
#include "race/flows/client_order.h"
#include "race/pairs/met_accesses.h"
#include "race/pairs/pattern.h"

namespace heddle::race {

// Two request spans with accesses that meet, or one whose own branches do.
struct SpanPair {
  std::size_t first = 0;  // in Flows::spans; that of the earlier flow
  std::size_t second = 0;
  std::vector<MetAccesses> met = {};  // `first` of each is of the first span
  RaceStep step = RaceStep::kept;
  std::string why = {};                     // where it is left out
  std::vector<MetAccesses> conflicts = {};  // what is left of `met` where it is kept
};

struct SpanPairSearch {
  const Trace& trace;
  const Flows& flows;
  const std::vector<Flows>& others;  // of further recordings
  const FlowAccesses& all;
  const PatternReader& patterns;
  const RaceSettings& settings;
};

// Of each pair of spans all that met, by flow and span; which of them are kept.
std::vector<SpanPair> find_span_pairs(const SpanPairSearch& search, std::size_t jobs);

}  // namespace heddle::race
