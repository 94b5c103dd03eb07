#include "find/terms/kinds.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "vocabulary/cycle_kind.h"

namespace heddle::find {

namespace {

// Whether `a` runs before `b`, operations of one transaction, whatever loops are around them.
bool is_before(const FoundNode& a, const FoundNode& b) {
  const bool is_in_time = a.rounds.empty() || b.rounds.empty() || a.rounds <= b.rounds;
  return a.statement < b.statement && is_in_time;
}

// Another write of a transaction whose first write was seen.
bool misses_the_rest(const FoundNode& seen, const FoundNode& missed) {
  return missed.instance == seen.instance &&
         std::tie(seen.rounds, seen.statement) < std::tie(missed.rounds, missed.statement);
}

}  // namespace

AnomalyKind kind_of(const FoundCycle& cycle, bool one_row) {
  std::vector<CycleEdge> edges;
  for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
    const FoundEdge& edge = cycle.edges[i];
    const FoundEdge& back = i == 0 ? cycle.edges.back() : cycle.edges[i - 1];
    const bool is_missed = edge.kind == DependencyKind::rw;
    edges.push_back({
        .kind = edge.kind,
        .predicate = edge.predicate,
        .row = one_row ? 0 : i,
        .reads_late = is_missed && is_before(cycle.nodes[back.to], cycle.nodes[edge.from]),
        .misses_the_rest =
            is_missed && misses_the_rest(cycle.nodes[back.from], cycle.nodes[edge.to]),
    });
    const FoundEdge& next = cycle.edges[(i + 1) % cycle.edges.size()];
    const bool goes_on = cycle.nodes[edge.to].call < cycle.nodes[next.from].call;
    if (goes_on) edges.push_back({.kind = DependencyKind::so, .row = one_row ? 0 : i});
  }
  return kind_of_cycle(edges);
}

std::optional<AnomalyKind> former_kind_of(const FoundCycle& cycle) {
  if (cycle.kind != AnomalyKind::serialization_cycle) return std::nullopt;
  if (std::ranges::count(cycle.edges, DependencyKind::rw, &FoundEdge::kind) != 1) {
    return std::nullopt;
  }
  return AnomalyKind::lost_update;
}

}  // namespace heddle::find
