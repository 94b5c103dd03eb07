// What tasks do, as it is hashed, recorded and told.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sched/races/vector_clock.h"
#include "sched/schedule/schedule.h"

namespace heddle::sched::runtime {

enum class OperationKind : std::uint8_t {
  read,
  write,
  atomic_load,
  atomic_store,
  atomic_change,  // exchange, fetch_add, ...
  compare_exchange,
  create,
  end,
  join,
  detach,
  lock,
  lock_shared,
  try_lock,
  unlock,
  wait,     // on a condition; gives the mutex away
  wake_up,  // from it; has the mutex again
  notify_one,
  notify_all,
  semaphore_wait,
  semaphore_post,
  barrier_wait,
  futex_wait,
  futex_wake,
  once,
  sleep,
  yield,
  read_clock,
  signal_wait,
  signal_send,
  cancel,
  descriptor_wait,  // until a descriptor is ready
  descriptor_use,
  point,
  call,      // a property's command; the object is its place among the calls
  returned,  // from it
  choose,
  draw,  // a random number
  allocate,
  free,
};

// "reads", "locks": what stands in a report.
const char* verb(OperationKind kind);

struct Event {
  TaskPlace place;
  OperationKind kind{};
  std::uintptr_t object = 0;
  std::uint32_t size = 0;
  // The value before and after, where there is memory of at most eight bytes; else 0.
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  bool step = true;  // others could have gone first; else it is only told
  bool timed_out = false;
  std::uint64_t result = 0;           // what was chosen; whether a try was successful
  std::size_t decisions = 0;          // among several tasks, before it
  TaskPlace decided;                  // the last of these was for this place
  std::vector<std::uintptr_t> stack;  // return addresses, the innermost first
};

enum class FailureKind : std::uint8_t {
  none,
  assertion,
  exception,
  crash,
  abort,
  exit,
  deadlock,
  livelock,
  starvation,
  data_race,
  misuse,  // unlocking what another task has locked, and the like
  invariant,
  not_linearizable,
  too_long,  // the limit of steps
  too_many_tasks,
  not_deterministic,
  stack_overflow,
  use_after_free,
  memory_kept,  // by a global, of an execution that is over
};
const char* name(FailureKind kind);

// A task that waits when nobody can go on.
struct Waiting {
  TaskId task = 0;
  OperationKind kind{};
  std::uintptr_t object = 0;
  int owner = -1;  // the task that has the object, or whose end is waited for; -1: none
  std::uint32_t operation = 0;  // which of the task's it is
};

// A part of what an execution has written, up to `end` bytes from the beginning.
struct WrittenPart {
  TaskId task = 0;
  std::uint64_t end = 0;
};

// What the program calls some memory.
struct NamedMemory {
  std::uintptr_t address = 0;
  std::size_t size = 0;
  std::string name;
};

struct Failure {
  FailureKind kind = FailureKind::none;
  TaskId task = 0;
  std::string what;
  std::uintptr_t object = 0;          // a data race's
  TaskId other = 0;                   // whose access the race is with
  std::vector<std::uintptr_t> stack;  // where, the innermost first
  std::vector<Waiting> waiting;       // a deadlock's
};

// What one execution came to.
struct Execution {
  Failure failure;
  Schedule schedule;           // what it did that is not the default
  std::uint64_t events = 0;    // hash over all of them
  std::size_t steps = 0;       // decisions among several tasks
  std::size_t operations = 0;  // of all tasks
  std::size_t tasks = 0;
  bool has_come_by = false;  // what EngineOptions::sought says
  std::vector<NamedMemory> names;
  std::vector<Event> recorded;       // only when it was asked for
  std::vector<WrittenPart> written;  // as above
  std::vector<std::string> answers;  // as above: what a property's calls were answered

  bool failed() const { return failure.kind != FailureKind::none; }
  // Keeps what memory it has.
  void clear();
};

}  // namespace heddle::sched::runtime
