#include "find/search/edge_filter.h"

#include <fmt/format.h>

namespace heddle::find {

EdgeFilter::EdgeFilter(Group& group, const std::vector<PlacedEdge>& edges,
                       std::uint32_t solver_steps, std::optional<Clock::time_point> end)
    : group_(group),
      formula_(group.evaluator(), group.rows(), group.instances(), group.constraints()),
      solver_(group.terms(), solver_steps, end) {
  for (const Term axiom : formula_.begin(edges)) solver_.add(axiom);
  group.add_facts(solver_);
}

Term EdgeFilter::literal(const PlacedEdge& edge) {
  const auto [known, is_new] =
      literals_.try_emplace({edge.conflict, edge.from, edge.from_event, edge.to, edge.to_event});
  if (!is_new) return known->second;
  const std::size_t facts = group_.known();
  const std::string name = fmt::format("edge of all {}", literals_.size());
  known->second = group_.terms().symbol(name, smt::Sort::truth);
  solver_.add(group_.terms().implies(known->second, formula_.edge_alone(edge, name + " row")));
  group_.add_facts_since(facts, solver_);
  return known->second;
}

std::vector<std::size_t> EdgeFilter::conflict_in(const std::vector<PlacedEdge>& edges) {
  std::vector<Term> assumed;
  for (const PlacedEdge& edge : edges) assumed.push_back(literal(edge));
  if (solver_.check(assumed) != smt::Satisfiable::no) return {};
  return solver_.core();
}

}  // namespace heddle::find
