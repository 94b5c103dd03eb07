#include "split/cycles/cycle_key.h"

#include <fmt/format.h>

#include "find/search/cycles.h"

namespace heddle::chopping {

std::string cycle_key(const std::vector<KeyEdge>& edges, const StatementNumbers& number) {
  const auto name = [&](std::size_t functionality, std::size_t statement) {
    const std::optional<std::size_t> of = number(functionality, statement);
    return fmt::format("{}.{}", functionality, of ? fmt::format("{}", *of) : "new");
  };
  std::vector<std::string> texts;
  for (const KeyEdge& edge : edges) {
    texts.push_back(fmt::format("{} {} {} {};", name(edge.from_functionality, edge.from_statement),
                                to_string(edge.kind),
                                name(edge.to_functionality, edge.to_statement), edge.table));
  }
  return find::least_rotation(texts);
}

std::string cycle_key(const FoundCycle& cycle, const StatementNumbers& number) {
  std::vector<KeyEdge> edges;
  for (const FoundEdge& edge : cycle.edges) {
    const FoundNode& from = cycle.nodes[edge.from];
    const FoundNode& to = cycle.nodes[edge.to];
    edges.push_back({.from_functionality = from.functionality,
                     .from_statement = from.statement,
                     .kind = edge.kind,
                     .to_functionality = to.functionality,
                     .to_statement = to.statement,
                     .table = edge.table});
  }
  return cycle_key(edges, number);
}

}  // namespace heddle::chopping
