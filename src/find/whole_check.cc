#include "find/whole_check.h"

#include <cstdint>
#include <vector>

#include "find/closed_world.h"
#include "find/formula.h"
#include "find/group.h"
#include "find/placed_cycle.h"
#include "smt/solver.h"

namespace heddle::find {

bool is_impossible_in_whole(const SearchInput& input, const FoundCycle& cycle) {
  constexpr std::uint32_t kMaxSteps = 2'000'000;
  Group group(input, members_of(cycle), {.rounds = input.options.rounds});
  const std::vector<PlacedEdge> edges = place_cycle(input, group, cycle);
  if (edges.empty()) return false;
  CycleFormula formula(group.evaluator(), group.rows(), group.instances(), group.constraints());
  smt::Solver solver(group.terms(), kMaxSteps);
  std::vector<RowUse> uses;
  group.rows().record(&uses);
  const std::size_t known = group.known();
  const CycleFormula::Parts parts = formula.build(edges, CycleFormula::Scope::every_statement);
  for (const Term edge : parts.edges) solver.add(edge);
  solver.add(parts.common);
  solver.add(parts.whole);
  ClosedWorld closed(group, formula.order(), uses, ClosedWorld::Others::possible);
  for (const Term term : closed.close()) solver.add(term);
  group.rows().record(nullptr);
  group.add_facts(solver);
  group.add_facts_since(known, solver);
  return solver.check() == smt::Satisfiable::no;
}

}  // namespace heddle::find
