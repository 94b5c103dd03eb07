// System calls that the program makes itself: waits on futexes, with which libstdc++ makes
// atomic::wait, semaphores, latches, barriers and futures.
#include "sched/posix/futex.h"

#include <algorithm>
#include <cerrno>
#include <linux/futex.h>
#include <string>

#include "sched/posix/clock_times.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

struct FutexCall {
  std::uint32_t* word;
  int operation;
  std::uint32_t value;
  const timespec* time;  // or how many to move, for some operations
  std::uint32_t* other;
  std::uint32_t last;
  const void* caller;

  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(word); }
};

long fail_with_error(int error) {
  errno = error;
  return -1;
}

std::optional<std::uint64_t> limit_of(const FutexCall& call, int command) {
  if (call.time == nullptr) return std::nullopt;
  // Only FUTEX_WAIT counts from now (futex(2)).
  return command == FUTEX_WAIT ? deadline_after(*call.time) : to_ns(*call.time);
}

long wait_for_change(const FutexCall& call, int command) {
  engine().step(
      {.kind = OperationKind::futex_wait, .object = call.address(), .caller = call.caller});
  const std::uint32_t found = __atomic_load_n(call.word, __ATOMIC_RELAXED);
  if (found != call.value) return fail_with_error(EAGAIN);
  if (engine().choose(2, true) != 0) return 0;
  SyncObject& object = engine().object(call.word);
  const TaskId task = engine().running().id;
  object.waiters.push_back(task);
  const bool came = engine().request(
      {.kind = OperationKind::wake_up, .object = call.address(), .caller = call.caller}, false,
      limit_of(call, command));
  if (came) return 0;
  std::erase(object.waiters, task);
  return fail_with_error(ETIMEDOUT);
}

long wake_waiters(const FutexCall& call) {
  engine().step(
      {.kind = OperationKind::futex_wake, .object = call.address(), .caller = call.caller});
  SyncObject& object = engine().object(call.word);
  long woken = 0;
  while (woken < static_cast<long>(call.value) && !object.waiters.empty()) {
    const bool all = object.waiters.size() <= call.value - static_cast<std::size_t>(woken);
    const std::size_t which =
        all ? 0 : engine().choose(static_cast<std::uint32_t>(object.waiters.size()), false);
    engine().enable(only(object.waiters[which]));
    object.waiters.erase(object.waiters.begin() + static_cast<std::ptrdiff_t>(which));
    ++woken;
  }
  engine().changed(call.address());
  return woken;
}

long move_waiters(const FutexCall& call, int command) {
  if (command == FUTEX_CMP_REQUEUE && __atomic_load_n(call.word, __ATOMIC_RELAXED) != call.last) {
    return fail_with_error(EAGAIN);
  }
  long count = wake_waiters(call);
  SyncObject& from = engine().object(call.word);
  SyncObject& to = engine().object(call.other);
  for (auto left = reinterpret_cast<std::uintptr_t>(call.time); left > 0 && !from.waiters.empty();
       --left) {
    to.waiters.push_back(from.waiters.front());
    from.waiters.erase(from.waiters.begin());
    ++count;
  }
  return count;
}

long futex(const FutexCall& call) {
  const InRuntime inside;
  const int command = call.operation & FUTEX_CMD_MASK;
  switch (command) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      return wait_for_change(call, command);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      return wake_waiters(call);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
      return move_waiters(call, command);
    default:
      engine().fail(FailureKind::misuse,
                    "operation " + std::to_string(command) + " of futex(2) is not controlled");
  }
}

}  // namespace

long controlled_futex(const std::array<long, 6>& arguments, const void* caller) {
  return futex({.word = reinterpret_cast<std::uint32_t*>(arguments[0]),
                .operation = static_cast<int>(arguments[1]),
                .value = static_cast<std::uint32_t>(arguments[2]),
                .time = reinterpret_cast<const timespec*>(arguments[3]),
                .other = reinterpret_cast<std::uint32_t*>(arguments[4]),
                .last = static_cast<std::uint32_t>(arguments[5]),
                .caller = caller});
}

}  // namespace heddle::sched::runtime
