// The ways in which an execution fails.
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <string>
#include <typeinfo>

#include "sched/runtime/backtrace.h"
#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

namespace {

std::string describe_exception() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  std::string name = type == nullptr ? "a foreign exception" : type->name();
  int status = 0;
  if (char* plain = type == nullptr
                        ? nullptr
                        : abi::__cxa_demangle(type->name(), nullptr, nullptr, &status)) {
    name = plain;
    free(plain);
  }
  try {
    throw;
  } catch (const std::exception& error) {
    return name + ": " + error.what();
  } catch (...) {
    return name;
  }
}

}  // namespace

void Engine::fail(FailureKind kind, std::string what) {
  hooked = nullptr;
  Failure& failure = execution_.failure;
  failure.kind = kind;
  failure.task = running_->id;
  failure.what = std::move(what);
  if (options_.record) failure.stack = program_frames();
  leave();
}

void Engine::fail_by_stranger() {
  execution_.failure.object = touched_by_stranger;
  fail(FailureKind::misuse,
       "a thread that the test did not create touches an object of the test: start it in the body");
}

// Nobody can go on. Threads that nobody waits for may be left waiting when the test's body has
// ended.
void Engine::stop_stuck() {
  TaskSet matters = options_.is_program ? alive_ : 0;
  for (TaskSet left = alive_; left != 0; left &= left - 1) {
    if (!tasks_[first_of(left)].detached) matters |= only(first_of(left));
  }
  if (matters == 0) leave();
  note_waiting();
  fail(FailureKind::deadlock, "no thread can go on");
}

// The execution's schedule is kept as far as it is new.
void Engine::fail_if_starved() {
  const Repeated repeated = strategy_->repeated();
  if (repeated.round == nullptr) return;
  const TaskSet starving = repeated.round->starving & alive_;
  if (starving == 0 || (starving & enabled_ & ~spinning_) != 0) return;
  kept_choices_ = repeated.kept;
  execution_.schedule.round = *repeated.round;
  note_waiting();
  const bool are_several = !std::has_single_bit(starving);
  std::string what = are_several ? "threads " : "thread ";
  for (TaskSet left = starving; left != 0; left &= left - 1) {
    if (left != starving) what += (left & (left - 1)) == 0 ? " and " : ", ";
    what += std::to_string(first_of(left));
  }
  what += are_several ? " wait" : " waits";
  fail(FailureKind::starvation,
       what + " for ever while others repeat the same steps, although everybody goes on who can");
}

void Engine::fail_too_long() {
  fail_if_starved();
  note_waiting();
  fail(FailureKind::too_long, "more than " + std::to_string(options_.most_steps) + " steps");
}

// Who cannot go on, and why.
void Engine::note_waiting() {
  for (TaskSet left = alive_ & ~enabled_; left != 0; left &= left - 1) {
    const Task& task = tasks_[first_of(left)];
    Waiting waiting{.task = task.id,
                    .kind = task.announced,
                    .object = task.object,
                    .operation = task.operations};
    if (task.announced == OperationKind::join) {
      waiting.owner = static_cast<int>(task.object);
    } else if (const SyncObject* object = objects_.find(task.object)) {
      waiting.owner = object->owner;
    }
    execution_.failure.waiting.push_back(waiting);
  }
}

void Engine::note_exit(int status) {
  exit_status_ = status;
  if (options_.record) exit_stack_ = program_frames();
}

// Until the process is gone other threads go on.
void Engine::end_program() {
  step({.kind = OperationKind::end, .changes = false});
  if (*exit_status_ == options_.expected_exit) finish();
  Failure& failure = execution_.failure;
  failure.kind = FailureKind::exit;
  failure.task = running_->id;
  failure.what = "the program ends with exit code " + std::to_string(*exit_status_) +
                 ", and not with " + std::to_string(options_.expected_exit);
  failure.stack = exit_stack_;
  leave();
}

void Engine::fail_at_abort() {
  if (abi::__cxa_current_exception_type() != nullptr) {
    fail(FailureKind::exception, describe_exception());
  }
  fail(FailureKind::abort, "the program calls abort(), or std::terminate()");
}

void Engine::crash(int signal, const void* address) {
  if (LentThread::is_guard(address)) {
    fail(FailureKind::stack_overflow,
         "thread " + std::to_string(running_->id) + " has used up its stack");
  }
  fail(FailureKind::crash, std::string(sigdescr_np(signal)));
}

}  // namespace heddle::sched::runtime
