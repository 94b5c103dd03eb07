// Which cuts are worth a look. Cuts are weighed by borders: a cycle that is possible where every
// table is a service of its own stays one if the cut has it enter a functionality in one
// sub-transaction and leave it in an earlier one. That is quick, and never too few; what comes into
// the front is searched, and weighed anew by what was found, until all of the front has been. Where
// there are too many cuts to look at all, clusters of tables that are used together are where
// Pareto local search begins (Paquete et al., "Pareto local optimum sets in the biobjective
// traveling salesman problem", 2004), with descents from them and from shuffled cuts for several
// weightings of cores against calls.
#include "split/search/explore_cuts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "find/terms/search_input.h"
#include "split/search/clusters.h"
#include "split/search/front.h"

namespace heddle::chopping {

namespace {

constexpr std::size_t kFewUnits = 8;

class CutSearch {
 public:
  CutSearch(const Program& program, const CutSearchOptions& options, const Units& units,
            GroupCauseSearch& search, CutCosts& costs)
      : program_(program), options_(options), units_(units), search_(search), costs_(costs) {}

  Result<CutSearchReport> run() {
    const bool looks_at_all =
        options_.exploration == CutExploration::exhaustive ||
        (options_.exploration == CutExploration::automatic && units_.tables.size() <= kFewUnits);
    if (looks_at_all) {
      look_at_all();
    } else {
      look_around();
    }
    if (weights_.empty() && !is_late()) {
      return Diagnostic{.what = fmt::format("no cut into at most {} {} keeps to the rules",
                                            options_.most_services,
                                            options_.most_services == 1 ? "service" : "services"),
                        .what_to_do = "allow more services, or leave a rule out"};
    }
    search_front();
    return report();
  }

 private:
  bool is_late() const { return interrupted() || search_.is_late(); }

  // None: it does not keep to the rules.
  std::optional<Weight> weigh(const Partition& services) {
    const auto known = weights_.find(services);
    if (known != weights_.end()) return known->second;
    if (!units_.keeps_rules(services)) return std::nullopt;
    const CutScore score = costs_.estimate(units_.of_tables(services));
    const Weight weight{.services = score.services, .cores = score.cores, .calls = score.calls};
    weights_.emplace(services, weight);
    if (options_.progress) options_.progress(weights_.size());
    return weight;
  }

  void look_at_all() {
    for_each_partition(units_.tables.size(), options_.most_services,
                       [&](const Partition& services) {
                         weigh(services);
                         return !is_late();
                       });
    if (!is_late()) possible_ = weights_.size();
  }

  void look_around() {
    for (const Partition& start : starts()) {
      for (const auto& [cores, calls] : kWeightings) descend(start, cores, calls);
    }
    widen();
  }

  struct Weighting {
    std::size_t cores;
    std::size_t calls;
  };
  static constexpr Weighting kWeightings[] = {{1, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 1}};

  // Clusters of every number of services, and shuffled cuts.
  std::vector<Partition> starts() {
    constexpr std::size_t kShuffled = 4;
    std::set<Partition> starts;
    const std::vector<Partition> clusters =
        clusters_of(units_, table_distances(search_.forms(), program_));
    std::mt19937 random(1);
    for (std::size_t services = 1; services <= options_.most_services; ++services) {
      for (const Partition& partition : clusters) {
        if (services_of(partition) == services) add_start(partition, starts);
      }
      for (std::size_t i = 0; i < kShuffled; ++i) {
        Partition shuffled(units_.tables.size());
        for (std::size_t& service : shuffled) service = random() % services;
        add_start(in_order(shuffled), starts);
      }
    }
    return {starts.begin(), starts.end()};
  }

  // Or, where that breaks rules, one near it that does not.
  void add_start(const Partition& partition, std::set<Partition>& starts) {
    constexpr std::size_t kMostSteps = 2000;
    std::vector<Partition> next = {partition};
    std::set<Partition> seen = {partition};
    for (std::size_t i = 0; i < next.size() && i < kMostSteps; ++i) {
      if (units_.keeps_rules(next[i])) {
        starts.insert(next[i]);
        return;
      }
      for (Partition& neighbour : neighbours_of(next[i], options_.most_services)) {
        if (seen.insert(neighbour).second) next.push_back(std::move(neighbour));
      }
    }
  }

  // To the best neighbour with as many services, as long as there is a better one.
  void descend(Partition at, std::size_t cores, std::size_t calls) {
    const auto cost = [&](const Weight& weight) {
      return std::pair(weight.cores * cores + weight.calls * calls, weight.cores + weight.calls);
    };
    std::optional<Weight> weight = weigh(at);
    while (weight && !is_late()) {
      std::optional<Partition> best;
      auto least = cost(*weight);
      for (Partition& neighbour : neighbours_of(at, options_.most_services)) {
        if (services_of(neighbour) != services_of(at)) continue;
        const std::optional<Weight> other = weigh(neighbour);
        if (!other || cost(*other) >= least) continue;
        least = cost(*other);
        best = std::move(neighbour);
      }
      if (!best) return;
      at = std::move(*best);
      weight = weigh(at);
    }
  }

  // The neighbours of all that is in the front, also of several of one weight.
  void widen() {
    constexpr std::size_t kMostEqual = 20;
    std::set<Partition> seen;
    for (bool is_new = true; is_new && !is_late();) {
      is_new = false;
      const std::map<Weight, Partition> front = front_of(weights_);
      std::map<Weight, std::vector<Partition>> equal;
      for (const auto& [services, weight] : weights_) {
        if (!front.contains(weight)) continue;
        if (equal[weight].size() < kMostEqual) equal[weight].push_back(services);
      }
      for (const auto& [weight, partitions] : equal) {
        for (const Partition& partition : partitions) {
          if (!seen.insert(partition).second || is_late()) continue;
          is_new = true;
          for (const Partition& neighbour : neighbours_of(partition, options_.most_services)) {
            weigh(neighbour);
          }
        }
      }
    }
  }

  // Until what is in the front has been searched.
  void search_front() {
    for (bool is_new = true; is_new && !is_late();) {
      is_new = false;
      for (const auto& [weight, services] : front_of(weights_)) {
        if (scores_.contains(services) || is_late()) continue;
        is_new = true;
        const CutScore score = costs_.search(units_.of_tables(services));
        weights_[services] = {
            .services = score.services, .cores = score.cores, .calls = score.calls};
        scores_.emplace(services, score);
      }
    }
  }

  CutSearchReport report() {
    CutSearchReport report;
    for (const auto& [weight, services] : front_of(weights_)) {
      const auto score = scores_.find(services);
      if (score == scores_.end()) continue;
      const Partition partition = units_.of_tables(services);
      report.front.push_back({.cut = cut_of(partition, program_.schema), .score = score->second});
      add_levels(search_.forms().levels(), partition, report.front.back());
    }
    report.looked_at = weights_.size();
    report.possible = possible_;
    finish_report(options_, search_, report);
    return report;
  }

  const Program& program_;
  const CutSearchOptions& options_;
  const Units& units_;
  GroupCauseSearch& search_;
  CutCosts& costs_;
  std::map<Partition, Weight> weights_;   // of units; what has been searched has what was found
  std::map<Partition, CutScore> scores_;  // of what has been searched
  std::size_t possible_ = 0;
};

}  // namespace

void add_levels(const ServiceLevels& levels, const Partition& partition, ScoredCut& scored) {
  const std::vector<IsolationLevel> of_tables = levels.in(partition);
  for (std::size_t i = 0; i < partition.size(); ++i) {
    if (of_tables[i] == levels.within) continue;
    scored.levels.emplace(scored.cut.services[partition[i]].name, of_tables[i]);
  }
}

void finish_report(const CutSearchOptions& options, const GroupCauseSearch& search,
                   CutSearchReport& report) {
  report.across = options.split.find.across;
  report.searches = search.searches();
  report.max_length = search.max_length();
  report.max_instances = options.split.find.max_instances;
  report.max_prefix = search.max_prefix();
  if (interrupted() || search.is_late()) {
    report.bound = fmt::format("{}: not all cuts were looked at", find::reason_to_stop());
  } else if (!search.is_complete()) {
    report.bound = "the solver's bound: some sets of functionalities were not searched to the end";
  }
}

Result<CutSearchReport> explore_cuts(const Program& program, const CutSearchOptions& options,
                                     const Units& units, GroupCauseSearch& search,
                                     CutCosts& costs) {
  return CutSearch(program, options, units, search, costs).run();
}

}  // namespace heddle::chopping
