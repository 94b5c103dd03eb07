#include "report/split/service_graph.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace heddle {

namespace {

using Pair = std::pair<std::size_t, std::size_t>;

class GraphBuilder {
 public:
  explicit GraphBuilder(const SplitReport& report) : schema_(report.chopped.program.schema) {
    for (const Service& service : report.cut.services) {
      for (const CutTable& table : service.tables) {
        nodes_.emplace(table.name, graph_.nodes.size());
        graph_.nodes.push_back(
            {.table = table.name, .service = graph_.services.size(), .alone = {}});
      }
      graph_.services.push_back(service.name);
    }
  }

  void add(const SplitCause& cause) {
    const std::set<Pair> pairs = pairs_of(cause);
    std::set<std::size_t> joined;
    for (const Pair& pair : pairs) {
      joined.insert({pair.first, pair.second});
      counts_[pair].add(cause);
    }
    for (const std::string& table : cause.tables) {
      const std::optional<std::size_t> node = node_of(table);
      if (node && !joined.contains(*node)) graph_.nodes[*node].alone.add(cause);
    }
  }

  ServiceGraph take() {
    for (const auto& [pair, count] : counts_) {
      graph_.edges.push_back({.from = pair.first, .to = pair.second, .count = count});
    }
    return std::move(graph_);
  }

 private:
  // Edges of a cycle that follow each other meet in a functionality.
  std::set<Pair> pairs_of(const SplitCause& cause) const {
    std::set<Pair> pairs;
    for (const FoundCycle& cycle : cause.cycles) {
      for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
        const auto in = node_of(cycle.edges[i].table);
        const auto out = node_of(cycle.edges[(i + 1) % cycle.edges.size()].table);
        if (in && out && *in != *out) pairs.insert(std::minmax(*in, *out));
      }
    }
    return pairs;
  }

  // None: no service owns it.
  std::optional<std::size_t> node_of(const std::string& table) const {
    const Table* known = find_table(schema_, table, schema_.dialect);
    const auto node = nodes_.find(known == nullptr ? table : known->name);
    return node == nodes_.end() ? std::nullopt : std::optional(node->second);
  }

  const Schema& schema_;
  ServiceGraph graph_;
  std::map<std::string, std::size_t> nodes_;
  std::map<Pair, CauseCount> counts_;
};

}  // namespace

ServiceGraph service_graph(const SplitReport& report) {
  GraphBuilder builder(report);
  for (const SplitCause& cause : report.causes) builder.add(cause);
  return builder.take();
}

}  // namespace heddle
