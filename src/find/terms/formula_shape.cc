// What levels say of a cycle's shape alone: who writes, and in which order; rows are set aside.
#include <algorithm>

#include <fmt/format.h>

#include "find/terms/formula.h"

namespace heddle::find {

namespace {

bool is_anti(const PlacedEdge& edge) { return edge.conflict->kind == DependencyKind::rw; }

// Whether it is known when it begins, and when its snapshot is taken.
std::string moments(const OrderPoint& point) {
  const bool takes_snapshot = point.is_first && is_timed(point.level) &&
                              has_axiom(point.level, Axiom::repeatable_visibility);
  return fmt::format("{}{};", point.never_waits ? "n" : "", takes_snapshot ? "f" : "");
}

// Where the one is a command of Redis and the other none: whether its transaction ends before,
// goes on meanwhile, or begins later.
std::string between_stores(const OrderPoint& entry, const OrderPoint& exit) {
  if (!entry.is_redis && !exit.is_redis) return "";
  if (entry.is_redis && exit.is_redis) return "r";
  const OrderPoint& command = entry.is_redis ? entry : exit;
  const std::size_t other = (entry.is_redis ? exit : entry).transaction;
  const std::size_t open = command.open_transaction;
  return fmt::format("r{}{}", entry.is_redis, other == open ? '=' : other < open ? '<' : '>');
}

// Where both are of one session whose transactions may be open at the same time: what of the one
// comes before what of the other.
std::string between_spans(const OrderPoint& entry, const OrderPoint& exit) {
  if (!entry.span || !exit.span || entry.transaction == exit.transaction) return "";
  return fmt::format(
      "s{}{}{}{}{}{}{}{}", entry.span->ends_last < exit.event, entry.event < exit.span->ends_first,
      entry.span->ends_last < exit.span->begins, exit.span->ends_last < entry.event,
      exit.event < entry.span->ends_first, exit.span->ends_last < entry.span->begins,
      entry.span->ends_last < exit.span->ends_first, exit.span->ends_last < entry.span->ends_first);
}

}  // namespace

// Kinds, who writes, and which of a transaction's two operations comes first.
std::string CycleFormula::shape(const std::vector<PlacedEdge>& edges) const {
  std::string shape;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const PlacedEdge& in = edges[i];
    const PlacedEdge& out = edges[(i + 1) % edges.size()];
    const OrderPoint entry = point_of(in.to, in.to_event);
    const OrderPoint exit = point_of(out.from, out.from_event);
    // Whoever sees the newest rows anyway sees no others because of a unique index.
    const auto checks = [](const OrderPoint& point) {
      return point.checks && has_axiom(point.level, Axiom::repeatable_visibility);
    };
    shape += fmt::format("{}{}{}{}:{}{}{}{}{}{}{}{}{}{}{}{}{}{}{} ", to_string(in.conflict->kind),
                         may_be_predicate(in), may_be_withdrawn(in), in.conflict->by_lock,
                         static_cast<int>(entry.level.level), entry.writes, entry.locks,
                         exit.writes, exit.locks, entry.makes, entry.removes, exit.makes,
                         exit.removes, entry.asks_referring, exit.asks_referring, checks(entry),
                         checks(exit), entry.event < exit.event, entry.event == exit.event) +
             moments(entry) + moments(exit) + between_stores(entry, exit) +
             between_spans(entry, exit) +
             (entry.transaction == exit.transaction
                  ? ""
                  : fmt::format("/{}", static_cast<int>(exit.level.level)));
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

// The levels of the transactions in which it comes into functionalities.
bool CycleFormula::all_entered(const std::vector<PlacedEdge>& edges,
                               const std::function<bool(AppliedLevel)>& is_such) const {
  return std::ranges::all_of(edges, [&](const PlacedEdge& edge) {
    return is_such(instances_[edge.to].levels[edge.to_event]);
  });
}

// Cycles that a level rules out by definition.
// The reader of an edge that is refused because of it, as who looks for a key that is taken is:
// that it is still free is read by nobody. None: it may be accepted, or somebody goes on behind it.
std::optional<CycleFormula::Place> CycleFormula::refused_at(const PlacedEdge& edge) const {
  if (edge.conflict->kind == DependencyKind::ww) return std::nullopt;
  const bool reads_first = edge.conflict->kind == DependencyKind::rw;
  const Place place =
      reads_first ? Place{edge.from, edge.from_event} : Place{edge.to, edge.to_event};
  const StatementForm& form = *event(place.instance, place.event).form;
  const std::size_t source = reads_first ? edge.conflict->from_source : edge.conflict->to_source;
  const bool is_taken = form.sources[source].role == SourceRole::taken;
  const bool is_check = form.checks_keys && form.sources[source].is_written && !reads_first &&
                        !form.sources[source].is_read &&
                        event(edge.from, edge.from_event).form->makes(edge.conflict->from_source);
  const Instance& of = instances_[place.instance];
  const bool is_left_behind = !of.unfolding->recovers && !of.any_level(shows_uncommitted);
  if (!is_left_behind || !(is_taken || is_check)) return std::nullopt;
  return place;
}

// Who is refused does nothing behind that, and nothing stays of what its transaction has written.
bool CycleFormula::goes_on_refused(const std::vector<PlacedEdge>& edges) const {
  const auto is_meant = [&](const Place& at, std::size_t instance, std::size_t index,
                            bool is_write) {
    if (instance != at.instance) return false;
    const bool is_undone =
        is_write && event(instance, index).transaction == event(at.instance, at.event).transaction;
    return index > at.event || is_undone;
  };
  return std::ranges::any_of(edges, [&](const PlacedEdge& edge) {
    const std::optional<Place> at = refused_at(edge);
    return at && std::ranges::any_of(edges, [&](const PlacedEdge& other) {
             return is_meant(*at, other.from, other.from_event,
                             other.conflict->kind != DependencyKind::rw) ||
                    is_meant(*at, other.to, other.to_event,
                             other.conflict->kind != DependencyKind::wr);
           });
  });
}

bool CycleFormula::is_ruled_out(const std::vector<PlacedEdge>& edges) const {
  if (is_ruled_out_across(edges) || goes_on_refused(edges)) return true;
  if (!is_of_transactions(edges)) return false;
  const bool all_serializable = all_entered(edges, [](AppliedLevel level) {
    return has_axiom(level, Axiom::no_cycles) || has_axiom(level, Axiom::sees_all);
  });
  const bool no_flow_cycles = all_entered(edges, [](AppliedLevel level) {
    const bool reads_committed =
        is_timed(level) && !reads_uncommitted(level) && !sees_anything(level);
    return has_axiom(level, Axiom::no_flow_cycles) || reads_committed ||
           has_axiom(level, Axiom::commit_order);
  });
  if (all_serializable) return true;
  // Who passes over a locked row knows of what has not been committed.
  const bool may_know_early =
      std::ranges::any_of(edges, [](const PlacedEdge& edge) { return edge.conflict->by_lock; });
  if (no_flow_cycles && !may_know_early && std::ranges::none_of(edges, is_anti)) return true;
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

// Operations that no dependency joins are no cycle.
bool CycleFormula::rules_out_item_cycles(const std::vector<PlacedEdge>& edges) const {
  if (edges.empty()) return false;
  const std::optional<AppliedLevel>& across = instances_.front().across;
  if (across && has_axiom(*across, Axiom::no_item_cycles)) return true;
  return is_of_transactions(edges) && all_entered(edges, [](AppliedLevel level) {
           return has_axiom(level, Axiom::no_item_cycles);
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
    point.runs = point.lasts = terms_.truth(true);
    return point;
  };
  for (const PlacedEdge& edge : edges) {
    const std::size_t from = order.add(running(edge.from, edge.from_event));
    const std::size_t to = order.add(running(edge.to, edge.to_event));
    if (edge.conflict->kind == DependencyKind::ww) holds.push_back(order.before(from, to));
    if (edge.conflict->kind == DependencyKind::wr && !edge.conflict->by_lock) {
      holds.push_back(
          terms_.any({order.sees(from, to), order.sees_now(from, to), order.knows_gone(from, to)}));
    }
    if (edge.conflict->kind == DependencyKind::rw && !may_be_withdrawn(edge)) {
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
  const auto never = [&](std::size_t /*a*/, std::size_t /*b*/) { return terms_.truth(false); };
  const auto always = [&](std::size_t /*a*/, std::size_t /*b*/) { return terms_.truth(true); };
  const Order::Meeting meeting{.same_row = same_row,
                               .refers = never,
                               .keeps = never,
                               .locked_out = never,
                               .let_in = always,
                               .same_key = never};
  for (const Term axiom : order.axioms(meeting)) holds.push_back(axiom);
  return terms_.all(holds);
}

}  // namespace heddle::find
