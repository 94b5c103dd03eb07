#include "explore/repair.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "explore/conflicts.h"
#include "explore/search.h"
#include "replay/judge.h"
#include "replay/runner.h"

namespace heddle {

namespace {

constexpr std::size_t kMostChanges = 3;
constexpr std::size_t kMostTried = 400;
constexpr std::size_t kMostBadOrders = 8;
// Of the serial orders whose outcomes must stay; with more sessions not all are looked at.
constexpr std::size_t kMostGoodOrders = 24;

using Candidates = std::vector<const RepairCandidate*>;

std::size_t statements_of(const Candidates& set) {
  return std::accumulate(set.begin(), set.end(), std::size_t{0},
                         [](std::size_t sum, const RepairCandidate* candidate) {
                           return sum + candidate->change.statements;
                         });
}

// All sets of up to kMostChanges, fewest statements first, then fewest changes.
std::vector<Candidates> sets_of(const std::vector<RepairCandidate>& candidates) {
  std::vector<Candidates> sets;
  std::vector<Candidates> last{{}};
  for (std::size_t size = 1; size <= kMostChanges; ++size) {
    std::vector<Candidates> larger;
    for (const Candidates& set : last) {
      const RepairCandidate* first = set.empty() ? candidates.data() : set.back() + 1;
      for (const auto* next = first; next != candidates.data() + candidates.size(); ++next) {
        larger.push_back(set);
        larger.back().push_back(next);
      }
    }
    sets.insert(sets.end(), larger.begin(), larger.end());
    last = std::move(larger);
  }
  std::ranges::stable_sort(sets, {}, [](const Candidates& set) {
    return std::make_pair(statements_of(set), set.size());
  });
  return sets;
}

bool is_part_of(const Candidates& part, const Candidates& whole) {
  return std::ranges::all_of(part, [&](const RepairCandidate* candidate) {
    return std::ranges::find(whole, candidate) != whole.end();
  });
}

// What is compared of a serial order before and after the changes: final rows, and what steps that
// are in both read. Steps are called by the numbers of the first scenario.
Outcome meaning_of(const Run& run, const Scenario& scenario,
                   const std::map<std::string, StepId>& names) {
  Outcome outcome = outcome_of(run, scenario, {});
  for (std::vector<StepOutcome>& session : outcome.sessions) {
    std::vector<StepOutcome> kept;
    for (StepOutcome& step : session) {
      const auto known = names.find(scenario.steps[step.step.index()].name);
      if (known == names.end()) continue;
      step.step = known->second;
      std::erase_if(step.replies, [](const Reply& reply) {
        return !reply.error && !(reply.result && reply.result->has_rows);
      });
      kept.push_back(std::move(step));
    }
    // A step that moved is compared where it was.
    std::ranges::stable_sort(kept, {}, &StepOutcome::step);
    session = std::move(kept);
  }
  return outcome;
}

Diagnostic bound_reached(const std::string& what) {
  return Diagnostic{
      .what = what, .what_to_do = "", .file = "", .position = {}, .trouble = Trouble::bound};
}

bool stops(const Diagnostic& trouble) {
  return trouble.trouble == Trouble::interrupted || trouble.trouble == Trouble::environment;
}

class RepairFinder {
 public:
  explicit RepairFinder(const RepairSearch& search) : search_(search) {
    for (std::size_t i = 0; i < search.scenario.steps.size(); ++i) {
      names_.emplace(search.scenario.steps[i].name, StepId(i));
    }
    for (const Schedule& schedule : search.bad) {
      if (bad_.size() == kMostBadOrders) break;
      std::vector<SessionId>& order = bad_.emplace_back();
      for (const PlacedStep& placed : schedule.steps) {
        order.push_back(search.scenario.steps[placed.step.index()].session);
      }
    }
  }

  Result<RepairReport> run() {
    if (auto remembered = remember_meaning(); !remembered) return give_up(remembered.error());
    const std::vector<RepairCandidate> candidates =
        repair_candidates(search_.scenario, search_.place);
    std::vector<Candidates> repairing;
    for (const Candidates& set : sets_of(candidates)) {
      if (!report_.repairs.empty() && statements_of(set) > report_.repairs.front().statements) {
        break;
      }
      if (std::ranges::any_of(repairing,
                              [&](const auto& known) { return is_part_of(known, set); })) {
        continue;
      }
      if (auto bound = bound_hit(); !bound.empty()) {
        report_.bound = std::move(bound);
        break;
      }
      auto repair = attempt(set);
      if (!repair) return give_up(repair.error());
      if (!*repair) continue;
      repairing.push_back(set);
      std::vector<Repair>& kind = (*repair)->keeps_apart ? apart_ : report_.repairs;
      kind.push_back(std::move(**repair));
    }
    if (report_.bound.empty() && unknown_ > 0) {
      report_.bound = fmt::format("whether {} of them help is not known ({})", unknown_, why_);
    }
    if (report_.repairs.empty()) report_.repairs = std::move(apart_);
    std::ranges::stable_sort(report_.repairs, {}, [](const Repair& repair) {
      return std::make_tuple(repair.statements, repair.aborted_runs, repair.waiting_runs);
    });
    return std::move(report_);
  }

 private:
  // What was found stays.
  Result<RepairReport> give_up(const Diagnostic& trouble) {
    if (trouble.trouble != Trouble::interrupted && report_.tried == 0) return trouble;
    report_.bound = trouble.what;
    return std::move(report_);
  }

  std::string bound_hit() const {
    if (interrupted()) return stop_text();
    if (search_.deadline && std::chrono::steady_clock::now() > *search_.deadline) {
      return "the time limit was hit";
    }
    if (report_.tried == kMostTried) {
      return fmt::format("only the first {} sets of changes were tried", kMostTried);
    }
    return "";
  }

  Result<std::unique_ptr<Runner>> make_runner(const Scenario& scenario) const {
    RunnerOptions options;
    options.level = search_.level;
    options.step_timeout_ms = search_.step_timeout_ms;
    return Runner::create(scenario, search_.server, options);
  }

  // The sessions one after the other, in each order.
  Result<std::vector<Outcome>> serial_outcomes(const Scenario& scenario, Runner& runner,
                                               bool& all_commit) const {
    std::vector<std::size_t> order(scenario.sessions.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<Outcome> outcomes;
    do {
      std::vector<SerialBlock> blocks;
      for (const std::size_t session : order) {
        blocks.push_back({SessionId(session), scenario.sessions[session].steps});
      }
      auto run = runner.run_serial(blocks);
      if (!run) return run.error();
      if (auto ended = check_end(scenario, *run); !ended) return ended.error();
      if (run->end != RunEnd::complete) return bound_reached(run->trouble);
      all_commit = all_commit && run->aborted.empty();
      outcomes.push_back(meaning_of(*run, scenario, names_));
    } while (std::ranges::next_permutation(order).found && outcomes.size() < kMostGoodOrders);
    return outcomes;
  }

  Result<void> remember_meaning() {
    auto runner = make_runner(search_.scenario);
    if (!runner) return runner.error();
    fixed_ = fixed_values((*runner)->initial_tables());
    bool all_commit = true;
    auto outcomes = serial_outcomes(search_.scenario, **runner, all_commit);
    if (!outcomes) return outcomes.error();
    meaning_ = std::move(*outcomes);
    return {};
  }

  // None: no repair. Errors: nothing more can be tried.
  Result<std::optional<Repair>> attempt(const Candidates& set) {
    std::vector<const ScenarioChange*> changes;
    for (const RepairCandidate* candidate : set) changes.push_back(&candidate->edit);
    std::optional<Scenario> changed = with_changes(search_.scenario, changes);
    if (!changed) return std::optional<Repair>();
    ++report_.tried;
    Repair repair;
    auto works = repairs(*changed, repair);
    if (!works) {
      if (stops(works.error())) return works.error();
      // A store that refuses the changed text has answered.
      if (works.error().trouble != Trouble::bad_input) note_unknown(works.error().what);
      return std::optional<Repair>();
    }
    if (!*works) return std::optional<Repair>();
    for (const RepairCandidate* candidate : set) repair.changes.push_back(candidate->change);
    repair.statements = statements_of(set);
    repair.scenario = std::move(*changed);
    return std::optional(std::move(repair));
  }

  void note_unknown(const std::string& why) {
    if (unknown_++ == 0) why_ = why;
  }

  Result<bool> repairs(const Scenario& changed, Repair& repair) const {
    std::vector<std::unique_ptr<Runner>> runners;
    auto first = make_runner(changed);
    if (!first) return first.error();
    runners.push_back(std::move(*first));
    Runner& runner = *runners.front();
    auto same = means_the_same(changed, runner);
    if (!same || !*same) return same;
    Judge judge(changed, runner);
    auto passes = passes_bad_orders(changed, runner, judge);
    if (!passes || !*passes) return passes;
    for (std::uint32_t i = 1; i < search_.jobs; ++i) {
      auto next = make_runner(changed);
      if (!next) return next.error();
      if (!begin_alike(runner, **next)) break;
      runners.push_back(std::move(*next));
    }
    return explores_well(changed, runners, judge, repair);
  }

  Result<bool> means_the_same(const Scenario& changed, Runner& runner) const {
    bool all_commit = true;
    auto outcomes = serial_outcomes(changed, runner, all_commit);
    if (!outcomes) return outcomes.error();
    if (!all_commit) return false;
    // What only one of both began with is a generated value like those of the runs.
    const FixedValues own = fixed_values(runner.initial_tables());
    FixedValues fixed;
    std::ranges::set_intersection(fixed_, own, std::inserter(fixed, fixed.end()));
    for (std::size_t i = 0; i < meaning_.size(); ++i) {
      Outcome before = meaning_[i];
      Outcome& after = (*outcomes)[i];
      for (std::size_t session = 0; session < before.sessions.size(); ++session) {
        keep_common(before.sessions[session], after.sessions[session]);
        keep_common(after.sessions[session], before.sessions[session]);
      }
      if (!is_equal(after, before, fixed)) return false;
    }
    return true;
  }

  // Leaves out of the first the steps that the second has not, or that read more or less in it.
  static void keep_common(std::vector<StepOutcome>& some, const std::vector<StepOutcome>& others) {
    std::erase_if(some, [&](const StepOutcome& step) {
      return std::ranges::none_of(others, [&](const StepOutcome& other) {
        return other.step == step.step && other.replies.size() == step.replies.size();
      });
    });
  }

  Result<bool> is_well(Judge& judge, const Run& run) const {
    auto judgement = judge.judge(run, search_.unit);
    if (!judgement) return judgement.error();
    if (judgement->undecided) return bound_reached("not all serial orders could be run");
    return !judgement->anomalous && judgement->broken_invariants.empty();
  }

  Result<bool> passes_bad_orders(const Scenario& changed, Runner& runner, Judge& judge) const {
    for (const std::vector<SessionId>& order : bad_) {
      auto run = runner.run_interleaved(scripts_of(changed), follow(order));
      if (!run) return run.error();
      if (auto ended = check_end(changed, *run); !ended) return ended.error();
      if (run->end != RunEnd::complete) return bound_reached(run->trouble);
      auto well = is_well(judge, *run);
      if (!well || !*well) return well;
    }
    return true;
  }

  Result<bool> explores_well(const Scenario& changed, std::vector<std::unique_ptr<Runner>>& runners,
                             Judge& judge, Repair& repair) const {
    const StepConflicts conflicts(changed, runners.front()->catalogue(),
                                  runners.front()->statements(), search_.place.dialects,
                                  search_.level);
    SearchOptions options;
    options.conflicts = &conflicts;
    options.deadline = search_.deadline;
    auto found = search_interleavings(changed, runners, {scripts_of(changed)}, {}, options);
    if (!found) return found.error();
    if (found->trouble) return *found->trouble;
    if (!found->bound.empty()) return bound_reached(found->bound);
    for (const OutcomeClass& outcome : found->classes) {
      auto well = is_well(judge, outcome.smallest);
      if (!well || !*well) return well;
    }
    repair.interleavings = found->interleavings;
    repair.aborted_runs = found->aborted_runs;
    repair.waiting_runs = found->waiting_runs;
    repair.keeps_apart = !all_pairs_overlap(changed, conflicts, *found);
    return true;
  }

  // Each two sessions have an interleaving that is not serial and in which all commit.
  static bool all_pairs_overlap(const Scenario& scenario, const StepConflicts& conflicts,
                                const SearchResult& found) {
    for (std::size_t a = 0; a < scenario.sessions.size(); ++a) {
      for (std::size_t b = a + 1; b < scenario.sessions.size(); ++b) {
        if (!can_overlap(scenario, conflicts, SessionId(a), SessionId(b)) &&
            !do_overlap(scenario, found, SessionId(a), SessionId(b))) {
          return false;
        }
      }
    }
    return true;
  }

  // Where the one ends and the other begins the steps may be swapped; the search has left that out.
  static bool can_overlap(const Scenario& scenario, const StepConflicts& conflicts, SessionId a,
                          SessionId b) {
    const std::vector<StepId>& one = scenario.sessions[a.index()].steps;
    const std::vector<StepId>& other = scenario.sessions[b.index()].steps;
    return !conflicts.in_conflict(one.back(), other.front()) ||
           !conflicts.in_conflict(other.back(), one.front());
  }

  static bool do_overlap(const Scenario& scenario, const SearchResult& found, SessionId a,
                         SessionId b) {
    const auto overlaps = [&](const Schedule& schedule) {
      std::size_t turns = 0;
      SessionId last;
      for (const PlacedStep& placed : schedule.steps) {
        const SessionId session = scenario.steps[placed.step.index()].session;
        if (session != a && session != b) continue;
        if (turns == 0 || session != last) ++turns;
        last = session;
      }
      return turns > 2;
    };
    return std::ranges::any_of(found.classes, [&](const OutcomeClass& outcome) {
      return outcome.smallest.aborted.empty() && std::ranges::any_of(outcome.schedules, overlaps);
    });
  }

  const RepairSearch& search_;
  std::map<std::string, StepId> names_;
  std::vector<std::vector<SessionId>> bad_;
  std::vector<Outcome> meaning_;
  FixedValues fixed_;
  RepairReport report_;
  std::vector<Repair> apart_;
  std::size_t unknown_ = 0;  // sets that a bound left open
  std::string why_;          // of the first
};

}  // namespace

Result<RepairReport> find_repairs(const RepairSearch& search) { return RepairFinder(search).run(); }

}  // namespace heddle
