#include "split/search/best_cluster.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "split/search/clusters.h"
#include "split/search/explore_cuts.h"

namespace heddle::chopping {

namespace {

// Scores that differ by less are equal: sums in another order.
constexpr double kEqual = 1e-9;

struct Cluster {
  Partition partition;  // of tables
  double silhouette = 0;
};

// For each number of services that is asked for, the fewest first.
std::vector<Cluster> scored_clusters(const CutSearchOptions& options, const Units& units,
                                     const Distances& distances) {
  std::vector<Cluster> scored;
  for (const Partition& services : clusters_of(units, distances)) {
    const std::size_t count = services_of(services);
    if (count < 2 || count >= distances.size() || count > options.most_services) continue;
    if (!units.keeps_rules(services)) continue;
    const Partition partition = units.of_tables(services);
    scored.push_back({.partition = partition, .silhouette = silhouette_of(partition, distances)});
  }
  std::ranges::reverse(scored);  // the fewest services first
  return scored;
}

Diagnostic no_cluster(std::size_t tables, std::size_t most_services) {
  constexpr std::size_t kLeastTables = 3;
  const std::size_t most = std::min(most_services, tables - std::min<std::size_t>(tables, 1));
  return {.what = tables < kLeastTables
                      ? fmt::format("{} {} no clusters that could be held against each other",
                                    tables, tables == 1 ? "table makes" : "tables make")
                      : fmt::format("no clusters of tables into 2 to {} services keep to the rules",
                                    most),
          .what_to_do = "search without --by=silhouette, or change the rules",
          .trouble = Trouble::bad_input};
}

}  // namespace

Result<CutSearchReport> find_best_cluster(const Program& program, const CutSearchOptions& options,
                                          const Units& units, GroupCauseSearch& search,
                                          CutCosts& costs) {
  const std::vector<Cluster> clusters =
      scored_clusters(options, units, access_distances(search.forms(), program));
  if (clusters.empty()) return no_cluster(program.schema.tables.size(), options.most_services);
  CutSearchReport report;
  const Cluster* best = &clusters.front();
  for (const Cluster& cluster : clusters) {
    report.silhouettes.emplace(services_of(cluster.partition), cluster.silhouette);
    if (cluster.silhouette > best->silhouette + kEqual) best = &cluster;
  }
  report.front.push_back(
      {.cut = cut_of(best->partition, program.schema), .score = costs.search(best->partition)});
  add_levels(search.forms().levels(), best->partition, report.front.back());
  report.looked_at = clusters.size();
  finish_report(options, search, report);
  return report;
}

}  // namespace heddle::chopping
