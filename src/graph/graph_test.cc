// Graph algorithms against slow, obvious ones on all tiny and many small random graphs.
#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "graph/components.h"
#include "graph/cycles.h"
#include "graph/digraph.h"

namespace heddle {
namespace {

using Matrix = std::vector<std::vector<bool>>;

// Whether a path of at least one arc leads from one node to another (Warshall).
Matrix reachability(const Digraph& graph) {
  const std::size_t nodes = graph.node_count();
  Matrix reaches(nodes, std::vector<bool>(nodes, false));
  for (NodeIndex from = 0; from < nodes; ++from) {
    for (const NodeIndex to : graph.successors(from)) reaches[from][to] = true;
  }
  for (std::size_t middle = 0; middle < nodes; ++middle) {
    for (std::size_t from = 0; from < nodes; ++from) {
      for (std::size_t to = 0; to < nodes; ++to) {
        if (reaches[from][middle] && reaches[middle][to]) reaches[from][to] = true;
      }
    }
  }
  return reaches;
}

std::vector<std::vector<NodeIndex>> slow_components(const Digraph& graph) {
  const Matrix reaches = reachability(graph);
  std::set<std::vector<NodeIndex>> components;
  for (NodeIndex node = 0; node < graph.node_count(); ++node) {
    std::vector<NodeIndex> component;
    for (NodeIndex other = 0; other < graph.node_count(); ++other) {
      if (node == other || (reaches[node][other] && reaches[other][node])) {
        component.push_back(other);
      }
    }
    components.insert(component);
  }
  return {components.begin(), components.end()};
}

// All sequences of different nodes that begin with their smallest and close a cycle.
void extend(const Digraph& graph, NodeCycle& path, std::size_t length,
            std::set<NodeCycle>& cycles) {
  if (graph.has_arc(path.back(), path.front())) cycles.insert(path);
  if (path.size() == length) return;
  for (NodeIndex next = path.front() + 1; next < graph.node_count(); ++next) {
    if (!graph.has_arc(path.back(), next)) continue;
    if (std::ranges::find(path, next) != path.end()) continue;
    path.push_back(next);
    extend(graph, path, length, cycles);
    path.pop_back();
  }
}

std::vector<NodeCycle> slow_cycles(const Digraph& graph, std::size_t length) {
  std::set<NodeCycle> cycles;
  for (NodeIndex start = 0; start < graph.node_count(); ++start) {
    NodeCycle path = {start};
    extend(graph, path, length, cycles);
  }
  std::vector<NodeCycle> sorted(cycles.begin(), cycles.end());
  std::ranges::stable_sort(sorted, {}, &NodeCycle::size);
  return sorted;
}

std::size_t slow_shortest(const Digraph& graph, NodeIndex node) {
  std::size_t shortest = 0;
  for (const NodeCycle& cycle : slow_cycles(graph, graph.node_count())) {
    const bool through = std::ranges::find(cycle, node) != cycle.end();
    if (through && (shortest == 0 || cycle.size() < shortest)) shortest = cycle.size();
  }
  return shortest;
}

bool is_cycle(const Digraph& graph, const NodeCycle& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (!graph.has_arc(cycle[i], cycle[(i + 1) % cycle.size()])) return false;
  }
  return std::set<NodeIndex>(cycle.begin(), cycle.end()).size() == cycle.size();
}

void expect_agreement(const Digraph& graph) {
  EXPECT_EQ(strong_components(graph), slow_components(graph));
  const Matrix reaches = reachability(graph);
  for (const auto& component : cyclic_components(graph)) {
    for (const NodeIndex node : component) EXPECT_TRUE(reaches[node][node]);
  }
  for (const std::size_t length : {std::size_t{2}, std::size_t{3}, graph.node_count()}) {
    const CycleList list =
        simple_cycles(graph, {.length = length, .cycles = 1000, .steps = 1u << 20});
    EXPECT_TRUE(list.complete);
    EXPECT_EQ(list.cycles, slow_cycles(graph, length));
  }
  for (NodeIndex node = 0; node < graph.node_count(); ++node) {
    const NodeCycle cycle = shortest_cycle_through_node(graph, node);
    EXPECT_EQ(cycle.size(), slow_shortest(graph, node));
    EXPECT_TRUE(is_cycle(graph, cycle));
    EXPECT_EQ(cycle.empty(), !reaches[node][node]);
    if (!cycle.empty()) {
      EXPECT_EQ(cycle.front(), node);
    }
    for (const NodeIndex to : graph.successors(node)) {
      const NodeCycle through = shortest_cycle_through_arc(graph, node, to);
      EXPECT_EQ(through.empty(), !(to == node || reaches[to][node]));
      EXPECT_TRUE(is_cycle(graph, through));
      if (to != node && !through.empty()) {
        EXPECT_EQ(through[1], to);
      }
    }
  }
}

TEST(Graph, AgreesWithSlowAlgorithmsOnAllGraphsOfThreeNodes) {
  for (std::uint32_t bits = 0; bits < (1u << 9); ++bits) {
    std::vector<Arc> arcs;
    for (NodeIndex i = 0; i < 9; ++i) {
      if ((bits >> i & 1u) != 0) arcs.push_back({i / 3, i % 3});
    }
    SCOPED_TRACE(bits);
    expect_agreement(Digraph(3, arcs));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Graph, AgreesWithSlowAlgorithmsOnRandomGraphs) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const std::size_t nodes = 1 + random() % 6;
    std::vector<Arc> arcs(random() % (2 * nodes + 1));
    for (Arc& arc : arcs) {
      arc = {static_cast<NodeIndex>(random() % nodes), static_cast<NodeIndex>(random() % nodes)};
    }
    SCOPED_TRACE(seed);
    expect_agreement(Digraph(nodes, arcs));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Digraph, SortsArcsAndDropsDuplicates) {
  const Digraph graph(3, {{1, 2}, {1, 0}, {1, 2}});
  EXPECT_EQ(graph.arc_count(), 2u);
  EXPECT_EQ(std::vector<NodeIndex>(graph.successors(1).begin(), graph.successors(1).end()),
            (std::vector<NodeIndex>{0, 2}));
  EXPECT_TRUE(graph.has_arc(1, 0));
  EXPECT_FALSE(graph.has_arc(0, 1));
  EXPECT_TRUE(graph.reversed().has_arc(0, 1));
}

TEST(ShortestPath, FindsTheWayOrSaysNone) {
  const Digraph graph(5, {{0, 1}, {1, 2}, {0, 3}, {3, 2}, {2, 4}, {0, 2}});
  EXPECT_EQ(shortest_path(graph, 0, 4), (std::vector<NodeIndex>{0, 2, 4}));
  EXPECT_EQ(shortest_path(graph, 3, 3), (std::vector<NodeIndex>{3}));
  EXPECT_TRUE(shortest_path(graph, 4, 0).empty());
}

TEST(StrongComponents, DeepGraphsDoNotExhaustTheStack) {
  constexpr NodeIndex kNodes = 300'000;
  std::vector<Arc> arcs;
  for (NodeIndex node = 0; node < kNodes; ++node) arcs.push_back({node, (node + 1) % kNodes});
  EXPECT_EQ(strong_components(Digraph(kNodes, arcs)).size(), 1u);
}

TEST(SimpleCycles, StopAtTheBoundWithTheShortestInHand) {
  std::vector<Arc> arcs;
  for (NodeIndex from = 0; from < 8; ++from) {
    for (NodeIndex to = 0; to < 8; ++to) {
      if (from != to) arcs.push_back({from, to});
    }
  }
  const Digraph complete_graph(8, arcs);
  const CycleList few =
      simple_cycles(complete_graph, {.length = 6, .cycles = 28, .steps = 1'000'000});
  EXPECT_FALSE(few.complete);
  EXPECT_EQ(few.cycles.size(), 28u);
  for (const NodeCycle& cycle : few.cycles) EXPECT_EQ(cycle.size(), 2u);
  const CycleList hasty = simple_cycles(complete_graph, {.length = 8, .cycles = 1000, .steps = 50});
  EXPECT_FALSE(hasty.complete);
}

}  // namespace
}  // namespace heddle
