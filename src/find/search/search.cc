// find_anomalies(): for each set of functionalities the cycles that their statements may close; for
// each of these first what the levels say of its shape, then a formula about its rows and values.
//
// Two functionalities close most cycles; sets of three are searched for what needs three. A cycle
// in a loop may be placed on several rounds: the first placement that works stands for all.
#include "find/search/search.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "find/reference/relations.h"
#include "find/reference/search.h"
#include "find/search/cause_id.h"
#include "find/search/causes.h"
#include "find/search/search_groups.h"
#include "heddle/find.h"

namespace heddle {

namespace find {
namespace {

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
  for (const std::string& name : options.only) {
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

// Searches the sets from `first` to before `end`.
void search_sets(Search& search, const FindOptions& options, std::size_t first, std::size_t end) {
  std::mutex mutex;
  std::size_t done = first;
  run_parallel(end - first, options.jobs, [&](std::size_t i) {
    search.search(first + i);
    const std::scoped_lock lock(mutex);
    ++done;
    if (options.progress) options.progress(done, search.sets().size());
  });
}

}  // namespace

Search::Search(const Program& program, const FindOptions& options,
               std::vector<FunctionalityLevel> levels)
    : program_(program),
      options_(options),
      input_(prepare_search(program, options, std::move(levels))),
      sets_(groups_up_to(options.max_instances, input_.prepared.size())),
      results_(sets_.size()) {
  for (GroupResult& result : results_) result.is_complete = false;
  for (const Functionality& functionality : program.functionalities) {
    const bool is_listed =
        std::ranges::find(options.only, functionality.name) != options.only.end();
    is_asked_for_.push_back(options.only.empty() || is_listed);
  }
}

Result<std::unique_ptr<Search>> Search::prepare(const Program& program,
                                                const FindOptions& options) {
  Result<std::vector<FunctionalityLevel>> levels = checked_levels(program, options);
  if (!levels) return levels.error();
  return std::unique_ptr<Search>(new Search(program, options, *std::move(levels)));
}

void Search::search(std::size_t set) {
  const bool is_fast = options_.engine == FindEngine::fast;
  results_[set] = is_fast ? search_group(input_, shapes_, sets_[set])
                          : search_group_by_formula(input_, sets_[set]);
  if (!results_[set].is_complete && input_.is_late()) was_late_ = true;
}

FindReport Search::merge(const std::string& why_not) const {
  FindReport report;
  report.levels = input_.levels;
  report.constraints = options_.constraints.file;
  report.max_length = input_.max_length;
  report.max_instances = options_.max_instances;
  std::vector<FoundCycle> cycles;
  std::size_t unfinished = 0;
  for (const GroupResult& result : results_) {
    report.counts.groups += 1;
    report.counts.skeletons += result.counts.skeletons;
    report.counts.refuted += result.counts.refuted;
    report.counts.checks += result.counts.checks;
    report.counts.undecided += result.counts.undecided;
    if (!result.is_complete) ++unfinished;
    cycles.insert(cycles.end(), result.cycles.begin(), result.cycles.end());
  }
  if (unfinished > 0) {
    const bool was_late = was_late_ || input_.is_late();
    const std::string reason = was_late ? reason_to_stop() : "the solver's bound";
    const bool is_one = unfinished == 1;
    report.bound = fmt::format("{}: {} of {} {} of functionalities {} not searched to {} end",
                               why_not.empty() ? reason : why_not, unfinished, results_.size(),
                               results_.size() == 1 ? "set" : "sets", is_one ? "was" : "were",
                               is_one ? "its" : "their");
  }
  report.causes = group_causes(std::move(cycles));
  std::erase_if(report.causes, [&](const FoundCause& cause) {
    return std::ranges::none_of(cause.cores.front().nodes, [&](const FoundNode& node) {
      return is_asked_for_[node.functionality];
    });
  });
  name_causes(program_, report.causes);
  return report;
}

// The larger sets wait for the smaller ones.
Result<FindReport> find_selected(const Program& program, const FindOptions& options,
                                 const Selection& selection) {
  Result<std::unique_ptr<Search>> prepared = Search::prepare(program, options);
  if (!prepared) return prepared.error();
  Search& search = **prepared;
  const std::vector<std::vector<std::size_t>>& sets = search.sets();
  for (std::size_t first = 0; first < sets.size();) {
    std::size_t end = first;
    while (end < sets.size() && sets[end].size() == sets[first].size()) ++end;
    search_sets(search, options, first, end);
    for (; first < end; ++first) selection.found(search.cycles(first));
    search.admit(selection.admits);
  }
  return search.merge();
}

}  // namespace find

Result<FindReport> find_anomalies(const Program& program, const FindOptions& options) {
  const Result<std::unique_ptr<find::Search>> search = find::Search::prepare(program, options);
  if (!search) return search.error();
  find::search_sets(**search, options, 0, (*search)->sets().size());
  return (*search)->merge();
}

}  // namespace heddle
