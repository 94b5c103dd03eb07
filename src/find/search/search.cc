// find_anomalies(): for each set of functionalities the cycles that their statements may close; for
// each of these first what the levels say of its shape, then a formula about its rows and values.
//
// Two functionalities close most cycles; sets of three are searched for what needs three. A cycle
// in a loop may be placed on several rounds: the first placement that works stands for all.
#include "find/search/search.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "find/reference/relations.h"
#include "find/reference/search.h"
#include "find/search/cause_id.h"
#include "find/search/causes.h"
#include "find/search/search_groups.h"
#include "find/search/wider.h"
#include "heddle/find.h"
#include "program/connections.h"
#include "program/redis_commands.h"

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
    if (program::uses_redis(program)) {
      return Diagnostic{.what = "the reference engine knows one store, and this program uses Redis",
                        .what_to_do = "leave out --engine=reference",
                        .file = "",
                        .position = {},
                        .trouble = Trouble::bad_input};
    }
    for (const Functionality& functionality : program.functionalities) {
      if (!program::uses_several_connections(functionality)) continue;
      return Diagnostic{.what = fmt::format("the reference engine knows one connection, and {} has "
                                            "transactions open on several at the same time",
                                            functionality.name),
                        .what_to_do = "leave out --engine=reference",
                        .file = "",
                        .position = {},
                        .trouble = Trouble::bad_input};
    }
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

// Searches the sets of at most so many functionalities that nobody has searched.
void search_sets(Search& search, const FindOptions& options, std::size_t most = SIZE_MAX) {
  std::mutex mutex;
  std::uint64_t done = 0;
  const std::size_t jobs =
      options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  run_parallel(jobs, jobs, [&](std::size_t /*worker*/) {
    std::unique_lock lock(mutex);
    while (!search.is_late()) {
      const std::optional<FunctionalitySet> set = search.next(most);
      if (!set) return;
      lock.unlock();
      search.search(*set);
      lock.lock();
      ++done;
      if (options.progress) options.progress(done, search.count());
    }
  });
}

// By functionality: FindOptions::only.
std::vector<bool> asked_for(const Program& program, const FindOptions& options) {
  std::vector<bool> all;
  for (const Functionality& functionality : program.functionalities) {
    const bool is_listed =
        std::ranges::find(options.only, functionality.name) != options.only.end();
    all.push_back(options.only.empty() || is_listed);
  }
  return all;
}

// Of the search that `input` is for.
GroupSequence::Members members_of(const SearchInput& input, const std::vector<bool>& is_asked_for) {
  const std::size_t count = input.prepared.size();
  GroupSequence::Members members{.may_meet = {}, .order = {}, .wanted = is_asked_for};
  std::vector<std::size_t> costs;
  for (std::size_t i = 0; i < count; ++i) {
    members.may_meet.emplace_back();
    for (std::size_t j = 0; j < count; ++j) {
      members.may_meet.back().push_back(input.conflicts->may_conflict(i, j));
    }
    std::size_t cost = 0;
    for (const FormedStatement& one : input.prepared[i].statements) {
      cost += std::max<std::size_t>(1, one.form.sources.size());
    }
    costs.push_back(cost);
    members.order.push_back(i);
  }
  std::ranges::stable_sort(members.order, {}, [&](std::size_t i) { return costs[i]; });
  return members;
}

}  // namespace

Search::Search(const Program& program, const FindOptions& options,
               std::vector<FunctionalityLevel> levels, Larger larger)
    : program_(program),
      options_(options),
      is_asked_for_(asked_for(program, options)),
      input_(prepare_search(program, options, std::move(levels))),
      sequence_(larger == Larger::all_cycles ? options.max_instances
                                             : std::min(options.max_instances, kSearchedWhole),
                members_of(input_, is_asked_for_)),
      searched_size_(larger == Larger::all_cycles ? options.max_instances : kSearchedWhole) {
  for (std::size_t i = 0; i < program.functionalities.size(); ++i) {
    if (is_asked_for_[i] && is_session(input_, i)) lone_.push_back(i);
  }
  wider_ = wider_bounds(input_);
  if (wider_) wider_sequence_.emplace(wider_->instances, members_of(input_, is_asked_for_));
}

Result<std::unique_ptr<Search>> Search::prepare(const Program& program, const FindOptions& options,
                                                Larger larger) {
  Result<std::vector<FunctionalityLevel>> levels = checked_levels(program, options);
  if (!levels) return levels.error();
  // The reference engine asks about a set in one formula.
  if (options.engine == FindEngine::reference) larger = Larger::all_cycles;
  return std::unique_ptr<Search>(new Search(program, options, *std::move(levels), larger));
}

std::optional<FunctionalitySet> Search::next(std::size_t most) {
  if (given_ < lone_.size()) {
    const std::size_t session = lone_[given_];
    return FunctionalitySet{.number = given_++, .members = {session}};
  }
  if (!pending_) pending_ = next_members();
  if (!pending_ || pending_->size() > most) return std::nullopt;
  FunctionalitySet set{
      .number = given_++, .members = *std::move(pending_), .is_wider = wider_input_.has_value()};
  pending_.reset();
  return set;
}

std::optional<std::vector<std::size_t>> Search::next_members() {
  if (longer_count_ == 0) return (wider_input_ ? *wider_sequence_ : sequence_).next();
  if (longer_.empty()) return std::nullopt;
  std::vector<std::size_t> members = std::move(longer_.front());
  longer_.pop_front();
  return members;
}

std::vector<FoundCycle> Search::found_so_far() const {
  std::vector<FoundCycle> known;
  for (const auto& [number, found] : found_) {
    known.insert(known.end(), found.cycles.begin(), found.cycles.end());
  }
  return known;
}

bool Search::widen() {
  const std::scoped_lock lock(mutex_);
  if (!wider_ || wider_input_) return lengthen();
  wider_input_.emplace(input_);
  wider_input_->max_length = std::max(input_.max_length, wider_->length);
  wider_input_->is_closed = true;
  wider_input_->admits = beyond(input_, found_so_far());
  return true;
}

// To the sets of the next size that has some.
bool Search::lengthen() {
  if (searched_size_ >= options_.max_instances) return false;
  wider_input_.emplace(input_);
  leave_out(*wider_input_, found_so_far());
  while (searched_size_ < options_.max_instances) {
    CycleSets next = sets_with_cycles(*wider_input_, searched_size_ + 1);
    std::erase_if(next.sets, [&](const std::vector<std::size_t>& set) {
      return std::ranges::none_of(set, [&](std::size_t member) { return is_asked_for_[member]; });
    });
    if (!next.is_complete) {
      if (!input_.is_late()) is_too_large_ = true;
      return false;
    }
    longer_.assign(next.sets.begin(), next.sets.end());
    longer_count_ += longer_.size();
    ++searched_size_;
    if (!longer_.empty()) return true;
  }
  return false;
}

void Search::search(const FunctionalitySet& set) {
  const bool is_fast = options_.engine == FindEngine::fast;
  const SearchInput& input = set.is_wider ? *wider_input_ : input_;
  GroupResult result = is_fast ? search_group(input, shapes_, set.members)
                               : search_group_by_formula(input, set.members);
  const bool is_late = !result.is_complete && input_.is_late();
  const std::scoped_lock lock(mutex_);
  if (is_late) was_late_ = true;
  if (result.is_complete) ++finished_;
  if (result.is_too_large) is_too_large_ = true;
  counts_.skeletons += result.counts.skeletons;
  counts_.refuted += result.counts.refuted;
  counts_.checks += result.counts.checks;
  counts_.undecided += result.counts.undecided;
  if (result.cycles.empty()) return;
  found_.emplace(set.number, FoundInSet{set.members, std::move(result.cycles)});
}

const std::vector<FoundCycle>& Search::cycles(std::size_t number) const {
  static const std::vector<FoundCycle> kNone;
  const std::scoped_lock lock(mutex_);
  const auto found = found_.find(number);
  return found == found_.end() ? kNone : found->second.cycles;
}

std::vector<const Search::FoundInSet*> Search::found_in_order() const {
  std::vector<const FoundInSet*> all;
  for (const auto& [number, found] : found_) all.push_back(&found);
  std::ranges::sort(
      all, {}, [](const FoundInSet* one) { return std::tuple(one->members.size(), one->members); });
  return all;
}

std::vector<FoundCycle> Search::cycles_of_size(std::size_t size) const {
  const std::scoped_lock lock(mutex_);
  std::vector<FoundCycle> cycles;
  for (const FoundInSet* found : found_in_order()) {
    if (found->members.size() != size) continue;
    cycles.insert(cycles.end(), found->cycles.begin(), found->cycles.end());
  }
  return cycles;
}

FindReport Search::merge(const std::string& why_not) const {
  const std::scoped_lock lock(mutex_);
  FindReport report;
  report.levels = input_.levels;
  report.constraints = options_.constraints.file;
  report.own_rows = options_.constraints.own_rows;
  report.max_length = input_.max_length;
  report.max_instances = options_.max_instances;
  report.max_prefix = input_.max_prefix;
  report.rounds = options_.rounds;
  if (report.max_instances > sequence_.most()) {
    report.all_within = {.length = report.max_length, .instances = sequence_.most()};
  }
  if (wider_) {
    report.widened = true;
    report.all_within = {.length = report.max_length, .instances = report.max_instances};
    report.max_length = std::max(report.max_length, wider_->length);
    report.max_instances = std::max(report.max_instances, wider_->instances);
  }
  report.counts = counts_;
  report.counts.groups = count_groups(report.max_instances, program_.functionalities.size());
  std::vector<FoundCycle> cycles;
  for (const FoundInSet* found : found_in_order()) {
    cycles.insert(cycles.end(), found->cycles.begin(), found->cycles.end());
  }
  const bool was_late = was_late_ || input_.is_late();
  const std::string reason = was_late        ? reason_to_stop()
                             : is_too_large_ ? "the bound on the size of one set"
                                             : "the solver's bound";
  const std::uint64_t unfinished = count() - finished_;
  if (unfinished > 0) {
    const bool is_one = unfinished == 1;
    report.bound = fmt::format("{}: {} of {} {} of functionalities {} not searched to {} end",
                               why_not.empty() ? reason : why_not, unfinished, count(),
                               count() == 1 ? "set" : "sets", is_one ? "was" : "were",
                               is_one ? "its" : "their");
  }
  if (report.bound.empty() && searched_size_ < options_.max_instances) {
    report.bound = fmt::format("{}: cycles through more than {} transactions were not searched for",
                               why_not.empty() ? reason : why_not, searched_size_);
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
  Result<std::unique_ptr<Search>> prepared =
      Search::prepare(program, options, Search::Larger::all_cycles);
  if (!prepared) return prepared.error();
  Search& search = **prepared;
  for (std::size_t size = 2; size <= options.max_instances; ++size) {
    search_sets(search, options, size);
    selection.found(search.cycles_of_size(size));
    search.admit(selection.admits);
  }
  return search.merge();
}

}  // namespace find

namespace {

Result<FindReport> search_all(const Program& program, const FindOptions& options) {
  const Result<std::unique_ptr<find::Search>> search = find::Search::prepare(program, options);
  if (!search) return search.error();
  find::search_sets(**search, options);
  while ((*search)->widen()) find::search_sets(**search, options);
  return (*search)->merge();
}

// Those that are left out are counted in a search for all: one around a cycle that concerns reads
// alone would not be looked for in it.
Result<FindReport> search_internal(const Program& program, const FindOptions& options) {
  const std::optional<find::Clock::time_point> end = find::end_of(options.timeout_ms);
  Result<FindReport> report = search_all(program, options);
  if (!report || !report->bound.empty()) return report;
  FindOptions of_all = options;
  of_all.internal_only = false;
  of_all.timeout_ms = find::left_ms(end);
  Result<FindReport> all = search_all(program, of_all);
  if (!all) return all.error();
  keep_internal(program, *all);
  report->external_left_out = all->external_left_out;
  report->bound = all->bound;
  return report;
}

}  // namespace

Result<FindReport> find_anomalies(const Program& program, const FindOptions& options) {
  return options.internal_only ? search_internal(program, options) : search_all(program, options);
}

}  // namespace heddle
