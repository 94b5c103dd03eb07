// heddle::execute_split(): the cores of a cut, executed as findings of the chopped program.
//
// The search asks about the operations of a cycle. Before one is executed it is asked about with
// everything that its transactions read: where no rows and arguments let any cycle of a core
// happen, such as a second payment of what is marked as paid, that is refuted and needs no run.
// What comes to the same in either order, such as two sums, is executed behind the others, and
// refuted unless its run shows something all the same. A run is never a proof.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "find/search/containment.h"
#include "find/search/ranking.h"
#include "find/search/refutation.h"
#include "find/terms/search_input.h"
#include "heddle/find.h"
#include "heddle/split.h"
#include "program/text.h"
#include "split/service_declarations.h"

namespace heddle {

namespace {

// Cycles of one cause that are worth a try, the shortest of the gravest kind first.
constexpr std::size_t kMostCycles = 3;
// Extensions that are executed beside the cores.
constexpr std::size_t kMostFurther = 12;

// What is known of a core before it is executed.
struct KnownCore {
  std::vector<FoundCycle> cycles;  // to be executed, first those that may do harm
  std::string why_refuted;         // of all its cycles; empty: that is not proved
};

KnownCore known_core(const SplitCause& core, const find::Refuter* refuter) {
  KnownCore known;
  std::vector<FoundCycle> harmless;
  std::string why_harmless;
  std::string why_impossible;
  bool is_refuted = true;
  for (const FoundCycle& cycle : core.cycles) {
    if (!is_refuted && known.cycles.size() == kMostCycles) break;
    if (auto why = refuter == nullptr ? std::nullopt : refuter->why_harmless(cycle)) {
      if (why_harmless.empty()) why_harmless = *std::move(why);
      if (harmless.size() < kMostCycles) harmless.push_back(cycle);
      continue;
    }
    if (auto why = refuter == nullptr ? std::nullopt : refuter->why_impossible(cycle)) {
      if (why_impossible.empty()) why_impossible = *std::move(why);
      continue;
    }
    is_refuted = false;
    if (known.cycles.size() < kMostCycles) known.cycles.push_back(cycle);
  }
  if (is_refuted) known.why_refuted = why_harmless.empty() ? why_impossible : why_harmless;
  const std::size_t left = std::min(kMostCycles - known.cycles.size(), harmless.size());
  known.cycles.insert(known.cycles.end(), harmless.begin(),
                      harmless.begin() + static_cast<std::ptrdiff_t>(left));
  return known;
}

bool is_mixed(const SplitReport& report) {
  return std::ranges::any_of(report.levels,
                             [&](IsolationLevel level) { return level != report.within; });
}

// Of cores, in the order of the report. `refuter`: null where nothing can be proved.
std::vector<KnownCore> known_cores(const SplitReport& report, const find::Refuter* refuter,
                                   std::size_t jobs) {
  std::vector<const SplitCause*> cores;
  for (const SplitCause& cause : report.causes) {
    if (cause.is_core) cores.push_back(&cause);
  }
  std::vector<KnownCore> known(cores.size());
  run_parallel(cores.size(), jobs,
               [&](std::size_t i) { known[i] = known_core(*cores[i], refuter); });
  return known;
}

// The weakest level that keeps what each of the functionality's services promises: what happens at
// it happens at theirs, too.
IsolationLevel level_for(const SplitReport& report, std::size_t functionality) {
  const std::vector<SubTransaction>& subs = report.chopped.sub_transactions[functionality];
  if (subs.empty()) return report.within;
  const auto keeps_all = [&](IsolationLevel level) {
    return std::ranges::all_of(subs, [&](const SubTransaction& sub) {
      return implies(level, report.levels[sub.service]);
    });
  };
  for (const SubTransaction& sub : subs) {
    if (keeps_all(report.levels[sub.service])) return report.levels[sub.service];
  }
  const auto all = isolation_levels();
  const auto found = std::ranges::find_if(all, keeps_all, &LevelDefinition::level);
  return found == all.end() ? IsolationLevel::postgres_serializable : found->level;
}

// What does not happen at a level above that of a service may happen at that.
bool runs_above(const SplitReport& report, const SplitCause& cause) {
  for (const std::vector<SplitPart>& parts : cause.parts) {
    const std::size_t functionality = parts.front().functionality;
    const IsolationLevel level = level_for(report, functionality);
    for (const SubTransaction& sub : report.chopped.sub_transactions[functionality]) {
      if (report.levels[sub.service] != level) return true;
    }
  }
  return false;
}

std::string promise_of(const TornKey& key) {
  return fmt::format("{} ({}) refers to rows of {}", key.table, join(key.columns, ", "),
                     key.referenced_table);
}

// What foreign keys between services promised.
std::vector<Invariant> promises_of(const SplitReport& report) {
  std::vector<Invariant> promises;
  for (const TornKey& key : report.torn_keys) {
    if (!key.is_asked) continue;
    std::vector<std::string> refers;
    std::vector<std::string> equal;
    for (std::size_t i = 0; i < key.columns.size() && i < key.referenced_columns.size(); ++i) {
      const std::string column = program::name_text(key.columns[i]);
      refers.push_back(fmt::format("r.{} IS NOT NULL", column));
      equal.push_back(
          fmt::format("t.{} = r.{}", program::name_text(key.referenced_columns[i]), column));
    }
    Invariant& promise = promises.emplace_back();
    promise.name = promise_of(key);
    promise.sql.text = fmt::format(
        "SELECT count(*) = 0 FROM {} r WHERE {} AND NOT EXISTS (SELECT 1 FROM {} t WHERE {})",
        program::name_text(key.table), join(refers, " AND "),
        program::name_text(key.referenced_table), join(equal, " AND "));
  }
  return promises;
}

// Single transactions would be compared in place of calls, and calls are several of them.
bool has_session(const SplitCause& cause, const SplitReport& report) {
  return std::ranges::any_of(cause.parts, [&](const std::vector<SplitPart>& parts) {
    return !parts.empty() && parts.front().functionality >= report.chopped.single_calls();
  });
}

bool is_same(const FoundCycle& a, const FoundCycle& b) {
  return a.nodes == b.nodes && a.edges == b.edges;
}

// What did not show in a run, of what is proved to be none. A run that shows something is kept,
// even if another cycle is the reason.
void refute(SplitCause& cause, const std::string& why) {
  const bool shows_something = cause.execution && cause.execution->finding;
  if (why.empty() || shows_something) return;
  if (!cause.execution) cause.execution.emplace();
  cause.execution->status = FindingStatus::refuted;
  cause.execution->reason = why;
  cause.execution->is_cut_short = false;
}

// What has a cause of fewer functionalities in it is not executed; it may be none, too. That is
// asked only where it decides whether the cut adds anything.
void refute_extensions(const find::Refuter& refuter, std::size_t jobs, SplitReport& report) {
  const auto is_open = [](const SplitCause& cause) {
    return cause.is_core && (!cause.execution || cause.execution->status != FindingStatus::refuted);
  };
  if (std::ranges::any_of(report.causes, is_open)) return;
  run_parallel(report.causes.size(), jobs, [&](std::size_t i) {
    SplitCause& cause = report.causes[i];
    if (cause.is_core) return;
    std::vector<const FoundCycle*> cycles;
    for (const FoundCycle& cycle : cause.cycles) cycles.push_back(&cycle);
    if (const auto why = refuter.refute(cycles)) refute(cause, *why);
  });
}

// They come back in another order.
void take_back(FindReport& found, SplitReport& report) {
  for (FoundCause& cause : found.causes) {
    const auto place = std::ranges::find_if(report.causes, [&](const SplitCause& one) {
      return std::ranges::any_of(
          one.cycles, [&](const FoundCycle& cycle) { return is_same(cycle, cause.cores.front()); });
    });
    if (place == report.causes.end()) continue;
    place->execution = std::move(cause.execution);
    // What is executed are some of its cycles, so that nothing is proved of it by these.
    find::withdraw_proof(place->execution, "not all of its cycles were asked about");
    const bool is_open = place->execution && place->execution->status == FindingStatus::not_shown;
    if (!is_open || !runs_above(report, *place)) continue;
    place->execution->status = FindingStatus::possible;
    place->execution->reason += "; that was at a level which promises more than a service's";
  }
}

bool is_confirmed(const SplitCause& cause) {
  return cause.execution && cause.execution->status == FindingStatus::confirmed;
}

// The extensions that are worth a run of their own: nothing has come of the cores in them, or they
// are on both tables of a foreign key between services whose promise no run has broken.
class FurtherCauses {
 public:
  explicit FurtherCauses(SplitReport& report) : report_(report) {
    for (const SplitCause& cause : report.causes) {
      if (!cause.execution) continue;
      const std::vector<std::string>& names = cause.execution->broken_invariants;
      broken_.insert(names.begin(), names.end());
    }
    std::vector<SplitCause*> candidates;
    for (SplitCause& cause : report.causes) {
      const bool is_refuted = cause.execution && cause.execution->status == FindingStatus::refuted;
      if (cause.is_core || is_refuted || has_session(cause, report)) continue;
      if (is_open(cause) || may_break(cause)) candidates.push_back(&cause);
    }
    for (SplitCause* cause : candidates) {
      const bool has_smaller = std::ranges::any_of(candidates, [&](const SplitCause* other) {
        return other != cause && find::contains(cause->parts, other->parts) &&
               (may_break(*other) || !may_break(*cause));
      });
      if (!has_smaller && chosen_.size() < kMostFurther) chosen_.push_back(cause);
    }
  }

  bool empty() const { return chosen_.empty(); }
  void add_to(FindReport& found) const {
    for (const SplitCause* cause : chosen_) {
      KnownCore known = known_core(*cause, nullptr);
      found.causes.push_back(
          {.kind = cause->kind, .cores = std::move(known.cycles), .extensions = {}});
    }
  }
  // Those that have shown something count as cores.
  void keep() const {
    std::vector<SplitCause*> kept;
    for (SplitCause* cause : chosen_) {
      if (is_confirmed(*cause) && (is_open(*cause) || breaks_more(*cause))) kept.push_back(cause);
    }
    for (SplitCause* cause : chosen_) {
      cause->is_core = std::ranges::find(kept, cause) != kept.end();
      if (!cause->is_core) cause->execution.reset();
    }
  }

 private:
  // Whether nothing has come of any core in it.
  bool is_open(const SplitCause& cause) const {
    return std::ranges::none_of(report_.causes, [&](const SplitCause& other) {
      return other.is_core && is_confirmed(other) && find::contains(cause.parts, other.parts);
    });
  }
  bool may_break(const SplitCause& cause) const {
    return std::ranges::any_of(report_.torn_keys, [&](const TornKey& key) {
      const auto is_met = [&](const std::string& table) {
        return std::ranges::find(cause.tables, table) != cause.tables.end();
      };
      return key.is_asked && is_met(key.table) && is_met(key.referenced_table) &&
             !broken_.contains(promise_of(key));
    });
  }
  bool breaks_more(const SplitCause& cause) const {
    return std::ranges::any_of(cause.execution->broken_invariants,
                               [&](const std::string& name) { return !broken_.contains(name); });
  }

  SplitReport& report_;
  std::set<std::string> broken_;
  std::vector<SplitCause*> chosen_;
};

void rank_causes(SplitReport& report) {
  std::ranges::stable_sort(report.causes, {}, [](const SplitCause& cause) {
    return std::pair(!cause.is_core, find::rank(cause.execution));
  });
}

}  // namespace

Result<void> execute_split(const SplitOptions& options, const ExecuteOptions& execution,
                           SplitReport& report) {
  const std::optional<find::Clock::time_point> end = find::end_of(execution.timeout_ms);
  FindOptions how = options.find;
  how.level = report.within;
  how.levels.clear();
  // A session of a run has one level.
  how.levels_of_statements.clear();
  how.max_length = report.max_length;
  FindReport found;
  std::vector<FunctionalityLevel> within;
  for (std::size_t i = 0; i < report.chopped.program.functionalities.size(); ++i) {
    found.levels.push_back({.level = level_for(report, i), .origin = LevelOrigin::given});
    within.push_back({.level = report.within, .origin = LevelOrigin::given});
  }
  const Program& program = report.chopped.program;
  // The rest of the time is for those that are executed.
  FindOptions proving = how;
  if (execution.timeout_ms) proving.timeout_ms = *execution.timeout_ms / 3 + 1;
  const find::SearchInput input = find::prepare_search(program, proving, within);
  const find::Refuter refuter(input, within);
  // Where levels differ nothing is proved; where the search stopped cores may have cycles that
  // nobody knows.
  const bool can_prove = !is_mixed(report) && report.bound.empty();
  const std::vector<KnownCore> known =
      known_cores(report, can_prove ? &refuter : nullptr, execution.jobs);
  std::vector<std::pair<SplitCause*, std::string>> refuted;
  std::size_t next = 0;
  for (SplitCause& cause : report.causes) {
    if (!cause.is_core) continue;
    const KnownCore& core = known[next++];
    refuted.emplace_back(&cause, core.why_refuted);
    if (core.cycles.empty()) continue;
    if (has_session(cause, report)) {
      cause.execution.emplace();
      cause.execution->reason = "runs of several calls of one user across services are not judged";
      continue;
    }
    found.causes.push_back({.kind = cause.kind, .cores = core.cycles, .extensions = {}});
  }
  ExecuteOptions divided = execution;
  divided.services = chopping::service_declarations(report);
  for (Invariant& promise : promises_of(report)) divided.invariants.push_back(std::move(promise));
  divided.timeout_ms = find::left_ms(end);
  how.timeout_ms = divided.timeout_ms;
  // What was executed before the store died stays.
  Result<void> done = execute_findings(program, how, divided, found);
  take_back(found, report);
  for (auto& [cause, why] : refuted) refute(*cause, why);
  if (can_prove) refute_extensions(refuter, execution.jobs, report);
  divided.timeout_ms = find::left_ms(end);
  const bool has_time = found.bound.empty() && divided.timeout_ms.value_or(1) > 0;
  if (const FurtherCauses further(report); done && has_time && !further.empty()) {
    FindReport more;
    more.levels = found.levels;
    further.add_to(more);
    how.timeout_ms = divided.timeout_ms;
    done = execute_findings(program, how, divided, more);
    take_back(more, report);
    further.keep();
  }
  rank_causes(report);
  if (!found.bound.empty()) report.bound += (report.bound.empty() ? "" : "; ") + found.bound;
  return done;
}

}  // namespace heddle
