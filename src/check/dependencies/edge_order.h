// One total order of dependency edges, so that everything made of them comes out sorted.
#pragma once

#include <tuple>

#include "heddle/dependency.h"

namespace heddle {

inline auto sort_key(const DependencyEdge& edge) {
  return std::tie(edge.from, edge.to, edge.kind, edge.predicate, edge.row, edge.from_operation,
                  edge.to_operation, edge.from_version, edge.to_version);
}

struct EdgeOrder {
  bool operator()(const DependencyEdge& a, const DependencyEdge& b) const {
    return sort_key(a) < sort_key(b);
  }
};

inline bool same_edge(const DependencyEdge& a, const DependencyEdge& b) {
  return sort_key(a) == sort_key(b);
}

}  // namespace heddle
