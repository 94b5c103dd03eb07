// Which statements beside those of the edges take part.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "find/terms/formula.h"
#include "find/terms/sight.h"

namespace heddle::find {

bool CycleFormula::orders_others(const Order& order) const {
  if (!constraints_.axioms.empty()) return true;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    for (std::size_t e = 0; e < instances_[i].unfolding->events.size(); ++e) {
      if (forces_visibility(order.level_of(point_of(i, e)))) return true;
    }
  }
  return false;
}

// Writes and locks of the transactions outside of the cycle: what they leave may be what a read of
// the cycle sees, and levels order them like those in it.
void CycleFormula::add_other_writers(Order& order) {
  if (!orders_others(order)) return;
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    for (std::size_t e = 0; e < instances_[i].unfolding->events.size(); ++e) {
      if (!may_run(i, e)) continue;
      const StatementForm& form = *event(i, e).form;
      const bool meets_others = std::ranges::any_of(form.sources, [&](const RowSource& source) {
        return takes(source) && is_used_elsewhere(source.name, i);
      });
      const OrderPoint point = point_of(i, e);
      const bool is_ordered = form.writes() && !is_timed(order.level_of(point));
      if (meets_others || is_ordered || meets_lock(i, e)) order.add(point);
    }
  }
}

bool CycleFormula::is_used_elsewhere(const std::string& table, std::size_t instance) const {
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    if (i == instance) continue;
    for (const Event& event : instances_[i].unfolding->events) {
      for (const RowSource& source : event.form->sources) {
        if (source.name == table) return true;
      }
    }
  }
  return false;
}

// All that reads or writes.
void CycleFormula::add_all(Order& order) {
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    for (std::size_t e = 0; e < instances_[i].unfolding->events.size(); ++e) {
      if (!event(i, e).form->sources.empty()) order.add(point_of(i, e));
    }
  }
}

void CycleFormula::add_ends(const std::vector<PlacedEdge>& edges, Order& order) const {
  for (const PlacedEdge& edge : edges) {
    order.add(point_of(edge.from, edge.from_event));
    order.add(point_of(edge.to, edge.to_event));
  }
}

// Whether it is the statement of an edge, or may decide what that does, or whether it runs.
bool CycleFormula::leads_to_end(std::size_t instance, std::size_t index,
                                const std::vector<PlacedEdge>& edges) {
  const auto leads_to = [&](std::size_t of, std::size_t end) {
    if (of != instance || end < index) return false;
    const Term both = terms_.all(event(of, index).guard, event(of, end).guard);
    return !terms_.is_false(both);
  };
  return std::ranges::any_of(edges, [&](const PlacedEdge& edge) {
    return leads_to(edge.from, edge.from_event) || leads_to(edge.to, edge.to_event);
  });
}

// What runs only where an operation of the cycle does not.
void CycleFormula::leave_other_ways(const std::vector<PlacedEdge>& edges) {
  std::vector<std::vector<Term>> run(instances_.size());
  for (const PlacedEdge& edge : edges) {
    run[edge.from].push_back(event(edge.from, edge.from_event).guard);
    run[edge.to].push_back(event(edge.to, edge.to_event).guard);
  }
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const Term taken = terms_.all(run[i]);
    may_run_.emplace_back();
    for (const Event& one : instances_[i].unfolding->events) {
      may_run_.back().push_back(!terms_.is_false(terms_.all(taken, one.guard)));
    }
  }
}

}  // namespace heddle::find
