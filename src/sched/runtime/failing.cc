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

// Nobody can go on. Threads that nobody waits for may be left waiting when the test's body has
// ended.
void Engine::stop_stuck() {
  TaskSet matters = options_.is_program ? alive_ : 0;
  for (TaskSet left = alive_; left != 0; left &= left - 1) {
    if (!tasks_[first_of(left)].detached) matters |= only(first_of(left));
  }
  if (matters == 0) leave();
  for (TaskSet left = alive_; left != 0; left &= left - 1) {
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
  fail(FailureKind::deadlock, "no thread can go on");
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
