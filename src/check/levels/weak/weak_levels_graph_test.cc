// Searches of the order graph against slower ones on random graphs.
#include "check/levels/weak/weak_levels_graph.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr Node kNodes = 9;  // real ones; as many auxiliary ones may follow
constexpr std::size_t kNoWay = 1000;

Node no_chain(Node) { return kInitialNode; }

struct RandomGraph {
  std::vector<Arc> arcs;
  Node nodes = kNodes;
};

// Auxiliary nodes form a chain, as they do for real time; real ones lead in and out of it.
RandomGraph graph_of_seed(std::uint32_t seed) {
  std::mt19937 random(seed);
  RandomGraph graph;
  const auto any = [&] { return static_cast<Node>(random() % kNodes); };
  for (std::size_t i = random() % 14; i > 0; --i) {
    const Arc arc{any(), any()};
    if (arc.from != arc.to) graph.arcs.push_back(arc);
  }
  graph.nodes += random() % 4;
  for (Node node = kNodes; node < graph.nodes; ++node) {
    if (node > kNodes) graph.arcs.push_back({node - 1, node});
    const Node into = any();
    graph.arcs.push_back({into, node});
    graph.arcs.push_back({node, (into + 1) % kNodes});
  }
  return graph;
}

// The real nodes on the shortest cycle, by Floyd and Warshall; kNoWay: there is none. An arc costs
// one where it leaves a real node.
std::size_t shortest_cycle_length(const RandomGraph& graph) {
  std::vector<std::vector<std::size_t>> ways(graph.nodes,
                                             std::vector<std::size_t>(graph.nodes, kNoWay));
  for (const Arc& arc : graph.arcs) ways[arc.from][arc.to] = arc.from < kNodes ? 1 : 0;
  for (Node middle = 0; middle < graph.nodes; ++middle) {
    for (Node from = 0; from < graph.nodes; ++from) {
      for (Node to = 0; to < graph.nodes; ++to) {
        ways[from][to] = std::min(ways[from][to], ways[from][middle] + ways[middle][to]);
      }
    }
  }
  std::size_t shortest = kNoWay;
  for (Node node = 0; node < kNodes; ++node) shortest = std::min(shortest, ways[node][node]);
  return shortest;
}

TEST(OrderGraphs, OrdersAndShortestCyclesOfRandomGraphs) {
  std::size_t cyclic = 0;
  for (std::uint32_t seed = 0; seed < 5000; ++seed) {
    const RandomGraph random = graph_of_seed(seed);
    const std::size_t half = random.arcs.size() / 2;
    OrderGraph graph(kNodes, ArcsInto(random.nodes, std::span(random.arcs).first(half)));
    graph.set_forced(ArcsInto(random.nodes, std::span(random.arcs).subspan(half)));
    Meter meter({});
    const std::vector<Node> order = topological_order(graph, meter);
    const std::size_t expected = shortest_cycle_length(random);
    if (expected == 1) continue;  // a node before itself: not what auxiliary nodes are for
    ASSERT_EQ(order.empty(), expected != kNoWay) << "seed " << seed;
    if (order.empty()) {
      ++cyclic;
      ASSERT_EQ(short_cycle(graph, no_chain).size(), expected) << "seed " << seed;
      continue;
    }
    ASSERT_EQ(order.size(), random.nodes);
    const auto place = [&](Node node) { return std::ranges::find(order, node) - order.begin(); };
    for (const Arc& arc : random.arcs) ASSERT_LT(place(arc.from), place(arc.to)) << seed;
  }
  EXPECT_GT(cyclic, 1000U);
  EXPECT_LT(cyclic, 4000U);
}

TEST(OrderGraphs, ChainsAreOneStep) {
  // 1 -> 2 -> ... -> 8 is a chain, and 8 comes before 1.
  std::vector<Arc> arcs = {{8, 1}};
  for (Node node = 2; node < kNodes; ++node) arcs.push_back({node - 1, node});
  const OrderGraph graph(kNodes, ArcsInto(kNodes, arcs));
  EXPECT_EQ(short_cycle(graph, no_chain).size(), 8U);
  const std::vector<Node> cycle =
      short_cycle(graph, [](Node node) { return node == 0 ? kInitialNode : node - 1; });
  EXPECT_EQ(cycle, (std::vector<Node>{1, 8}));
}

TEST(OrderGraphs, LongPathsDoNotExhaustTheStack) {
  constexpr Node kMany = 1'000'000;
  ArcsInto arcs;
  arcs.add(kMany - 1);
  arcs.finish_node();
  for (Node node = 1; node < kMany; ++node) {
    arcs.add(node - 1);
    arcs.finish_node();
  }
  const OrderGraph graph(kMany, std::move(arcs));
  Meter meter({});
  EXPECT_TRUE(topological_order(graph, meter).empty());
  EXPECT_EQ(short_cycle(graph, no_chain).size(), kMany);
}

}  // namespace
}  // namespace heddle
