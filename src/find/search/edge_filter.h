// Dependencies of a group that cannot hold together, found fast: one solver keeps what all cycles
// of the group share, and learns from each question for the next ones. What it lets pass may still
// be impossible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "find/terms/formula.h"
#include "find/terms/group.h"
#include "smt/solver.h"

namespace heddle::find {

class EdgeFilter {
 public:
  // `edges`: all that may ever be asked about; `solver_steps`: for one question; `end`: of the time
  // for all of them. The group outlives it.
  EdgeFilter(Group& group, const std::vector<PlacedEdge>& edges, std::uint32_t solver_steps,
             std::optional<Clock::time_point> end);

  // Places of edges that cannot hold together; empty: perhaps all can.
  std::vector<std::size_t> conflict_in(const std::vector<PlacedEdge>& edges);
  std::uint64_t checks() const { return solver_.checks(); }

 private:
  Term literal(const PlacedEdge& edge);

  Group& group_;
  CycleFormula formula_;
  smt::Solver solver_;
  using Place = std::tuple<const Conflict*, std::size_t, std::size_t, std::size_t, std::size_t>;
  std::map<Place, Term> literals_;
};

}  // namespace heddle::find
