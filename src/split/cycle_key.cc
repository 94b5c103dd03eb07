#include "split/cycle_key.h"

#include <fmt/format.h>

namespace heddle::chopping {

std::string key_of(const FoundCycle& cycle,
                   const std::vector<std::vector<std::optional<std::size_t>>>& origins) {
  const auto node = [&](std::size_t index) {
    const FoundNode& of = cycle.nodes[index];
    const std::optional<std::size_t> origin =
        origins.empty() ? std::optional(of.statement) : origins[of.functionality][of.statement];
    return fmt::format("{}.{}", of.functionality, origin ? fmt::format("{}", *origin) : "new");
  };
  std::vector<std::string> edges;
  for (const FoundEdge& edge : cycle.edges) {
    edges.push_back(fmt::format("{} {} {} {};", node(edge.from), to_string(edge.kind),
                                node(edge.to), edge.table));
  }
  std::string least;
  for (std::size_t first = 0; first < edges.size(); ++first) {
    std::string rotated;
    for (std::size_t i = 0; i < edges.size(); ++i) rotated += edges[(first + i) % edges.size()];
    if (least.empty() || rotated < least) least = rotated;
  }
  return least;
}

}  // namespace heddle::chopping
