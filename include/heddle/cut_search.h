/// Cuts held against each other, and looked for.
///
///   Result<CutComparison> comparison = compare_cuts(*program, {cut, other}, SplitOptions{});
///   Result<CutSearchReport> report = search_cuts(*program, CutSearchOptions{.most_services = 3});
///   for (const ScoredCut& best : report->front) use(best.cut, best.score.cores);
///
/// What a set of functionalities allows depends on where the cut divides these alone, so that most
/// of what one cut takes to search stands for hundreds of others, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/finding.h"
#include "heddle/isolation.h"
#include "heddle/program.h"
#include "heddle/result.h"
#include "heddle/split.h"

namespace heddle {

/// What a cut costs. The last two are the scores that plans for services usually go by.
struct CutScore {
  std::size_t services = 0;
  std::size_t cores = 0;   ///< causes that the cut adds, as SplitReport has them, and are cores
  std::size_t causes = 0;  ///< all
  std::map<AnomalyKind, std::size_t> kinds = {};  ///< of the causes; empty where only counted
  /// How often a run hands over from one service to another at most, of all functionalities
  /// together; with as many rounds of each loop as are searched.
  std::size_t calls = 0;
  /// How much more a table has in common with those of its service than with those of the next one,
  /// by the functionalities that use them (Jaccard), on average: -1 to 1 (Rousseeuw, 1987). 0: one
  /// service.
  double silhouette = 0;
  /// Of the cores: how many need which guarantee across services (SplitCause::needs), and what
  /// became of them on a store. Empty: nobody asked.
  std::map<IsolationLevel, std::size_t> needs = {};
  std::map<FindingStatus, std::size_t> executed = {};
  /// That are not refuted, as FailureReport has them; none: nobody asked.
  std::optional<std::size_t> failures = {};
};

/// A cut and what it costs.
struct ScoredCut {
  Cut cut;
  CutScore score;
  /// Of services that have one of their own, by name.
  std::map<std::string, IsolationLevel> levels = {};
};

struct CutComparison {
  std::vector<ScoredCut> cuts;                ///< in the order they were given
  std::size_t max_length = 4;                 ///< of a cycle, in operations
  std::size_t max_instances = 3;              ///< of a cycle, in functionalities that run
  std::size_t max_prefix = 0;                 ///< calls before a cycle
  std::string bound;                          ///< which limit was hit; empty: none
  std::optional<IsolationLevel> across = {};  ///< what is guaranteed across services, if anything
};

/// Searches each cut, and what they have in common once. SplitOptions::levels name services that
/// some of the cuts have. Errors: as match_cut() and find_anomalies(); bad_input for the level of a
/// service that no cut has.
Result<CutComparison> compare_cuts(const Program& program, const std::vector<Cut>& cuts,
                                   const SplitOptions& options);

/// Says of each table and each other service how many of the report's causes are gone where the
/// table moves there. By the borders that are left, as search_cuts() weighs cuts. What is worth
/// nothing is left out; of two services with a table each only one way stands there.
void weigh_merges(const Program& program, const SplitOptions& options, SplitReport& report);

/// What a cut must keep to. Tables by name, as the program's dialect compares them.
struct CutRules {
  std::vector<std::vector<std::string>> together;  ///< of each: all in one service
  std::vector<std::vector<std::string>> apart;     ///< of each: no two in one service
  std::size_t least_tables = 1;                    ///< of a service
};

enum class CutExploration : std::uint8_t {
  automatic,   ///< all cuts where there are at most eight tables, else local search
  local,       ///< from clusters of tables to ever better neighbours
  exhaustive,  ///< all cuts
};

enum class CutMeasure : std::uint8_t {
  costs,  ///< what nothing beats by services, cores and calls
  /// The highest silhouette (Rousseeuw, 1987) of clusters of tables (agglomerative, average
  /// linkage), of each number of services from two to one fewer than there are tables. The distance
  /// from a table to another one: the share of the functionalities using the first that do not use
  /// the other, 1 where nothing uses the first.
  silhouette,
};

struct CutSearchOptions {
  SplitOptions split = {};
  std::size_t most_services = 3;
  CutExploration exploration = CutExploration::automatic;
  CutMeasure measure = CutMeasure::costs;
  CutRules rules = {};
  /// Cuts looked at; may be empty. One thread.
  std::function<void(std::size_t)> progress = {};
};

struct CutSearchReport {
  /// Cuts of which no other has as many services or more, and neither more cores nor more calls,
  /// and is better in one of these. One for each such triple; the fewest services first.
  std::vector<ScoredCut> front;
  /// By CutMeasure::silhouette: that of the cluster with so many services. `front` has the one with
  /// the highest, and of equal ones the one with the fewest services. Empty: by costs.
  std::map<std::size_t, double> silhouettes = {};
  std::size_t looked_at = 0;      ///< cuts
  std::size_t possible = 0;       ///< cuts that keep to the rules; 0: nobody has counted them
  std::size_t searches = 0;       ///< of sets of functionalities
  std::size_t max_length = 4;     ///< of a cycle, in operations
  std::size_t max_instances = 3;  ///< of a cycle, in functionalities that run
  std::size_t max_prefix = 0;     ///< calls before a cycle
  std::string bound;              ///< which limit was hit; empty: none
  std::optional<IsolationLevel> across = {};  ///< what is guaranteed across services, if anything
};

/// Looks for the best cuts into at most so many services. Cuts are weighed by the cycles that their
/// borders may let through, of those that are possible where every table is a service of its own;
/// what is in the front has been searched. SplitOptions::levels name tables, as the services that
/// are looked for have no names: a table's service runs at its level, and tables of different
/// levels are apart. Errors: bad_input for rules that no cut keeps to or that name what the program
/// does not have, by CutMeasure::silhouette also for those that no cluster keeps to; as
/// find_anomalies().
Result<CutSearchReport> search_cuts(const Program& program, const CutSearchOptions& options);

}  // namespace heddle
