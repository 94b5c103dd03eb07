// Finds the anomalies of a dependency graph. Illegal single reads (G1a, G1b) come from the history
// itself. Cycles are looked for in five nested graphs of units, each with one more rank of edges
// (classify.h), because a graver cycle may be longer than a milder one: in each, the simple cycles
// of units are listed up to a bound, shortest first, and edges are chosen along them. Then
// whatever smaller or graver cycles already say is left out. Where the bound cuts the list off, a
// shortest cycle through one unit of each component still stands for it, so that "no cycle" is
// never a guess. Names: Adya (1999).
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "base/assert.h"
#include "check/dependencies/classify.h"
#include "check/dependencies/edge_order.h"
#include "check/dependencies/links.h"
#include "graph/components.h"
#include "graph/cycles.h"
#include "heddle/dependency.h"
#include "vocabulary/history_reads.h"

namespace heddle {

namespace {

constexpr CycleBounds kBounds = {.length = 6, .cycles = 1000, .steps = 1'000'000};
constexpr std::size_t kChoicesPerCycle = 1000;
constexpr std::size_t kCandidates = 20'000;

struct Candidate {
  NodeCycle units;  // in the cycle's order, smallest first
  NodeCycle sorted_units;
  Cycle cycle;
};

bool edges_less(const EdgeCycle& a, const EdgeCycle& b) {
  return std::ranges::lexicographical_compare(a, b, EdgeOrder());
}

bool shorter_and_graver(const Candidate& a, const Candidate& b) {
  const auto key = [](const Candidate& candidate) {
    return std::tuple(candidate.units.size(), candidate.cycle.kind);
  };
  if (key(a) != key(b)) return key(a) < key(b);
  return edges_less(a.cycle.edges, b.cycle.edges);
}

bool gravest_first(const Cycle& a, const Cycle& b) {
  const auto key = [](const Cycle& cycle) {
    return std::tuple(cycle.kind, cycle.edges.size(), cycle.illegal_read);
  };
  if (key(a) != key(b)) return key(a) < key(b);
  return edges_less(a.edges, b.edges);
}

// Whether the units of `small` are some but not all of those of `large`, both sorted.
bool strictly_inside(const NodeCycle& small, const NodeCycle& large) {
  return small.size() < large.size() && std::ranges::includes(large, small);
}

class CycleSearch {
 public:
  CycleSearch(const History& history, const DependencyGraph& graph, const UnitMap& units)
      : history_(history), links_(graph, units) {}

  std::vector<Cycle> run() {
    for (std::size_t rank = 0; rank < kEdgeRanks; ++rank) {
      if (links_.has_rank(static_cast<EdgeRank>(rank))) search(static_cast<EdgeRank>(rank));
    }
    return keep_the_telling();
  }

 private:
  void search(EdgeRank up_to) {
    const Digraph graph = links_.digraph(up_to);
    const CycleList list = simple_cycles(graph, kBounds);
    std::set<NodeIndex> listed;
    for (const NodeCycle& units : list.cycles) {
      listed.insert(units.begin(), units.end());
      add_along(units, up_to);
    }
    for (const std::vector<NodeIndex>& component : cyclic_components(graph)) {
      const bool stands =
          std::ranges::any_of(component, [&](NodeIndex unit) { return listed.contains(unit); });
      if (!stands)
        add_along(from_smallest(shortest_cycle_through_node(graph, component[0])), up_to);
    }
  }

  static NodeCycle from_smallest(NodeCycle units) {
    std::ranges::rotate(units, std::ranges::min_element(units));
    return units;
  }

  void add_along(const NodeCycle& units, EdgeRank up_to) {
    NodeCycle sorted = units;
    std::ranges::sort(sorted);
    const auto said_inside = [&](AnomalyKind kind) {
      return std::ranges::any_of(candidates_, [&](const Candidate& candidate) {
        return says_as_much(candidate.cycle.kind, kind) &&
               strictly_inside(candidate.sorted_units, sorted);
      });
    };
    std::vector<EdgeCycle> chosen = choose_edges(
        links_, units, up_to,
        [&](const std::vector<EdgeRank>& ranks) { return said_inside(classify_by_ranks(ranks)); },
        kChoicesPerCycle);
    for (EdgeCycle& edges : chosen) {
      // The first cycle of each rank is kept whatever the bound, so that each rank's answer holds.
      const AnomalyKind kind = classify(edges, history_);
      if (candidates_.size() >= kCandidates && !first_of_kind(kind)) continue;
      kinds_.insert(kind);
      candidates_.push_back({units, sorted, Cycle{kind, std::move(edges), std::nullopt}});
    }
  }

  bool first_of_kind(AnomalyKind kind) const { return !kinds_.contains(kind); }

  // Leaves out what a smaller cycle inside, or graver cycles along the same units, already say.
  std::vector<Cycle> keep_the_telling() {
    std::ranges::sort(candidates_, shorter_and_graver);
    std::vector<Candidate> kept;
    std::map<NodeCycle, std::vector<std::size_t>> kept_along;
    for (Candidate& candidate : candidates_) {
      const bool said_inside = std::ranges::any_of(kept, [&](const Candidate& other) {
        return says_as_much(other.cycle.kind, candidate.cycle.kind) &&
               strictly_inside(other.sorted_units, candidate.sorted_units);
      });
      if (said_inside) continue;
      std::vector<std::size_t>& along = kept_along[candidate.units];
      if (is_covered(candidate, kept, along)) continue;
      along.push_back(kept.size());
      kept.push_back(std::move(candidate));
    }
    std::vector<Cycle> cycles;
    for (Candidate& candidate : kept) cycles.push_back(std::move(candidate.cycle));
    return cycles;
  }

  static bool is_covered(const Candidate& candidate, const std::vector<Candidate>& kept,
                         const std::vector<std::size_t>& along) {
    return std::ranges::all_of(candidate.cycle.edges, [&](const DependencyEdge& edge) {
      return std::ranges::any_of(along, [&](std::size_t index) {
        const Cycle& other = kept[index].cycle;
        return says_as_much(other.kind, candidate.cycle.kind) &&
               std::ranges::any_of(
                   other.edges, [&](const DependencyEdge& used) { return same_edge(used, edge); });
      });
    });
  }

  const History& history_;
  const Links links_;
  std::vector<Candidate> candidates_;
  std::set<AnomalyKind> kinds_;
};

void add_illegal_reads(const History& history, std::vector<Cycle>& cycles) {
  const std::vector<bool> committed = committed_transactions(history);
  const std::vector<bool> counted = counted_transactions(history);
  for (std::size_t i = 0; i < history.operations.size(); ++i) {
    if (!counted[history.operations[i].transaction.index()]) continue;
    std::set<AnomalyKind> kinds;
    for (const IllegalVersion& illegal : illegal_versions(history, committed, OperationId(i))) {
      kinds.insert(illegal.kind);
    }
    for (const AnomalyKind kind : kinds) cycles.push_back(Cycle{kind, {}, OperationId(i)});
  }
}

// With sessions as units: a session whose later transaction would have to come before an earlier
// one, once for each such pair.
void add_disorder_within_sessions(const History& history, const DependencyGraph& graph,
                                  const UnitMap& units, std::vector<Cycle>& cycles) {
  std::set<std::pair<TransactionId, TransactionId>> seen;
  for (const DependencyEdge& edge : graph.edges) {
    if (units.unit_of[edge.from.index()] != units.unit_of[edge.to.index()]) continue;
    const std::vector<TransactionId>& beside = history.transactions[edge.from.index()].beside;
    if (std::ranges::find(beside, edge.to) != beside.end()) continue;
    if (edge.from <= edge.to || !seen.emplace(edge.from, edge.to).second) continue;
    DependencyEdge order;
    order.kind = DependencyKind::so;
    order.from = edge.to;
    order.to = edge.from;
    cycles.push_back(Cycle{AnomalyKind::session_cycle, {order, edge}, std::nullopt});
  }
}

}  // namespace

std::vector<Cycle> find_anomalies(const History& history, const DependencyGraph& graph, Unit unit) {
  HEDDLE_ASSERT(!find_flaw(history));
  const UnitMap units = map_units(history, unit);
  std::vector<Cycle> cycles = CycleSearch(history, graph, units).run();
  add_illegal_reads(history, cycles);
  add_disorder_within_sessions(history, graph, units, cycles);
  std::ranges::sort(cycles, gravest_first);
  return cycles;
}

}  // namespace heddle
