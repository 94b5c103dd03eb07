// find_anomalies(): for each set of functionalities the cycles that their statements may close; for
// each of these first what the levels say of its shape, then a formula about its rows and values.
//
// Two functionalities close most cycles; sets of three are searched for what needs three. A cycle
// in a loop may be placed on several rounds: the first placement that works stands for all.
#include "find/search.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/parallel.h"
#include "find/cause_id.h"
#include "find/causes.h"
#include "find/group_search.h"
#include "find/reference_relations.h"
#include "find/reference_search.h"
#include "find/search_groups.h"
#include "heddle/find.h"

namespace heddle {

namespace find {
namespace {

class Search {
 public:
  Search(const Program& program, const FindOptions& options, std::vector<FunctionalityLevel> levels)
      : program_(program),
        options_(options),
        input_(prepare_search(program, options, std::move(levels))),
        groups_(groups_up_to(options.max_instances, input_.prepared.size())),
        results_(groups_.size()) {}

  FindReport run() {
    search(0, groups_.size());
    return merge(results_);
  }

  // The larger sets wait for the smaller ones.
  FindReport run(const Selection& selection) {
    for (std::size_t first = 0; first < groups_.size();) {
      const std::size_t size = groups_[first].size();
      std::size_t end = first;
      while (end < groups_.size() && groups_[end].size() == size) ++end;
      search(first, end);
      for (; first < end; ++first) selection.found(results_[first].cycles);
      input_.admits = selection.admits;
    }
    return merge(results_);
  }

 private:
  void search(std::size_t first, std::size_t end) {
    std::mutex mutex;
    std::size_t done = first;
    run_parallel(end - first, options_.jobs, [&](std::size_t i) {
      const std::vector<std::size_t>& group = groups_[first + i];
      results_[first + i] = options_.engine == FindEngine::fast
                                ? search_group(input_, shapes_, group)
                                : search_group_by_formula(input_, group);
      const std::scoped_lock lock(mutex);
      ++done;
      if (options_.progress) options_.progress(done, groups_.size());
    });
  }

  FindReport merge(std::vector<GroupResult>& results) const {
    FindReport report;
    report.levels = input_.levels;
    report.constraints = options_.constraints.file;
    report.max_length = input_.max_length;
    report.max_instances = options_.max_instances;
    std::vector<FoundCycle> cycles;
    std::size_t unfinished = 0;
    for (GroupResult& result : results) {
      report.counts.groups += 1;
      report.counts.skeletons += result.counts.skeletons;
      report.counts.refuted += result.counts.refuted;
      report.counts.checks += result.counts.checks;
      report.counts.undecided += result.counts.undecided;
      if (!result.is_complete) ++unfinished;
      for (FoundCycle& cycle : result.cycles) cycles.push_back(std::move(cycle));
    }
    if (unfinished > 0) {
      const bool is_one = unfinished == 1;
      report.bound = fmt::format("{}: {} of {} {} of functionalities {} not searched to {} end",
                                 interrupted()      ? "interrupted"
                                 : input_.is_late() ? "--timeout"
                                                    : "the solver's bound",
                                 unfinished, results.size(), results.size() == 1 ? "set" : "sets",
                                 is_one ? "was" : "were", is_one ? "its" : "their");
    }
    report.causes = group_causes(std::move(cycles));
    name_causes(program_, report.causes);
    return report;
  }

  const Program& program_;
  const FindOptions& options_;
  SearchInput input_;
  std::vector<std::vector<std::size_t>> groups_;  // the smaller first
  std::vector<GroupResult> results_;
  Shapes shapes_;
};

// The level that the code sets, as its database means it.
std::optional<IsolationLevel> stated_level(const Functionality& functionality, Dialect dialect) {
  for (const ListedStatement& listed : list_statements(functionality)) {
    const Statement& statement = listed.statement->statement;
    if (!statement.isolation) continue;
    const std::string product = dialect == Dialect::mysql ? "mariadb:" : "postgres:";
    if (auto level = find_isolation_level(product + *statement.isolation)) return level;
    // PostgreSQL has no level of its own for it.
    if (*statement.isolation == "read uncommitted") return IsolationLevel::postgres_read_committed;
  }
  return std::nullopt;
}

IsolationLevel fallback_level(Dialect dialect) {
  return dialect == Dialect::mysql    ? IsolationLevel::mariadb_repeatable_read
         : dialect == Dialect::sqlite ? IsolationLevel::serializable
                                      : IsolationLevel::postgres_read_committed;
}

FunctionalityLevel level_of(const Functionality& functionality, const Program& program,
                            const FindOptions& options) {
  const auto own = options.levels.find(functionality.name);
  if (own != options.levels.end()) return {own->second, LevelOrigin::given};
  if (options.level) return {*options.level, LevelOrigin::given};
  if (const auto stated = stated_level(functionality, program.schema.dialect)) {
    return {*stated, LevelOrigin::stated};
  }
  return {fallback_level(program.schema.dialect), LevelOrigin::fallback};
}

// A level of the functionality's that the reference engine does not know.
std::optional<Diagnostic> trouble_for_reference(const Program& program, const FindOptions& options,
                                                const std::vector<FunctionalityLevel>& levels,
                                                std::size_t functionality) {
  std::vector<IsolationLevel> all = {levels[functionality].level};
  if (functionality < options.levels_of_statements.size()) {
    for (const auto& level : options.levels_of_statements[functionality]) {
      if (level) all.push_back(*level);
    }
  }
  for (const IsolationLevel level : all) {
    const auto unsupported = unsupported_axiom(level);
    if (!unsupported) continue;
    return Diagnostic{
        .what = fmt::format("the reference engine does not know the axiom \"{}\" of {}, the level "
                            "of {}",
                            definition(*unsupported).name, definition(level).name,
                            program.functionalities[functionality].name),
        .what_to_do = "--isolation=LEVEL with an abstract level such as read-committed"};
  }
  return std::nullopt;
}

// Functionalities across transactions have neither a product's locks and snapshots nor a clock.
std::optional<Diagnostic> trouble_with_across(const FindOptions& options) {
  if (!options.across) return std::nullopt;
  const LevelDefinition& of = definition(*options.across);
  const auto has = [&](Axiom axiom) {
    return std::ranges::find(of.axioms, axiom) != of.axioms.end();
  };
  const bool is_product = of.name.find(':') != std::string_view::npos;
  if (is_product || has(Axiom::real_time_order) || has(Axiom::quiescent_order)) {
    return Diagnostic{
        .what = fmt::format("{} is no guarantee across transactions: it is told by {}", of.name,
                            is_product ? "what a product does inside of one" : "a clock"),
        .what_to_do = "use an abstract level: causal, read-committed, snapshot, serializable"};
  }
  const auto unsupported = unsupported_axiom(*options.across);
  if (options.engine != FindEngine::reference || !unsupported) return std::nullopt;
  return Diagnostic{.what = fmt::format("the reference engine does not know the axiom \"{}\" of "
                                        "{}, the guarantee across transactions",
                                        definition(*unsupported).name, of.name),
                    .what_to_do = "use an abstract level such as read-committed"};
}

// The level of each functionality. Errors: find_anomalies()'s.
Result<std::vector<FunctionalityLevel>> checked_levels(const Program& program,
                                                       const FindOptions& options) {
  for (const auto& [name, level] : options.levels) {
    if (std::ranges::find(program.functionalities, name, &Functionality::name) ==
        program.functionalities.end()) {
      return Diagnostic{.what = fmt::format("there is no functionality \"{}\"", name),
                        .what_to_do = "--list-statements shows their names"};
    }
  }
  if (auto trouble = trouble_with(options.constraints, program)) return *std::move(trouble);
  if (auto trouble = trouble_with_across(options)) return *std::move(trouble);
  std::vector<FunctionalityLevel> levels;
  for (const Functionality& functionality : program.functionalities) {
    levels.push_back(level_of(functionality, program, options));
  }
  if (options.engine == FindEngine::reference) {
    if (!options.constraints.facts.empty()) {
      return Diagnostic{.what = "the reference engine does not know facts of the initial rows",
                        .what_to_do = "leave out what the file says of them, or --engine=reference",
                        .file = options.constraints.file,
                        .position = options.constraints.facts.front().position};
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (auto trouble = trouble_for_reference(program, options, levels, i)) {
        return *std::move(trouble);
      }
    }
  }
  return levels;
}

}  // namespace

Result<FindReport> find_selected(const Program& program, const FindOptions& options,
                                 const Selection& selection) {
  Result<std::vector<FunctionalityLevel>> levels = checked_levels(program, options);
  if (!levels) return levels.error();
  return Search(program, options, *std::move(levels)).run(selection);
}

}  // namespace find

Result<FindReport> find_anomalies(const Program& program, const FindOptions& options) {
  Result<std::vector<FunctionalityLevel>> levels = find::checked_levels(program, options);
  if (!levels) return levels.error();
  return find::Search(program, options, *std::move(levels)).run();
}

}  // namespace heddle
