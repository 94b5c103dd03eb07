#include "sched/search/search.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sched/report/failure_report.h"
#include "sched/report/globals.h"
#include "sched/report/kept_tokens.h"
#include "sched/search/budget.h"
#include "sched/search/rounds.h"
#include "sched/search/shrink.h"
#include "sched/search/starvation_hunt.h"
#include "sched/test/reached.h"

namespace heddle::sched::runtime {

namespace {

struct Found {
  Execution execution;
  std::uint64_t executions = 0;
  std::string coverage;

  bool failed() const { return execution.failed(); }
};

class Search {
 public:
  explicit Search(Test& test)
      : test_(test), budget_(test.options().executions, test.options().seconds) {}

  Found run(const std::vector<Token>& first) {
    const Options& options = test_.options();
    if (fails_as_before(first)) {
      note_text("what failed before");
    } else if (options.strategy == sched::Strategy::automatic) {
      run_automatic();
    } else {
      std::vector<std::unique_ptr<runtime::Strategy>> strategies;
      strategies.push_back(make(options.strategy));
      if (strategies.front()->is_numbered()) {
        run_rounds(strategies);
      } else {
        run_all(*strategies.front());
      }
      note(*strategies.front());
    }
    if (found_.execution.failure.kind == FailureKind::too_long) hunt_starvation();
    found_.executions = budget_.used();
    if (!found_.failed() && unconfirmed_) found_.execution = std::move(*unconfirmed_);
    return std::move(found_);
  }

 private:
  std::unique_ptr<runtime::Strategy> make(sched::Strategy strategy) const {
    const Options& options = test_.options();
    switch (strategy) {
      case sched::Strategy::automatic:
      case sched::Strategy::random:
        return random_walk(options.seed);
      case sched::Strategy::pct:
        return pct(options.seed, options.depth);
      case sched::Strategy::pos:
        return pos(options.seed);
      case sched::Strategy::round_robin:
        return round_robin();
      case sched::Strategy::depth_first:
        return depth_first(options.preemptions);
    }
    return random_walk(options.seed);
  }

  // False: it failed, or there is nothing left to try.
  bool run_once(runtime::Strategy& strategy) {
    if (!budget_.is_left() || !strategy.begin_execution()) return false;
    budget_.use();
    const std::size_t shared = engine().shadow().shared_granules();
    const Execution& execution = test_.execute(strategy);
    return !execution.failed() ||
           !is_confirmed(execution, engine().shadow().shared_granules() > shared);
  }

  // Keeps a failure.
  bool is_confirmed(const Execution& execution, bool grown) {
    found_.execution = execution;
    const bool is_round = execution.failure.kind == FailureKind::starvation;
    if ((!grown && !is_round) || fails_again()) return true;
    // It met memory that it did not know to be shared, and its schedule leads elsewhere now that
    // this is known: what it showed will be met again.
    unconfirmed_ = std::move(found_.execution);
    found_.execution = Execution{};
    return false;
  }

  bool fails_again() {
    return fails_alike(test_.replay(found_.execution.schedule, false).failure,
                       found_.execution.failure);
  }

  void run_all(runtime::Strategy& strategy) {
    while (run_once(strategy)) {
    }
  }

  void note(const runtime::Strategy& strategy) { note_text(strategy.coverage()); }
  void note_text(const std::string& covered) {
    if (!found_.coverage.empty()) found_.coverage += ", ";
    found_.coverage += covered;
  }

  bool fails_as_before(const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
      if (!budget_.is_left()) return false;
      budget_.use();
      Execution execution = test_.replay(token.schedule, false);
      if (!execution.failed()) continue;
      found_.execution = std::move(execution);
      return true;
    }
    return false;
  }

  // Two equal executions, and none that failed.
  bool is_deterministic() {
    // The first may make static objects that the others find; of the two behind it, nothing may
    // differ.
    const auto first = sequential();
    run_once(*first);
    if (found_.failed()) return true;
    const std::uint64_t events = test_.execute(*sequential()).events;
    if (test_.execute(*sequential()).events == events) return true;
    Failure& failure = found_.execution.failure;
    failure.kind = FailureKind::not_deterministic;
    failure.what =
        "two executions with the same schedule did different things: the test depends on something "
        "that is not controlled, or on what an earlier execution left";
    return false;
  }

  void run_automatic() {
    if (!is_deterministic() || found_.failed()) return;
    const Options& options = test_.options();
    const auto first = depth_first(1);
    Budget tenth(options.executions / 10, options.seconds / 10);
    bool all = false;
    while (tenth.is_left() && budget_.is_left()) {
      tenth.use();
      if (!run_once(*first)) {
        all = true;
        break;
      }
    }
    if (found_.failed()) return;
    if (all) note(*first);
    if (first->coverage() == "all interleavings") return;
    hunt_starvation();
    if (!found_.failed()) run_in_turn();
  }

  // What is found by chance is seldom short: it is looked for again, for the shortest.
  void hunt_starvation() {
    constexpr std::uint64_t kPart = 50;
    constexpr std::uint64_t kMostHunts = 2000;
    constexpr double kSecondsPart = 30;
    const Options& options = test_.options();
    StarvationHunt hunt(options.seed);
    // An execution that goes on for ever tells more if somebody starves in it.
    std::optional<Execution> too_long;
    if (found_.failed()) too_long = std::move(found_.execution);
    found_.execution = Execution{};
    const double seconds = too_long ? options.seconds / 4 : options.seconds / kSecondsPart;
    Budget part(too_long ? 10 * kMostHunts : std::min(kMostHunts, options.executions / kPart),
                seconds);
    std::optional<Execution> best = std::move(too_long);
    std::uint64_t found = 0;
    constexpr std::uint64_t kMostFound = 30;
    while (part.is_left() && budget_.is_left() && found < kMostFound) {
      part.use();
      run_once(hunt);
      if (!found_.failed()) continue;
      const FailureKind kind = found_.execution.failure.kind;
      if (kind != FailureKind::starvation && kind != FailureKind::too_long) {
        // The strategies that come then most likely find it with fewer departures.
        unconfirmed_ = std::move(found_.execution);
        found_.execution = Execution{};
        break;
      }
      if (kind == FailureKind::starvation) ++found;
      if (!best || is_better(found_.execution, *best)) best = std::move(found_.execution);
      found_.execution = Execution{};
    }
    if (best) found_.execution = std::move(*best);
    note(hunt);
  }

  static bool is_better(const Execution& one, const Execution& other) {
    if (one.failure.kind != other.failure.kind) {
      return one.failure.kind == FailureKind::starvation;
    }
    return weight_of(one.schedule) < weight_of(other.schedule);
  }

  // Departures first, then how far it is to the end of the first round.
  static std::uint64_t weight_of(const Schedule& schedule) {
    std::array<std::uint32_t, kMostTasks> done{};
    for (const Choice& choice : schedule.choices) {
      if (choice.place.task < kMostTasks) done[choice.place.task] = choice.place.operation;
    }
    constexpr std::uint64_t kDeparture = 20;
    return std::accumulate(done.begin(), done.end(), kDeparture * schedule.choices.size());
  }

  // Rounds get longer: at first there is much to find out about the test.
  void run_rounds(Rounds::Strategies& strategies) {
    const std::uint64_t longest = test_.is_isolated() ? 256 : 4096;
    Rounds rounds(test_, strategies, jobs_of(test_.options()));
    std::uint64_t next = 0;
    for (std::uint64_t length = strategies.size(); budget_.is_left() && !found_.failed();
         length = std::min(2 * length, longest)) {
      const std::uint64_t last = next + length;
      while (next < last && budget_.is_left()) {
        const std::size_t shared = engine().shadow().shared_granules();
        const auto failed = rounds.run(next, last, budget_);
        next = failed ? failed->number + 1 : last;
        if (failed &&
            is_confirmed(*failed->execution, engine().shadow().shared_granules() > shared)) {
          break;
        }
      }
      rounds.end_round();
    }
    const std::uint64_t made = budget_.used() - before_rounds_;
    for (std::size_t i = 0; i < strategies.size(); ++i) {
      strategies[i]->skip_to((made + strategies.size() - 1 - i) / strategies.size());
    }
  }

  void run_in_turn() {
    before_rounds_ = budget_.used();
    const std::uint64_t seed = test_.options().seed;
    std::vector<std::unique_ptr<runtime::Strategy>> strategies;
    for (const std::uint32_t depth : {2, 3, 4}) strategies.push_back(pct(seed + depth, depth));
    strategies.push_back(pos(seed));
    strategies.push_back(random_walk(seed));
    run_rounds(strategies);
    for (const auto& strategy : strategies) note(*strategy);
  }

  Test& test_;
  Budget budget_;
  std::uint64_t before_rounds_ = 0;  // executions
  Found found_;
  std::optional<Execution> unconfirmed_;  // a failure that its schedule does not show again
};

}  // namespace

namespace {

// A test that passed everywhere has still failed if it never got where it should.
void look_for_labels(const Options& options, Answer& answer) {
  for (const std::string& label : not_reached(options.reachable)) {
    answer.passed = false;
    answer.failure.kind = "not reached";
    answer.failure.what = "no execution got to \"" + label + "\": " + answer.coverage;
    answer.failure.report = "heddle: not reached: " + answer.failure.what + "\n";
  }
}

}  // namespace

namespace {

// Executions that depend on each other are told of; those that keep memory of others have failed.
void look_for_left(Answer& answer) {
  const std::vector<LeftGlobal> globals = left_globals(engine().left_memory().found());
  for (const LeftGlobal& global : globals) {
    answer.left_behind.push_back(global.name);
    if (!global.keeps_memory || !answer.passed) continue;
    answer.passed = false;
    answer.failure.kind = name(FailureKind::memory_kept);
    answer.failure.what = global.name + " keeps memory of an execution that is over";
    answer.failure.report = "heddle: " + answer.failure.kind + ": " + answer.failure.what + "\n";
  }
  if (answer.passed || globals.empty()) return;
  answer.failure.report += "note: " + describe_left(answer.left_behind) + "\n";
}

}  // namespace

Answer search_and_keep(Test& test) {
  const Answer answer = search(test, kept_tokens(test.number()));
  if (!answer.failure.token.empty()) keep_token(answer.failure.token);
  return answer;
}

Answer search(Test& test, const std::vector<Token>& first) {
  forget_reached();
  if (!test.is_isolated()) watch_globals(engine().left_memory());
  const Found found = Search(test).run(first);
  Answer answer;
  answer.executions = found.executions;
  answer.coverage = found.coverage;
  answer.passed = !found.failed();
  if (found.failed()) {
    const Execution shrunk = shrink(test, found.execution, answer.executions);
    answer.failure = explain(test, shrunk, found.executions);
  } else {
    look_for_labels(test.options(), answer);
  }
  if (!test.is_isolated()) look_for_left(answer);
  return answer;
}

}  // namespace heddle::sched::runtime
