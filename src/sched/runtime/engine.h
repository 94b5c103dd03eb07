// One execution of a test: its tasks, who of them can go on, and the change from one to another.
//
// A task announces each operation before it makes it. When it is this task's turn it makes the
// operation and goes on to announce its next, with no decision in between: so a decision is always
// about operations that are all known, and each order of operations has one schedule. What concerns
// nobody else (a thread's begin and end, a join that need not wait) is done without a decision.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sched/races/shadow.h"
#include "sched/runtime/arena.h"
#include "sched/runtime/context.h"
#include "sched/runtime/event.h"
#include "sched/runtime/lent_thread.h"
#include "sched/runtime/sync_objects.h"
#include "sched/strategy/random_numbers.h"
#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

// What is done with accesses that no order keeps apart.
enum class Races : std::uint8_t {
  fail,   // the first one ends the execution
  find,   // they only become places at which tasks are preempted
  ignore  // no clocks are kept: tasks are preempted at what several of them touch
};

struct EngineOptions {
  Races races = Races::fail;
  std::uint32_t faults = 2;  // how many spurious wake-ups and the like one execution may have
  std::uint64_t most_steps = 100'000;
  std::uint64_t seed = 0;  // of the test's own random numbers
  bool record = false;
};

using Routine = void* (*)(void*);

// What a thread wants called at its end.
struct AtEnd {
  void (*call)(void*) = nullptr;
  void* argument = nullptr;
};

struct Task {
  TaskId id = 0;
  LentThread* thread = nullptr;
  std::uint32_t operations = 0;  // announced so far
  std::uint32_t forced = 0;      // an operation that is a step, whatever it is about; 0: none
  Routine routine = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  bool in_use = false;
  bool ended = false;
  bool detached = false;
  bool joined = false;
  bool timed_out = false;      // it goes on because its time has come
  std::uint32_t ignoring = 0;  // depth of what is to be left uncontrolled
  std::uint64_t deadline = 0;  // when its time comes, if it is timed
  int joiner = kNobody;        // who waits for its end
  int arrives_for = kNobody;   // who goes on when it has announced its first operation
  OperationKind announced{};   // what it announced last, and about what
  std::uintptr_t object = 0;
  VectorClock clock;
  VectorClock released;       // its clock at its last release fence
  VectorClock acquired;       // what its relaxed loads give to an acquire fence
  std::vector<AtEnd> at_end;  // destructors of thread_local objects
  std::vector<void*> keyed;   // by keys of pthread_key_create
};

// An operation that a task announces.
struct Announcement {
  OperationKind kind{};
  std::uintptr_t object = 0;
  std::uint32_t size = 0;
  bool changes = true;
  const void* caller = nullptr;  // where the program called the runtime
};

// The thread pointer of the task that runs; null while none does, and inside of the runtime.
extern constinit void* hooked;

// Whether the caller is a task of an execution and not the runtime itself, the driver, or a thread
// that the test did not create.
inline bool is_on_task() { return hooked != nullptr && thread_pointer() == hooked; }

class Engine {
 public:
  bool is_executing() const { return running_ != nullptr; }

  // REQUIRES: is_executing().
  Task& running() { return *running_; }
  Task& task(TaskId id) { return tasks_[id]; }
  const EngineOptions& options() const { return options_; }
  bool keeps_clocks() const { return options_.races != Races::ignore; }
  Shadow& shadow() { return shadow_; }
  Arena& arena() { return arena_; }
  SyncObject& object(const void* address) {
    return objects_.get(reinterpret_cast<std::uintptr_t>(address));
  }
  AtomicClocks& atomic_clocks() { return atomic_clocks_; }
  RandomNumbers& random() { return random_; }
  std::uint64_t now_ns() const { return now_ns_; }

  // REQUIRES: the caller is the driver. Called once.
  void open();
  // The caller is the only thread of a child process: threads that lent theirs are made anew.
  void enter_child();
  // One execution of `body(argument)`. What is returned is overwritten by the next.
  const Execution& run(Routine body, void* argument, Strategy& strategy,
                       const EngineOptions& options);

  // Below: called by the running task, inside of the runtime.

  // The task's next operation; returns when it is its turn to make it.
  void step(const Announcement& announcement) {
    announce(announcement);
    decide();
    note(announcement);
  }
  // An operation that concerns nobody else.
  void pass(const Announcement& announcement) {
    announce(announcement);
    note(announcement);
  }
  // As `step`, for what cannot be made now: until somebody calls `enable`, or the time comes.
  // False: the time came.
  bool wait(const Announcement& announcement, std::optional<std::uint64_t> deadline_ns);

  void enable(TaskSet tasks) { enabled_ |= tasks; }
  void disable(TaskSet tasks) { enabled_ &= ~tasks; }

  // One of 0 ... count - 1. `fault`: only 0 when the execution has had its faults.
  std::uint32_t choose(std::uint32_t count, bool fault);

  // An access to memory by the program. Its granule is all of it.
  void access(std::uintptr_t address, std::size_t size, AccessKind kind, const void* caller);

  // Memory was handed out: what was done there before does not concern what will be done.
  void forget_memory(std::uintptr_t address, std::size_t size) { shadow_.forget(address, size); }

  // As `access`, for an atomic operation whose turn it is.
  void atomic_access(std::uintptr_t address, std::size_t size, bool writes);

  // The running task tells what it knows: later its clock is another moment's.
  void tell(VectorClock& clock);
  void tell_also(VectorClock& clock);  // clock.join(...)
  void learn(const VectorClock& clock) {
    if (keeps_clocks()) running_->clock.join(clock);
  }

  // `prepare(task)` is called before the new task runs up to its first operation.
  template <class Prepare>
  Task& create_task(Routine routine, void* argument, const void* caller, Prepare prepare) {
    Task& task = make_task(routine, argument, caller);
    prepare(task);
    let_arrive(task);
    return task;
  }
  // Ends the running task.
  [[noreturn]] void end_task();
  void join_task(Task& task, const void* caller);

  [[noreturn]] void fail(FailureKind kind, std::string what);

  // For a value that the operation just noted gave.
  void note_result(std::uint64_t result);

 private:
  Task& make_task(Routine routine, void* argument, const void* caller);
  void let_arrive(Task& task);
  void announce(const Announcement& announcement);
  void decide();
  void note(const Announcement& announcement);
  TaskId pick();
  void force_next();
  void switch_to(Task& task);
  [[noreturn]] void leave();
  [[noreturn]] void stop_stuck();
  void race_found(const Race& race, std::size_t size, AccessKind kind);
  Task& new_task(Routine routine, void* argument);
  LentThread& thread_of(TaskId id);
  void close_event();
  void run_at_end(Task& task);
  std::uint64_t place_hash(std::uintptr_t address) const;
  static void run_task();
  void reset(const EngineOptions& options);

  Task* running_ = nullptr;
  TaskSet enabled_ = 0;
  TaskSet timed_ = 0;
  TaskSet alive_ = 0;
  TaskId current_ = 0;  // whom the last decision was for
  Strategy* strategy_ = nullptr;
  Replay* replay_ = nullptr;  // the strategy, if it replays
  std::array<Task, kMostTasks> tasks_;
  std::array<PendingOperation, kMostTasks> pending_;
  std::array<std::unique_ptr<LentThread>, kMostTasks> threads_;
  std::size_t tasks_used_ = 0;
  Carrier driver_;
  Switching switching_ = Switching::lending;
  EngineOptions options_;
  Shadow shadow_;
  Arena arena_;
  SyncObjects objects_;
  AtomicClocks atomic_clocks_;
  RandomNumbers random_{0};
  std::uint64_t now_ns_ = 0;
  std::uint32_t faults_left_ = 0;
  std::size_t decisions_ = 0;  // among several tasks
  std::size_t steps_ = 0;
  std::uint64_t hash_ = 0;
  bool open_event_ = false;  // the last recorded event's value after it is not known yet
  Execution execution_;
};

// There is one in a process. It is never destroyed: threads may run until the process ends.
extern constinit Engine* the_engine;
// Makes it, if there is none yet; the caller becomes the driver.
void open_engine();
inline Engine& engine() { return *the_engine; }

// While this lives hooks and interposed functions do what they do outside of tests. REQUIRES:
// is_on_task().
class InRuntime {
 public:
  InRuntime() : task_(hooked) { hooked = nullptr; }
  // Others may have run meanwhile.
  ~InRuntime() { hooked = task_; }
  InRuntime(const InRuntime&) = delete;
  InRuntime& operator=(const InRuntime&) = delete;

 private:
  void* task_;
};

}  // namespace heddle::sched::runtime
