// What levels say of a cycle's shape alone: who writes, and in which order; rows are set aside.
#include <algorithm>

#include <fmt/format.h>

#include "find/formula.h"

namespace heddle::find {

namespace {

bool is_anti(const PlacedEdge& edge) { return edge.conflict->kind == DependencyKind::rw; }

}  // namespace

// Kinds, who writes, and which of a transaction's two operations comes first.
std::string CycleFormula::shape(const std::vector<PlacedEdge>& edges) const {
  std::string shape;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const PlacedEdge& in = edges[i];
    const PlacedEdge& out = edges[(i + 1) % edges.size()];
    const OrderPoint entry = point_of(in.to, in.to_event);
    const OrderPoint exit = point_of(out.from, out.from_event);
    shape +=
        fmt::format("{}{}:{}{}{}{}{}{}{} ", to_string(in.conflict->kind), may_be_predicate(in),
                    static_cast<int>(instances_[in.to].level.level), entry.writes, entry.locks,
                    exit.writes, exit.locks, entry.event < exit.event, entry.event == exit.event) +
        (entry.transaction == exit.transaction ? "" : "/");
  }
  return shape;
}

// Of transactions: one that is entered in one transaction of a functionality and left in another
// is none.
bool CycleFormula::is_of_transactions(const std::vector<PlacedEdge>& edges) const {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const PlacedEdge& in = edges[i];
    const PlacedEdge& out = edges[(i + 1) % edges.size()];
    const Event& entry = event(in.to, in.to_event);
    if (entry.transaction != event(out.from, out.from_event).transaction) return false;
  }
  return true;
}

// Cycles that a level rules out by definition.
bool CycleFormula::is_ruled_out(const std::vector<PlacedEdge>& edges) const {
  if (is_ruled_out_across(edges)) return true;
  if (!is_of_transactions(edges)) return false;
  bool all_serializable = true;
  bool no_flow_cycles = true;
  for (const Instance& instance : instances_) {
    const auto has = [&](Axiom axiom) { return has_axiom(instance.level, axiom); };
    all_serializable = all_serializable && (has(Axiom::no_cycles) || has(Axiom::sees_all));
    const bool reads_committed = is_timed(instance.level) && !reads_uncommitted(instance.level) &&
                                 !sees_anything(instance.level);
    no_flow_cycles = no_flow_cycles &&
                     (has(Axiom::no_flow_cycles) || reads_committed || has(Axiom::commit_order));
  }
  if (all_serializable) return true;
  if (no_flow_cycles && std::ranges::none_of(edges, is_anti)) return true;
  return rules_out_item_cycles(edges) && std::ranges::none_of(edges, [&](const PlacedEdge& edge) {
           return may_be_predicate(edge);
         });
}

// Where a guarantee across transactions holds, any cycle is one of what it takes for transactions.
bool CycleFormula::is_ruled_out_across(const std::vector<PlacedEdge>& edges) const {
  const std::optional<AppliedLevel>& across = instances_.front().across;
  if (!across) return false;
  const auto has = [&](Axiom axiom) { return has_axiom(*across, axiom); };
  if (has(Axiom::no_cycles) || has(Axiom::sees_all)) return true;
  const bool no_flow_cycles = has(Axiom::no_flow_cycles) || has(Axiom::commit_order);
  if (no_flow_cycles && std::ranges::none_of(edges, is_anti)) return true;
  return has(Axiom::no_item_cycles) && std::ranges::none_of(edges, [&](const PlacedEdge& edge) {
           return may_be_predicate(edge);
         });
}

bool CycleFormula::rules_out_item_cycles(const std::vector<PlacedEdge>& edges) const {
  const std::optional<AppliedLevel>& across = instances_.front().across;
  if (across && has_axiom(*across, Axiom::no_item_cycles)) return true;
  return is_of_transactions(edges) && std::ranges::all_of(instances_, [](const Instance& instance) {
           return has_axiom(instance.level, Axiom::no_item_cycles);
         });
}

Term CycleFormula::order_alone(const std::vector<PlacedEdge>& edges) {
  std::vector<Term> holds;
  for (Order& order : new_orders()) holds.push_back(order_alone(edges, order));
  return terms_.all(holds);
}

Term CycleFormula::order_alone(const std::vector<PlacedEdge>& edges, Order& order) const {
  std::vector<Term> holds;
  const auto running = [&](std::size_t instance, std::size_t index) {
    OrderPoint point = point_of(instance, index);
    point.runs = terms_.truth(true);
    return point;
  };
  for (const PlacedEdge& edge : edges) {
    const std::size_t from = order.add(running(edge.from, edge.from_event));
    const std::size_t to = order.add(running(edge.to, edge.to_event));
    if (edge.conflict->kind == DependencyKind::ww) holds.push_back(order.before(from, to));
    if (edge.conflict->kind == DependencyKind::wr) {
      holds.push_back(terms_.any(order.sees(from, to), order.sees_now(from, to)));
    }
    if (edge.conflict->kind == DependencyKind::rw) {
      holds.push_back(terms_.negate(terms_.all(order.sees(to, from), order.sees_now(to, from))));
    }
  }
  // Two writers of a cycle that meet in a dependency write one row.
  const auto same_row = [&](std::size_t a, std::size_t b) {
    const bool meet = std::ranges::any_of(edges, [&](const PlacedEdge& edge) {
      const std::size_t from = order.add(running(edge.from, edge.from_event));
      const std::size_t to = order.add(running(edge.to, edge.to_event));
      return edge.conflict->kind == DependencyKind::ww &&
             ((from == a && to == b) || (from == b && to == a));
    });
    return terms_.truth(meet);
  };
  for (const Term axiom : order.axioms(same_row)) holds.push_back(axiom);
  return terms_.all(holds);
}

}  // namespace heddle::find
