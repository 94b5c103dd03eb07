#include "sched/property/property_search.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "sched/property/enumeration.h"
#include "sched/property/program_run.h"
#include "sched/property/statistics.h"
#include "sched/report/failure_report.h"
#include "sched/report/report_files.h"
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
    test.set_name(options.name);
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
        random_(options.seed),
        statistics_(property) {}

  Answer run() {
    Answer answer;
    const bool found = size_.all > 0 ? try_all() : try_one_thread() || try_several();
    answer.executions = budget_.used();
    answer.coverage = size_.all > 0 ? coverage_of_all() : std::to_string(programs_) + " programs";
    answer.statistics = statistics_.text();
    answer.passed = !found;
    if (found) answer.failure = explain_smallest(answer.executions);
    return answer;
  }

 private:
  static constexpr std::uint64_t kRound = 16;
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

  // Smallest first.
  bool try_all() {
    const ProgramEnumeration programs(property_, std::max(size_.branches, 2U));
    const auto explorer = [this] { return depth_first(options_.preemptions); };
    for (std::uint32_t calls = 1; calls <= size_.all; ++calls) {
      programs_ = 0;
      const bool is_through = programs.for_each(calls, [&](const Program& program) {
        return !try_program(program, {explorer}, UINT64_MAX) && budget_.is_left();
      });
      if (failed_.failed()) return true;
      if (!is_through) return false;
      all_up_to_ = calls;
      all_programs_ += programs_;
    }
    return false;
  }

  std::string coverage_of_all() const {
    std::string text = "all " + std::to_string(all_programs_) + " programs of at most " +
                       std::to_string(all_up_to_) + (all_up_to_ == 1 ? " command" : " commands");
    if (all_up_to_ < size_.all) {
      text += " and " + std::to_string(programs_) + " of " + std::to_string(all_up_to_ + 1);
    }
    return text + ", all interleavings with at most " + std::to_string(options_.preemptions) +
           (options_.preemptions == 1 ? " preemption" : " preemptions");
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

  // `most`: how many interleavings are tried by each strategy.
  bool try_program(Program program, const std::vector<MakeStrategy>& strategies,
                   std::uint64_t most = kRound) {
    ++programs_;
    ProgramTest program_test(property_, std::move(program), options_, number_);
    for (const MakeStrategy& make : strategies) {
      const auto strategy = make();
      for (std::uint64_t i = 0; i < most && budget_.is_left(); ++i) {
        if (!strategy->begin_execution()) break;
        budget_.use();
        const Execution& execution = program_test.test.execute(*strategy);
        statistics_.add(program_test.run.calls(), program_test.run.made());
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
  CallStatistics statistics_;
  std::uint32_t all_up_to_ = 0;  // all programs of so many commands were tried
  std::uint64_t all_programs_ = 0;
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
