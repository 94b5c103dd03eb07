// Depth-first searches from each node to its predecessors, which leave a node after all that must
// come before it: the order in which they leave is topological. Components by Tarjan's algorithm
// (SIAM Journal on Computing 1(2), 1972); inside each, breadth-first searches from one node after
// the other find cycles through it, none longer than the best so far. Auxiliary nodes do not count
// as steps of a path. All searches keep their own stacks.
#include "check/levels/weak/weak_levels_graph.h"

#include <algorithm>

#include "base/assert.h"

namespace heddle {

namespace {

constexpr std::size_t kMostSteps = 20'000'000;  // of all breadth-first searches after the first
constexpr Node kNone = 0xFFFFFFFF;

// A node on the path of a depth-first search, and which of its predecessors comes next.
struct Visit {
  Node node = 0;
  std::uint32_t next = 0;
};

Node next_predecessor(const OrderGraph& graph, Visit& visit) {
  const auto fixed = graph.fixed(visit.node);
  if (visit.next < fixed.size()) return fixed[visit.next++];
  const auto forced = graph.forced(visit.node);
  const std::size_t place = visit.next - fixed.size();
  if (place >= forced.size()) return kNone;
  ++visit.next;
  return forced[place];
}

class Components {
 public:
  explicit Components(const OrderGraph& graph)
      : graph_(graph), number_(graph.node_count(), 0), lowest_(graph.node_count(), 0) {}

  // Those with a cycle, smallest first.
  std::vector<std::vector<Node>> run() {
    for (Node root = 0; root < graph_.node_count(); ++root) {
      if (number_[root] == 0) explore(root);
    }
    std::ranges::sort(found_, [](const auto& a, const auto& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    return std::move(found_);
  }

 private:
  static constexpr std::uint32_t kClosed = 0xFFFFFFFF;

  void enter(Node node) {
    number_[node] = lowest_[node] = ++entered_;
    open_.push_back(node);
    path_.push_back({node, 0});
  }

  void explore(Node root) {
    enter(root);
    while (!path_.empty()) {
      const Node node = path_.back().node;
      const Node predecessor = next_predecessor(graph_, path_.back());
      if (predecessor == kNone) {
        leave(node);
      } else if (number_[predecessor] == 0) {
        enter(predecessor);
      } else if (number_[predecessor] != kClosed) {
        lowest_[node] = std::min(lowest_[node], number_[predecessor]);
      }
    }
  }

  void leave(Node node) {
    path_.pop_back();
    if (!path_.empty()) {
      const Node parent = path_.back().node;
      lowest_[parent] = std::min(lowest_[parent], lowest_[node]);
    }
    if (lowest_[node] != number_[node]) return;
    const auto first = std::ranges::find(open_.rbegin(), open_.rend(), node).base() - 1;
    for (auto closed = first; closed != open_.end(); ++closed) number_[*closed] = kClosed;
    if (open_.end() - first > 1) {
      found_.emplace_back(first, open_.end());
      std::ranges::sort(found_.back());
    }
    open_.erase(first, open_.end());
  }

  const OrderGraph& graph_;
  std::vector<std::uint32_t> number_;  // in order of entering, from 1
  std::vector<std::uint32_t> lowest_;  // reachable among open nodes, as far as known
  std::uint32_t entered_ = 0;
  std::vector<Node> open_;
  std::vector<Visit> path_;
  std::vector<std::vector<Node>> found_;
};

// Searches backwards from one node of a component after the other.
class WeakCycleSearch {
 public:
  WeakCycleSearch(const OrderGraph& graph, const ChainPredecessor& before)
      : graph_(graph),
        before_(before),
        component_(graph.node_count(), 0),
        met_for_(graph.node_count(), kNone),
        passed_for_(graph.real_count(), kNone),
        successor_(graph.node_count(), kNone) {}

  std::vector<Node> run(const std::vector<std::vector<Node>>& components) {
    std::uint32_t number = 0;
    for (const std::vector<Node>& component : components) {
      ++number;
      for (const Node node : component) component_[node] = number;
      for (const Node node : component) {
        if (!best_.empty() && (best_.size() == 2 || steps_ > kMostSteps)) return best_;
        if (graph_.is_real(node)) search(node);
      }
    }
    return best_;
  }

 private:
  void search(Node start) {
    met_for_[start] = start;
    level_ = {start};
    for (std::size_t length = 1; !level_.empty(); ++length) {
      if (!best_.empty() && length > best_.size()) return;
      next_.clear();
      // What auxiliary nodes lead to joins their level, before real nodes lead to the next one.
      // The level grows on the way. NOLINTNEXTLINE(modernize-loop-convert)
      for (std::size_t i = 0; i < level_.size(); ++i) {
        if (!graph_.is_real(level_[i])) expand(start, level_[i], length);
      }
      for (const Node node : level_) {
        if (graph_.is_real(node)) expand(start, node, length);
      }
      std::swap(level_, next_);
    }
  }

  // `length` real nodes are on a cycle that a real node of this level closes.
  void expand(Node start, Node node, std::size_t length) {
    const bool is_real = graph_.is_real(node);
    const std::size_t closing = is_real ? length : length - 1;
    Visit visit{node, 0};
    for (Node next = next_predecessor(graph_, visit); next != kNone;
         next = next_predecessor(graph_, visit)) {
      meet(start, next, node, closing);
    }
    if (!is_real) return;
    // What a later node of the chain has passed need not be passed again.
    for (Node next = before_(node); next != kInitialNode && passed_for_[next] != start;
         next = before_(next)) {
      passed_for_[next] = start;
      meet(start, next, node, closing);
    }
  }

  void meet(Node start, Node next, Node from, std::size_t closing) {
    ++steps_;
    if (next == start && (best_.empty() || closing < best_.size())) keep(start, from);
    if (component_[next] != component_[start] || met_for_[next] == start) return;
    met_for_[next] = start;
    successor_[next] = from;
    (graph_.is_real(from) ? next_ : level_).push_back(next);
  }

  void keep(Node start, Node node) {
    best_ = {start};
    for (; node != start; node = successor_[node]) {
      if (graph_.is_real(node)) best_.push_back(node);
    }
  }

  const OrderGraph& graph_;
  const ChainPredecessor& before_;
  std::vector<std::uint32_t> component_;  // 0: of none that was searched
  std::vector<Node> met_for_;             // the last start from which the node was met
  std::vector<Node> passed_for_;          // the last start for which a chain was passed here
  std::vector<Node> successor_;           // on the way to that start
  std::vector<Node> level_;
  std::vector<Node> next_;
  std::vector<Node> best_;
  std::size_t steps_ = 0;
};

}  // namespace

ArcsInto::ArcsInto(std::size_t nodes, std::span<const Arc> arcs) {
  begins_.assign(nodes + 1, 0);
  for (const Arc& arc : arcs) ++begins_[arc.to + 1];
  for (std::size_t node = 0; node < nodes; ++node) begins_[node + 1] += begins_[node];
  sources_.resize(arcs.size());
  // Filled from each end to its begin, so that the ends become the begins.
  for (std::size_t i = arcs.size(); i-- > 0;) sources_[--begins_[arcs[i].to + 1]] = arcs[i].from;
  begins_.erase(begins_.begin());
  begins_.push_back(static_cast<std::uint32_t>(arcs.size()));
}

void ArcsInto::reserve(std::size_t nodes, std::size_t arcs) {
  begins_.reserve(nodes + 1);
  sources_.reserve(arcs);
}

std::vector<Node> topological_order(const OrderGraph& graph, Meter& meter) {
  enum : std::uint8_t { unmet, open, left };
  std::vector<std::uint8_t> state(graph.node_count(), unmet);
  std::vector<Visit> path;
  std::vector<Node> order;
  order.reserve(graph.node_count());
  for (Node root = 0; root < graph.node_count(); ++root) {
    if (state[root] != unmet) continue;
    state[root] = open;
    path.push_back({root, 0});
    while (!path.empty()) {
      const Node next = next_predecessor(graph, path.back());
      if (next == kNone) {
        if (!meter.may_step()) return {};
        state[path.back().node] = left;
        order.push_back(path.back().node);
        path.pop_back();
      } else if (state[next] == open) {
        return {};
      } else if (state[next] == unmet) {
        state[next] = open;
        path.push_back({next, 0});
      }
    }
  }
  return order;
}

std::vector<Node> short_cycle(const OrderGraph& graph, const ChainPredecessor& before) {
  const std::vector<std::vector<Node>> components = Components(graph).run();
  HEDDLE_ASSERT(!components.empty());
  return WeakCycleSearch(graph, before).run(components);
}

}  // namespace heddle
