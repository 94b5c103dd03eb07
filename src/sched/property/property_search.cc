#include "sched/property/property_search.h"

#include <cstdlib>
#include <memory>
#include <optional>

#include "sched/property/program_run.h"
#include "sched/report/failure_report.h"
#include "sched/runtime/libc.h"
#include "sched/search/budget.h"
#include "sched/search/shrink.h"
#include "sched/test/framework.h"
#include "sched/test/output.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

namespace {

// A program under test.
struct ProgramTest {
  ProgramTest(PropertyTest& property, Program program, const Options& options, std::uint64_t number)
      : run(property, std::move(program)), test(ProgramRun::execute, &run, options) {
    test.set_judge(&run);
    test.set_number(number);
  }

  ProgramRun run;
  Test test;
};

class PropertySearch {
 public:
  PropertySearch(PropertyTest& property, const ProgramSize& size, const Options& options,
                 std::uint64_t number)
      : number_(number),
        property_(property),
        size_(size),
        options_(options),
        budget_(options.executions, options.seconds),
        random_(options.seed) {}

  Answer run() {
    Answer answer;
    const bool found = try_one_thread() || try_several();
    answer.executions = budget_.used();
    answer.coverage = std::to_string(programs_) + " programs";
    answer.passed = !found;
    if (found) answer.failure = explain_smallest(answer.executions);
    return answer;
  }

 private:
  // How many interleavings of one program are tried by each strategy.
  static constexpr int kRound = 16;
  static constexpr int kPrograms = 64;

  bool try_one_thread() {
    ProgramSize alone = size_;
    alone.prefix = size_.prefix + size_.branches * size_.branch + size_.suffix;
    alone.branches = 0;
    alone.suffix = 0;
    for (int i = 0; i < kPrograms && budget_.is_left(); ++i) {
      if (try_program(generate_program(property_, alone, random_), {sequential})) return true;
    }
    return false;
  }

  bool try_several() {
    const std::vector<MakeStrategy> strategies = {
        sequential,
        [] { return depth_first(1); },
        [this] { return pct(random_.next(), 2); },
        [this] { return pct(random_.next(), 3); },
        [this] { return pos(random_.next()); },
        [this] { return random_walk(random_.next()); },
    };
    while (budget_.is_left()) {
      if (try_program(generate_program(property_, size_, random_), strategies)) return true;
    }
    return false;
  }

  using MakeStrategy = std::function<std::unique_ptr<runtime::Strategy>()>;

  bool try_program(Program program, const std::vector<MakeStrategy>& strategies) {
    ++programs_;
    ProgramTest program_test(property_, std::move(program), options_, number_);
    for (const MakeStrategy& make : strategies) {
      const auto strategy = make();
      for (int i = 0; i < kRound && budget_.is_left() && strategy->begin_execution(); ++i) {
        budget_.use();
        const Execution& execution = program_test.test.execute(*strategy);
        if (!execution.failed()) continue;
        failed_ = execution;
        failing_ = program_test.run.program();
        return true;
      }
    }
    return false;
  }

  // The simplest way in which the program fails as before, if it still does.
  std::optional<Execution> fails_still(const Program& program) {
    constexpr int kExecutions = 400;
    ProgramTest program_test(property_, program, options_, number_);
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
    }
    return std::nullopt;
  }

  void make_smaller() {
    bool again = true;
    while (again) {
      again = false;
      for (const Program& simpler : simpler_programs(property_, failing_)) {
        if (!is_allowed(property_, simpler)) continue;
        std::optional<Execution> execution = fails_still(simpler);
        if (!execution) continue;
        failing_ = simpler;
        failed_ = std::move(*execution);
        again = true;
        break;
      }
    }
  }

  sched::Failure explain_smallest(std::uint64_t& executions) {
    const std::uint64_t found_in = executions;
    make_smaller();
    ProgramTest program_test(property_, failing_, options_, number_);
    const Execution shrunk = shrink(program_test.test, failed_, executions);
    executions += shrinking_;
    return explain(program_test.test, shrunk, found_in);
  }

  std::uint64_t number_;
  PropertyTest& property_;
  ProgramSize size_;
  Options options_;
  Budget budget_;
  RandomNumbers random_;
  std::uint64_t programs_ = 0;
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
  const std::uint64_t number = next_test_number();
  if (const std::optional<Token> token = token_to_replay()) {
    return token->check == number ? replay_program(property, *token, options) : left_out();
  }
  return PropertySearch(property, size, options, number).run();
}

}  // namespace heddle::sched::runtime

namespace heddle::sched::entry {

extern "C" {
#pragma GCC visibility push(default)

void heddle_sched_check_property(PropertyTest* property, const ProgramSize* size,
                                 const Options* options, Answer* answer) {
  {
    const runtime::InFramework in_framework;
    const runtime::Quiet quiet;
    Options own = runtime::with_environment(*options);
    // Answers of calls are judged and told where they were given.
    own.isolate = Isolate::no;
    *answer = runtime::check_property(*property, *size, own);
  }
  if (!answer->passed && !options->quiet) runtime::report_failure(*answer);
}

#pragma GCC visibility pop
}

}  // namespace heddle::sched::entry
