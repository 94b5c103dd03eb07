#include "sched/test/test.h"

#include <errno.h>
#include <fstream>
#include <string>
#include <sys/single_threaded.h>
#include <utility>

#include "sched/runtime/process_ends.h"
#include "sched/test/output.h"

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

std::vector<std::string> command_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (words.empty()) words.emplace_back(program_invocation_name);
  return words;
}

std::string command_line() {
  std::string line;
  for (const std::string& word : command_words()) {
    constexpr const char* kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+-@%";
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
    std::string quoted = "'";
    for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
    if (!line.empty()) line += " ";
    line += plain ? word : quoted + "'";
  }
  return line;
}

Test::Test(void (*body)(void*), void* state, const Options& options)
    : body_(body), state_(state), options_(options) {
  engine_options_ = {.races = engine_races(options.races),
                     .faults = options.faults,
                     .most_steps = options.steps,
                     .seed = options.seed,
                     .outside = options.outside,
                     .undecided = broken_on_purpose()};
  allocate_buffers();
  open_engine();
  engine().shadow().forget_shared();
  engine().left_memory().clear();
  engine_options_.watches_globals = options.isolate == Isolate::no;
  __libc_single_threaded =
      0;  // Else the standard library leaves out what other threads would need.
  handle_crashes();
  if (options.isolate == Isolate::process) children_ = std::make_unique<ChildExecutions>();
}

std::uint64_t next_test_number() {
  static std::uint64_t number = 0;
  return number++;
}

Test::~Test() { stop_handling_crashes(); }

void Test::share(const void* address) {
  engine().shadow().share(reinterpret_cast<std::uintptr_t>(address));
}

void Test::set_program(int expected_exit, std::function<void()> prepare) {
  engine_options_.is_program = true;
  engine_options_.expected_exit = expected_exit;
  if (children_ != nullptr) children_->set_prepare(std::move(prepare));
}

void Test::enter_child() {
  engine().enter_child();
  if (children_ != nullptr) children_ = std::make_unique<ChildExecutions>(children_->prepare());
}

Execution& Test::run(runtime::Strategy& strategy, const EngineOptions& options) {
  engine().flight().number = number_;
  engine().flight().seed = options_.seed;
  engine().flight().set_program(program_);
  if (children_ == nullptr) return run_here(strategy, options);
  return children_->run(
      strategy, [&](runtime::Strategy& used) -> Execution& { return run_here(used, options); });
}

Execution& Test::run_here(runtime::Strategy& strategy, const EngineOptions& options) {
  Call call{body_, state_};
  if (judge_ != nullptr) judge_->prepare();
  Execution& execution = engine().run(call_body, &call, strategy, options);
  if (judge_ != nullptr && !execution.failed()) judge_->judge(execution.failure);
  if (judge_ != nullptr && options.record) execution.answers = judge_->answers();
  return execution;
}

const Execution& Test::execute(runtime::Strategy& strategy) {
  return run(strategy, engine_options_);
}

Execution Test::replay(const Schedule& schedule, bool record) {
  Replay strategy(schedule);
  strategy.begin_execution();
  EngineOptions options = engine_options_;
  options.record = record;
  return run(strategy, options);
}

Execution Test::replay_looking_for(const Schedule& schedule, std::uint32_t events) {
  Replay strategy(schedule);
  strategy.begin_execution();
  EngineOptions options = engine_options_;
  options.record = true;
  options.sought = events;
  return run(strategy, options);
}

Execution Test::replay_to(const Schedule& schedule, const DebuggerStop& stop) {
  Replay strategy(schedule);
  strategy.begin_execution();
  EngineOptions options = engine_options_;
  options.record = true;
  options.stop_at = stop.place;
  options.stop_above = stop.above;
  return run(strategy, options);
}

Execution Test::record(const Schedule& schedule, int output) {
  Replay strategy(schedule);
  strategy.begin_execution();
  EngineOptions options = engine_options_;
  options.record = true;
  options.output = output;
  return run(strategy, options);
}

}  // namespace heddle::sched::runtime
