#include "sched/search/search.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sched/report/failure_report.h"
#include "sched/search/budget.h"
#include "sched/search/shrink.h"
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

  Found run() {
    const Options& options = test_.options();
    if (options.strategy == sched::Strategy::automatic) {
      run_automatic();
    } else {
      const auto strategy = make(options.strategy);
      run_all(*strategy);
      note(*strategy);
    }
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
    if (!execution.failed()) return true;
    found_.execution = execution;
    if (engine().shadow().shared_granules() == shared || fails_again()) return false;
    // It met memory that it did not know to be shared, and its schedule leads elsewhere now that
    // this is known: what it showed will be met again.
    unconfirmed_ = std::move(found_.execution);
    found_.execution = Execution{};
    return true;
  }

  bool fails_again() {
    return fails_alike(test_.replay(found_.execution.schedule, false).failure,
                       found_.execution.failure);
  }

  void run_all(runtime::Strategy& strategy) {
    while (run_once(strategy)) {
    }
  }

  void note(const runtime::Strategy& strategy) {
    if (!found_.coverage.empty()) found_.coverage += ", ";
    found_.coverage += strategy.coverage();
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
    run_in_turn();
  }

  void run_in_turn() {
    const std::uint64_t seed = test_.options().seed;
    std::vector<std::unique_ptr<runtime::Strategy>> strategies;
    for (const std::uint32_t depth : {2, 3, 4}) strategies.push_back(pct(seed + depth, depth));
    strategies.push_back(pos(seed));
    strategies.push_back(random_walk(seed));
    for (std::size_t turn = 0; run_once(*strategies[turn % strategies.size()]); ++turn) {
    }
    for (const auto& strategy : strategies) note(*strategy);
  }

  Test& test_;
  Budget budget_;
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

Answer search(Test& test) {
  forget_reached();
  const Found found = Search(test).run();
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
  return answer;
}

}  // namespace heddle::sched::runtime
