// Tarjan's algorithm (SIAM Journal on Computing 1(2), 1972): one depth-first search numbers the
// nodes as it meets them and keeps, per node, the smallest number known to be reachable from it
// among the nodes whose component is not yet closed. A node that reaches none smaller than its own
// closes a component. The search keeps its own stack, because paths may be as long as the graph.
#include "graph/components.h"

#include <algorithm>
#include <limits>

namespace heddle {

namespace {

class Search {
 public:
  explicit Search(const Digraph& graph)
      : graph_(graph),
        number_(graph.node_count(), kUnseen),
        lowest_(graph.node_count(), kUnseen),
        open_(graph.node_count(), false) {}

  std::vector<std::vector<NodeIndex>> run() {
    for (NodeIndex root = 0; root < graph_.node_count(); ++root) {
      if (number_[root] == kUnseen) explore(root);
    }
    std::ranges::sort(components_);
    return std::move(components_);
  }

 private:
  static constexpr std::size_t kUnseen = std::numeric_limits<std::size_t>::max();

  struct Visit {
    NodeIndex node;
    std::size_t next_successor;
  };

  void enter(NodeIndex node) {
    number_[node] = lowest_[node] = entered_++;
    open_[node] = true;
    open_nodes_.push_back(node);
    path_.push_back({node, 0});
  }

  void explore(NodeIndex root) {
    enter(root);
    while (!path_.empty()) {
      const NodeIndex node = path_.back().node;
      const auto successors = graph_.successors(node);
      if (path_.back().next_successor < successors.size()) {
        const NodeIndex successor = successors[path_.back().next_successor++];
        if (number_[successor] == kUnseen) {
          enter(successor);
        } else if (open_[successor]) {
          lowest_[node] = std::min(lowest_[node], number_[successor]);
        }
        continue;
      }
      leave(node);
    }
  }

  void leave(NodeIndex node) {
    path_.pop_back();
    if (!path_.empty()) {
      const NodeIndex parent = path_.back().node;
      lowest_[parent] = std::min(lowest_[parent], lowest_[node]);
    }
    if (lowest_[node] == number_[node]) close(node);
  }

  void close(NodeIndex root) {
    const auto first = std::ranges::find(open_nodes_.rbegin(), open_nodes_.rend(), root).base() - 1;
    std::vector<NodeIndex> component(first, open_nodes_.end());
    open_nodes_.erase(first, open_nodes_.end());
    for (const NodeIndex node : component) open_[node] = false;
    std::ranges::sort(component);
    components_.push_back(std::move(component));
  }

  const Digraph& graph_;
  std::size_t entered_ = 0;
  std::vector<std::size_t> number_;  // in order of entering
  std::vector<std::size_t> lowest_;  // smallest number reachable among open nodes, as far as known
  std::vector<bool> open_;           // entered, component not closed
  std::vector<NodeIndex> open_nodes_;
  std::vector<Visit> path_;
  std::vector<std::vector<NodeIndex>> components_;
};

}  // namespace

std::vector<std::vector<NodeIndex>> strong_components(const Digraph& graph) {
  return Search(graph).run();
}

std::vector<std::vector<NodeIndex>> cyclic_components(const Digraph& graph) {
  std::vector<std::vector<NodeIndex>> components = strong_components(graph);
  std::erase_if(components, [&](const std::vector<NodeIndex>& component) {
    return component.size() == 1 && !graph.has_arc(component[0], component[0]);
  });
  return components;
}

}  // namespace heddle
