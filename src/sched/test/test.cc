#include "sched/test/test.h"

#include <sys/single_threaded.h>

#include "sched/runtime/process_ends.h"

namespace heddle::sched::runtime {

namespace {

struct Call {
  void (*body)(void*);
  void* state;
};

void* call_body(void* call) {
  const Call& made = *static_cast<const Call*>(call);
  made.body(made.state);
  return nullptr;
}

runtime::Races engine_races(sched::Races races) {
  switch (races) {
    case sched::Races::fail:
      return runtime::Races::fail;
    case sched::Races::find:
      return runtime::Races::find;
    case sched::Races::ignore:
      return runtime::Races::ignore;
  }
  return runtime::Races::fail;
}

}  // namespace

Test::Test(void (*body)(void*), void* state, const Options& options)
    : body_(body), state_(state), options_(options) {
  engine_options_ = {.races = engine_races(options.races),
                     .faults = options.faults,
                     .most_steps = options.steps,
                     .seed = options.seed,
                     .undecided = broken_on_purpose()};
  open_engine();
  engine().shadow().forget_shared();
  __libc_single_threaded =
      0;  // Else the standard library leaves out what other threads would need.
  handle_crashes();
}

Test::~Test() { stop_handling_crashes(); }

const Execution& Test::execute(runtime::Strategy& strategy) {
  Call call{body_, state_};
  return engine().run(call_body, &call, strategy, engine_options_);
}

Execution Test::replay(const Schedule& schedule, bool record) {
  Replay strategy(schedule);
  strategy.begin_execution();
  Call call{body_, state_};
  EngineOptions options = engine_options_;
  options.record = record;
  return engine().run(call_body, &call, strategy, options);
}

}  // namespace heddle::sched::runtime
