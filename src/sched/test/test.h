// The test that is executed, and what was asked for.
#pragma once

#include <cstdint>

#include "heddle/sched.h"
#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

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

  // Learns which memory several tasks share, by executions in a child process.
  void learn_shared();

  const Options& options() const { return options_; }

 private:
  void (*body_)(void*);
  void* state_;
  Options options_;
  EngineOptions engine_options_;
};

// The options with what environment variables say instead. Stops the program if one of them cannot
// be understood.
Options with_environment(const Options& options);

// EngineOptions::undecided: what HEDDLE_SCHED_BROKEN names. For tests of heddle itself.
std::uint64_t broken_on_purpose();

}  // namespace heddle::sched::runtime
