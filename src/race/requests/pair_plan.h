// In what order requests are sent again so that two of them can overlap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/trace.h"
#include "race/requests/dependencies.h"

namespace heddle {

struct PairPlan {
  std::vector<std::uint64_t> before = {};  // units, in the order in which they are sent
  std::uint64_t first = 0;
  std::uint64_t second = 0;  // equal to `first`: branches of one request
  // How many between the two saw what the first had left, and are sent before it now or not at all:
  // the second may then be answered otherwise than it was.
  std::size_t displaced = 0;
  // Why the two cannot overlap, "a request between them (unit 7) needs ...". Empty: they can.
  std::string obstacle = {};

  friend bool operator==(const PairPlan&, const PairPlan&) = default;
};

// With the requests that one of the two needs, and those that these need. One between the two goes
// before both. REQUIRES: `first` <= `second`, both requests of outer edges.
PairPlan plan_pair(const Trace& trace, const RequestDependencies& dependencies, std::uint64_t first,
                   std::uint64_t second);

// With all requests of outer edges that came before the first, and those between the two that the
// second needs: for where the plan above does not bring about what was recorded.
PairPlan plan_everything_before(const Trace& trace, const RequestDependencies& dependencies,
                                std::uint64_t first, std::uint64_t second);

// The preceding requests whose answers have the tokens of later ones, and which wrote no rows: sent
// once more just before the pair they renew what may have expired, and change nothing.
std::vector<std::uint64_t> requests_with_tokens(const RequestDependencies& dependencies,
                                                const PairPlan& plan);

}  // namespace heddle
