#include "check/dependencies/links.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/assert.h"

namespace heddle {

namespace {

// Steps through all tuples below `sizes`, the last place fastest; false after the last tuple.
bool next_tuple(std::vector<std::size_t>& tuple, const std::vector<std::size_t>& sizes) {
  for (std::size_t place = tuple.size(); place-- > 0;) {
    if (++tuple[place] < sizes[place]) return true;
    tuple[place] = 0;
  }
  return false;
}

template <class Part>
std::vector<std::size_t> sizes_of(const std::vector<Part>& parts) {
  std::vector<std::size_t> sizes;
  for (const Part& part : parts) sizes.push_back(part.size());
  return sizes;
}

// All ways to take one edge per arc.
void add_products(const std::vector<EdgeCycle>& arcs, std::size_t limit,
                  std::vector<EdgeCycle>& chosen) {
  const std::vector<std::size_t> sizes = sizes_of(arcs);
  if (std::ranges::count(sizes, std::size_t{0}) > 0) return;
  std::vector<std::size_t> tuple(arcs.size(), 0);
  do {
    if (chosen.size() >= limit) return;
    EdgeCycle cycle;
    for (std::size_t i = 0; i < arcs.size(); ++i) cycle.push_back(arcs[i][tuple[i]]);
    chosen.push_back(std::move(cycle));
  } while (next_tuple(tuple, sizes));
}

std::vector<EdgeCycle> on_row(const std::vector<EdgeCycle>& arcs, RowId row) {
  std::vector<EdgeCycle> result = arcs;
  for (EdgeCycle& edges : result) {
    std::erase_if(edges, [&](const DependencyEdge& edge) {
      return edge.kind == DependencyKind::so || edge.row != row;
    });
  }
  return result;
}

// Per arc its edges by rank, as groups that are not empty.
std::vector<std::vector<EdgeCycle>> group_by_rank(const std::vector<EdgeCycle>& arcs) {
  std::vector<std::vector<EdgeCycle>> result;
  for (const EdgeCycle& edges : arcs) {
    std::vector<EdgeCycle> groups(kEdgeRanks);
    for (const DependencyEdge& edge : edges) {
      groups[static_cast<std::size_t>(rank_of(edge))].push_back(edge);
    }
    std::erase_if(groups, [](const EdgeCycle& group) { return group.empty(); });
    result.push_back(std::move(groups));
  }
  return result;
}

// As many cycles as it takes to use each edge of the groups once, one group per arc.
void add_covering(const std::vector<const EdgeCycle*>& groups, std::size_t limit,
                  std::vector<EdgeCycle>& chosen) {
  std::size_t longest = 0;
  for (const EdgeCycle* group : groups) longest = std::max(longest, group->size());
  for (std::size_t i = 0; i < longest && chosen.size() < limit; ++i) {
    EdgeCycle cycle;
    for (const EdgeCycle* group : groups) cycle.push_back((*group)[std::min(i, group->size() - 1)]);
    chosen.push_back(std::move(cycle));
  }
}

void add_by_ranks(const std::vector<EdgeCycle>& arcs, const SkipRanks& skip, std::size_t limit,
                  std::vector<EdgeCycle>& chosen) {
  const std::vector<std::vector<EdgeCycle>> groups = group_by_rank(arcs);
  const std::vector<std::size_t> sizes = sizes_of(groups);
  std::vector<std::size_t> tuple(arcs.size(), 0);
  do {
    std::vector<const EdgeCycle*> combination;
    std::vector<EdgeRank> ranks;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      combination.push_back(&groups[i][tuple[i]]);
      ranks.push_back(rank_of(combination.back()->front()));
    }
    if (!skip(ranks)) add_covering(combination, limit, chosen);
  } while (chosen.size() < limit && next_tuple(tuple, sizes));
}

}  // namespace

UnitMap map_units(const History& history, Unit unit) {
  UnitMap units;
  if (unit == Unit::transaction) {
    for (std::size_t i = 0; i < history.transactions.size(); ++i) {
      units.unit_of.push_back(static_cast<NodeIndex>(i));
    }
    units.count = history.transactions.size();
    return units;
  }
  std::map<std::uint32_t, NodeIndex> unit_of_session;
  for (const HistoryTransaction& transaction : history.transactions) {
    unit_of_session.try_emplace(transaction.session, 0);
  }
  for (auto& [session, number] : unit_of_session) number = static_cast<NodeIndex>(units.count++);
  for (const HistoryTransaction& transaction : history.transactions) {
    units.unit_of.push_back(unit_of_session.at(transaction.session));
  }
  return units;
}

Links::Links(const DependencyGraph& graph, const UnitMap& units) : units_(units.count) {
  using Place = std::tuple<NodeIndex, NodeIndex, RowId>;
  std::set<Place> item_rw;
  for (const DependencyEdge& edge : graph.edges) {
    if (rank_of(edge) != EdgeRank::item_rw) continue;
    item_rw.emplace(units.unit_of[edge.from.index()], units.unit_of[edge.to.index()], edge.row);
  }
  std::set<std::tuple<TransactionId, TransactionId, DependencyKind, bool, RowId>> seen;
  for (const DependencyEdge& edge : graph.edges) {
    const NodeIndex from = units.unit_of[edge.from.index()];
    const NodeIndex to = units.unit_of[edge.to.index()];
    if (from == to) continue;
    if (rank_of(edge) == EdgeRank::predicate_rw && item_rw.contains({from, to, edge.row})) continue;
    if (!seen.emplace(edge.from, edge.to, edge.kind, edge.predicate, edge.row).second) continue;
    edges_[{from, to}].push_back(edge);
  }
}

EdgeCycle Links::between(NodeIndex from, NodeIndex to, EdgeRank up_to) const {
  const auto found = edges_.find({from, to});
  if (found == edges_.end()) return {};
  EdgeCycle edges = found->second;
  std::erase_if(edges, [&](const DependencyEdge& edge) { return rank_of(edge) > up_to; });
  return edges;
}

Digraph Links::digraph(EdgeRank up_to) const {
  std::vector<Arc> arcs;
  for (const auto& [ends, edges] : edges_) {
    const bool any = std::ranges::any_of(
        edges, [&](const DependencyEdge& edge) { return rank_of(edge) <= up_to; });
    if (any) arcs.push_back({ends.first, ends.second});
  }
  return Digraph(units_, std::move(arcs));
}

bool Links::has_rank(EdgeRank rank) const {
  return std::ranges::any_of(edges_, [&](const auto& link) {
    return std::ranges::any_of(link.second,
                               [&](const DependencyEdge& edge) { return rank_of(edge) == rank; });
  });
}

std::vector<EdgeCycle> choose_edges(const Links& links, const NodeCycle& units, EdgeRank up_to,
                                    const SkipRanks& skip, std::size_t limit) {
  std::vector<EdgeCycle> arcs;
  std::set<RowId> rows;
  for (std::size_t i = 0; i < units.size(); ++i) {
    arcs.push_back(links.between(units[i], units[(i + 1) % units.size()], up_to));
    HEDDLE_ASSERT(!arcs.back().empty());
    for (const DependencyEdge& edge : arcs.back()) rows.insert(edge.row);
  }
  std::vector<EdgeCycle> chosen;
  for (const RowId row : rows) add_products(on_row(arcs, row), limit, chosen);
  std::vector<EdgeCycle> mixed;
  add_by_ranks(arcs, skip, limit, mixed);
  chosen.insert(chosen.end(), mixed.begin(), mixed.end());
  return chosen;
}

}  // namespace heddle
