#include "find/terms/kinds.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace heddle::find {

AnomalyKind kind_of(const FoundCycle& cycle, bool one_row) {
  const auto count = [&](DependencyKind kind) {
    return std::ranges::count(cycle.edges, kind, &FoundEdge::kind);
  };
  const auto anti = count(DependencyKind::rw);
  if (anti == 0) {
    const bool only_overwrites = count(DependencyKind::wr) == 0;
    return only_overwrites ? AnomalyKind::dirty_write : AnomalyKind::circular_flow;
  }
  if (std::ranges::any_of(cycle.edges, &FoundEdge::predicate)) return AnomalyKind::phantom;
  if (anti > 1) return one_row ? AnomalyKind::serialization_cycle : AnomalyKind::write_skew;
  if (!one_row) return AnomalyKind::read_skew;
  // What comes back to the transaction that read.
  const auto read = std::ranges::find(cycle.edges, DependencyKind::rw, &FoundEdge::kind);
  const FoundEdge& back = read == cycle.edges.begin() ? cycle.edges.back() : *std::prev(read);
  if (back.kind == DependencyKind::ww) return AnomalyKind::lost_update;
  const FoundNode& missed = cycle.nodes[read->to];
  const FoundNode& seen = cycle.nodes[back.from];
  // Another write of a transaction whose first write was seen.
  const bool is_half =
      missed.instance == seen.instance &&
      std::tie(seen.rounds, seen.statement) < std::tie(missed.rounds, missed.statement);
  return is_half ? AnomalyKind::intermediate_read : AnomalyKind::non_repeatable_read;
}

}  // namespace heddle::find
