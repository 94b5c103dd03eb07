#include "find/search/whole_check.h"

#include <cstdint>

#include "find/search/closed_world.h"
#include "find/search/left_open.h"
#include "find/search/placed_cycle.h"
#include "find/terms/formula.h"
#include "find/terms/group.h"
#include "smt/solver.h"

namespace heddle::find {

WholeCheck::WholeCheck(const SearchInput& input) : input_(input), others_(input) {
  for (std::size_t i = 0; i < input.prepared.size(); ++i) {
    left_open_.push_back(find::left_open(input, i));
  }
}

std::string WholeCheck::left_open(const FoundCycle& cycle) const {
  for (const FoundNode& node : cycle.nodes) {
    if (!left_open_[node.functionality].empty()) return left_open_[node.functionality];
  }
  return "";
}

bool WholeCheck::is_impossible(const FoundCycle& cycle) const {
  if (cycle.nodes.empty() || !left_open(cycle).empty()) return false;
  try {
    return has_no_solution(cycle);
  } catch (const smt::Abandoned&) {
    return false;
  }
}

bool WholeCheck::has_no_solution(const FoundCycle& cycle) const {
  constexpr std::uint32_t kMaxSteps = 2'000'000;
  Group group(input_, members_of(cycle), while_in_time(input_), &others_.changes(), cycle.prefix);
  const PlacedCycle placed = place_cycle(input_, group, cycle);
  const std::vector<PlacedEdge>& edges = placed.edges;
  if (edges.empty()) return false;
  CycleFormula formula(group.evaluator(), group.rows(), group.instances(), group.constraints());
  smt::Solver solver(group.terms(), kMaxSteps, input_.deadline);
  std::vector<RowUse> uses;
  group.rows().record(&uses);
  const std::size_t known = group.known();
  const CycleFormula::Parts parts = formula.build(edges, CycleFormula::Scope::every_statement);
  for (const Term edge : parts.edges) solver.add(edge);
  solver.add(parts.common);
  solver.add(parts.whole);
  ClosedWorld closed(group, formula.order(), uses, ClosedWorld::Others::possible);
  closed.admit(others_);
  for (const Term term : closed.close()) solver.add(term);
  group.rows().record(nullptr);
  group.add_facts(solver);
  group.add_facts_since(known, solver);
  return solver.check() == smt::Satisfiable::no;
}

}  // namespace heddle::find
