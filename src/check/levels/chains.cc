#include "check/levels/chains.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace heddle {

namespace {
constexpr std::uint32_t kNoChain = 0xFFFFFFFF;
}

Chains::Chains(const LevelShape& shape, std::size_t nodes, std::span<const KnownEdge> edges,
               std::span<const Point> order)
    : chain_of_(nodes, kNoChain), place_of_(nodes, 0) {
  std::vector<std::vector<Node>> offers;  // per node, whom it may follow; session order first
  offers.resize(nodes);
  for (const KnownEdge& edge : edges) {
    if (edge.kind == DependencyKind::so) offers[edge.to].push_back(edge.from);
  }
  for (const KnownEdge& edge : edges) {
    if (edge.kind == DependencyKind::wr) offers[edge.to].push_back(edge.from);
  }
  std::vector<Node> last;  // per chain
  for (const Point point : order) {
    const Node node = shape.node_of(point);
    if (point != shape.begin(node)) continue;
    const auto before = std::ranges::find_if(
        offers[node], [&](Node offer) { return last[chain_of_[offer]] == offer; });
    if (before == offers[node].end()) {
      chain_of_[node] = count_++;
      last.push_back(node);
    } else {
      chain_of_[node] = chain_of_[*before];
      place_of_[node] = place_of_[*before] + 1;
      last[chain_of_[node]] = node;
    }
  }
  number_from_longest(last);
}

void Chains::number_from_longest(const std::vector<Node>& last) {
  std::vector<std::uint32_t> chains(count_);
  std::iota(chains.begin(), chains.end(), 0);
  std::ranges::stable_sort(chains, std::greater<>(),
                           [&](std::uint32_t chain) { return place_of_[last[chain]]; });
  std::vector<std::uint32_t> number(count_);
  for (std::uint32_t i = 0; i < count_; ++i) number[chains[i]] = i;
  for (std::uint32_t& chain : chain_of_) chain = number[chain];
}

void ChainClocks::compute(const LevelShape& shape, const Chains& chains, std::size_t tracked,
                          const PointGraph& graph, std::span<const Point> order) {
  tracked_ = tracked;
  clocks_.assign(graph.size() * tracked_, 0);
  for (const Point point : order) {
    const Node node = shape.node_of(point);
    const std::uint32_t chain = chains.chain_of(node);
    if (chain < tracked_) {
      std::uint32_t& clock = clocks_[std::size_t{point} * tracked_ + chain];
      clock = std::max(clock, chains.position(shape, point));
    }
    if (shape.split && point == shape.begin(node)) merge(point, point + 1);
    for (const Point next : graph.heads(point)) merge(point, next);
  }
}

void ChainClocks::merge(Point from, Point into) {
  const std::uint32_t* const source = clocks_.data() + std::size_t{from} * tracked_;
  std::uint32_t* const target = clocks_.data() + std::size_t{into} * tracked_;
  for (std::size_t chain = 0; chain < tracked_; ++chain) {
    target[chain] = std::max(target[chain], source[chain]);
  }
}

}  // namespace heddle
