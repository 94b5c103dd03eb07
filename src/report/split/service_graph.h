// The tables of a cut, and how many causes join two of them or are on one alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/split.h"
#include "report/split/split_counts.h"

namespace heddle {

struct ServiceGraph {
  struct Node {
    std::string table;
    std::size_t service = 0;  // into `services`
    CauseCount alone;         // of the causes that join it to no other table
  };
  // Causes of which a cycle enters a functionality on one of the tables and leaves it on the other.
  struct Edge {
    std::size_t from = 0;  // into `nodes`, before `to`
    std::size_t to = 0;
    CauseCount count;
  };
  std::vector<std::string> services;
  std::vector<Node> nodes;  // service by service
  std::vector<Edge> edges;  // by their nodes

  bool is_within_a_service(const Edge& edge) const {
    return nodes[edge.from].service == nodes[edge.to].service;
  }
};

ServiceGraph service_graph(const SplitReport& report);

}  // namespace heddle
