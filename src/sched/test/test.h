// The test that is executed, and what was asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heddle/sched.h"
#include "sched/process/child_executions.h"
#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

// What judges executions that did not fail by themselves.
class Judge {
 public:
  virtual ~Judge() = default;
  // Before an execution begins.
  virtual void prepare() = 0;
  // After one that ended: notes a failure, if there is one.
  virtual void judge(Failure& failure) = 0;
  // What was executed, for a report; and what an event of a call is told as.
  virtual std::string describe() const = 0;
  virtual std::string describe_event(const Execution& execution, const Event& event) const = 0;
  // What calls of the last execution were answered, by their places.
  virtual std::vector<std::string> answers() const = 0;
  // What was executed, for a token.
  virtual std::vector<std::uint64_t> program_numbers() const = 0;
};

// Where a debugger is to stop: before an operation, and so many frames above the one that makes it.
struct DebuggerStop {
  TaskPlace place;
  std::size_t above = 0;
};

// The body of a test, and how it is executed.
class Test {
 public:
  Test(void (*body)(void*), void* state, const Options& options);
  ~Test();
  Test(const Test&) = delete;
  Test& operator=(const Test&) = delete;

  // One execution. What is returned is overwritten by the next.
  const Execution& execute(runtime::Strategy& strategy);
  // One that follows the schedule; `record`: with all its events.
  Execution replay(const Schedule& schedule, bool record);
  // As `replay`, and whether what has happened at some time has this check sum.
  Execution replay_looking_for(const Schedule& schedule, std::uint32_t events);
  // As `replay`, and calls the debugger where it is to stop.
  Execution replay_to(const Schedule& schedule, const DebuggerStop& stop);
  // As `replay`, with its events, and with who has written what to `output`, a file.
  Execution record(const Schedule& schedule, int output);

  // The body is a program, which is to end with this exit code.
  // `prepare` is called in the process of each execution.
  void set_program(int expected_exit, std::function<void()> prepare);
  // This process, a child of the one that made the test, makes executions for itself.
  void enter_child();
  // Whether each execution has a process of its own.
  bool is_isolated() const { return children_ != nullptr; }

  // The memory counts as shared.
  void share(const void* address);

  // Learns which memory several tasks share, by executions in a child process.
  void learn_shared();

  // Which of the program's tests this is, from 0: a token says it.
  std::uint64_t number() const { return number_; }
  void set_number(std::uint64_t number) { number_ = number; }
  // What it is called where many are told of.
  void set_name(std::string name) { name_ = std::move(name); }
  const std::string& name() const { return name_; }
  // What random numbers the test draws.
  void set_seed(std::uint64_t seed) { options_.seed = engine_options_.seed = seed; }
  void set_judge(Judge* judge) {
    judge_ = judge;
    program_ = judge->program_numbers();
  }
  const Judge* judge() const { return judge_; }
  const Options& options() const { return options_; }

 private:
  Execution& run(runtime::Strategy& strategy, const EngineOptions& options);
  Execution& run_here(runtime::Strategy& strategy, const EngineOptions& options);

  std::uint64_t number_ = 0;
  std::string name_;
  Judge* judge_ = nullptr;
  std::vector<std::uint64_t> program_;  // the judge's
  void (*body_)(void*);
  void* state_;
  Options options_;
  EngineOptions engine_options_;
  std::unique_ptr<ChildExecutions> children_;  // null: executions are made by this process
};

// The number of the next test of this program.
std::uint64_t next_test_number();

// As the program was started: its name and its arguments.
std::vector<std::string> command_words();
// The same for a shell: its tests may be chosen by arguments.
std::string command_line();

// What HEDDLE_SCHED_BREAK says, as `break_text` tells it.
std::optional<DebuggerStop> debugger_stop();
// "1.5.0": thread, operation, frames.
std::string break_text(const DebuggerStop& stop);

// Variables that are set and make a difference to one execution: "HEDDLE_RACES=find".
std::vector<std::string> execution_environment();

// Where HEDDLE_SCHED_REPORT wants reports; empty: nowhere.
std::string report_folder();

// The options with what environment variables say instead. Stops the program if one of them cannot
// be understood.
Options with_environment(const Options& options);

// The exit code that a program with its own main is to end with.
int expected_exit();

// How long a process may go without a step; 0: for ever.
double watchdog_seconds();

// EngineOptions::undecided: what HEDDLE_SCHED_BROKEN names. For tests of heddle itself.
std::uint64_t broken_on_purpose();

}  // namespace heddle::sched::runtime
