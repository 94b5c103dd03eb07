#include "sched/property/property_search.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "sched/property/program_rounds.h"
#include "sched/property/program_trial.h"
#include "sched/property/simpler.h"
#include "sched/report/failure_report.h"
#include "sched/report/kept_tokens.h"
#include "sched/report/report_files.h"
#include "sched/runtime/libc.h"
#include "sched/search/budget.h"
#include "sched/search/rounds.h"
#include "sched/search/shrink.h"
#include "sched/test/framework.h"
#include "sched/test/output.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

namespace {

class PropertySearch {
 public:
  explicit PropertySearch(Trials trials)
      : trials_(std::move(trials)), budget_(trials_.options.executions, trials_.options.seconds) {}

  Answer run(const std::vector<Token>& first) {
    Answer answer;
    const bool found = fails_as_before(first, answer) || try_programs(answer);
    answer.executions = budget_.used();
    answer.passed = !found;
    if (found) answer.failure = explain_smallest(answer.executions);
    return answer;
  }

 private:
  bool fails_as_before(const std::vector<Token>& tokens, Answer& answer) {
    for (const Token& token : tokens) {
      Program program;
      if (!take_program(trials_.property, token.program, program)) continue;
      if (!budget_.is_left()) return false;
      budget_.use();
      ProgramTest program_test(trials_.property, program, trials_.options, trials_.test_number);
      program_test.test.set_seed(token.seed);
      Execution execution = program_test.test.replay(token.schedule, false);
      if (!execution.failed()) continue;
      failed_ = std::move(execution);
      failing_ = std::move(program);
      answer.coverage = "what failed before";
      return true;
    }
    return false;
  }

  bool try_programs(Answer& answer) {
    ProgramRounds rounds(trials_, jobs_of(trials_.options));
    std::optional<ProgramRounds::Failed> failed;
    if (trials_.size.all > 0) {
      failed = try_all(rounds, answer);
    } else {
      failed = rounds.try_random(budget_);
      answer.coverage = std::to_string(rounds.programs()) + " programs";
    }
    answer.statistics = rounds.statistics();
    if (!failed) return false;
    failed_ = std::move(failed->execution);
    failing_ = std::move(failed->program);
    return true;
  }

  // Smallest first.
  std::optional<ProgramRounds::Failed> try_all(ProgramRounds& rounds, Answer& answer) {
    std::optional<ProgramRounds::Failed> failed;
    std::uint32_t done = 0;      // all programs of so many commands were tried
    std::uint64_t programs = 0;  // of those
    while (!failed && done < trials_.size.all) {
      failed = rounds.try_all(done + 1, budget_);
      if (!rounds.is_through()) break;
      ++done;
      programs += rounds.programs();
    }
    std::string text = "all " + std::to_string(programs) + " programs of at most " +
                       std::to_string(done) + (done == 1 ? " command" : " commands");
    if (done < trials_.size.all) {
      text += " and " + std::to_string(rounds.programs()) + " of " + std::to_string(done + 1);
    }
    const std::uint32_t preemptions = trials_.options.preemptions;
    answer.coverage = text + ", all interleavings with at most " + std::to_string(preemptions) +
                      (preemptions == 1 ? " preemption" : " preemptions");
    return failed;
  }

  using MakeStrategy = Trials::MakeStrategy;

  // The simplest way in which the program fails as before, if it still does.
  std::optional<Execution> fails_still(const Program& program) {
    constexpr int kExecutions = 400;
    ProgramTest program_test(trials_.property, program, trials_.options, trials_.test_number);
    const std::vector<MakeStrategy> strategies = {
        [this] { return std::make_unique<Replay>(failed_.schedule); },
        [] { return depth_first(2); },
        [] { return random_walk(1); },
    };
    for (const MakeStrategy& make : strategies) {
      const auto strategy = make();
      const bool once = dynamic_cast<Replay*>(strategy.get()) != nullptr;
      for (int i = 0; i < (once ? 1 : kExecutions) && strategy->begin_execution(); ++i) {
        ++shrinking_;
        const Execution& execution = program_test.test.execute(*strategy);
        if (fails_alike(execution.failure, failed_.failure)) return execution;
      }
      if (strategy->coverage() == "all interleavings") break;
    }
    return std::nullopt;
  }

  void make_smaller() {
    const auto take = [this](const Program& simpler) {
      if (!is_allowed(trials_.property, simpler)) return false;
      std::optional<Execution> execution = fails_still(simpler);
      if (!execution) return false;
      failing_ = simpler;
      failed_ = std::move(*execution);
      return true;
    };
    while (visit_simpler(trials_.property, Program(failing_), take)) {
    }
  }

  sched::Failure explain_smallest(std::uint64_t& executions) {
    const std::uint64_t found_in = executions;
    make_smaller();
    ProgramTest program_test(trials_.property, failing_, trials_.options, trials_.test_number);
    const Execution shrunk = shrink(program_test.test, failed_, executions);
    executions += shrinking_;
    return explain(program_test.test, shrunk, found_in);
  }

  Trials trials_;
  Budget budget_;
  std::uint64_t shrinking_ = 0;
  Execution failed_;
  Program failing_;
};

}  // namespace

namespace {

Answer replay_program(PropertyTest& property, const Token& token, const Options& options) {
  Program program;
  if (!take_program(property, token.program, program)) {
    stop_program("heddle: HEDDLE_REPLAY is a token of another test");
  }
  ProgramTest program_test(property, std::move(program), options, token.check);
  return replay_token(program_test.test, token);
}

}  // namespace

Answer check_property(PropertyTest& property, const ProgramSize& size, const Options& options) {
  if (property.commands() == 0) stop_program("heddle: a property needs a command");
  const std::string problem = property.problem();
  if (!problem.empty()) stop_program(("heddle: " + problem).c_str());
  const std::uint64_t number = next_test_number();
  if (const std::optional<Token> token = token_to_replay()) {
    return token->check == number ? replay_program(property, *token, options) : left_out();
  }
  const std::vector<Token> before = options.quiet ? std::vector<Token>{} : kept_tokens(number);
  const Answer answer = PropertySearch({property, size, options, number}).run(before);
  if (!options.quiet && !answer.failure.token.empty()) keep_token(answer.failure.token);
  return answer;
}

}  // namespace heddle::sched::runtime

namespace heddle::sched::entry {

extern "C" {
#pragma GCC visibility push(default)

void heddle_sched_check_property(PropertyTest* property, const ProgramSize* size,
                                 const Options* options, Answer* answer) {
  const std::string name = runtime::test_name(*options);
  {
    const runtime::InFramework in_framework;
    const runtime::Quiet quiet;
    Options own = runtime::with_environment(*options);
    // Answers of calls are judged and told where they were given.
    own.isolate = Isolate::no;
    own.name = name;
    *answer = runtime::check_property(*property, *size, own);
  }
  if (options->quiet) {
    runtime::forget_reports();
    return;
  }
  runtime::write_reports(name, *answer);
  if (!answer->passed) runtime::report_failure(*answer);
}

#pragma GCC visibility pop
}

}  // namespace heddle::sched::entry
