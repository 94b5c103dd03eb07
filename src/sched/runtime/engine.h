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
#include <pthread.h>
#include <string>
#include <vector>

#include "sched/races/left_memory.h"
#include "sched/races/shadow.h"
#include "sched/runtime/arena.h"
#include "sched/runtime/context.h"
#include "sched/runtime/event.h"
#include "sched/runtime/flight.h"
#include "sched/runtime/lent_thread.h"
#include "sched/runtime/program_image.h"
#include "sched/runtime/sync_objects.h"
#include "sched/runtime/task.h"
#include "sched/strategy/random_numbers.h"
#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

// The thread pointer of the task that runs; null while none does, and inside of the runtime.
extern constinit void* hooked;

// Whether the caller is a task of an execution and not the runtime itself, the driver, or a thread
// that the test did not create.
inline bool is_on_task() { return hooked != nullptr && thread_pointer() == hooked; }

// The first object of a test that a thread has touched which the test did not create; 0: none has.
extern constinit std::uintptr_t touched_by_stranger;
// REQUIRES: the caller is no task. While one runs, nobody else has to do with what is its own.
inline void note_stranger(std::uintptr_t address) {
  if (hooked == nullptr || touched_by_stranger != 0) [[likely]]
    return;
  if (Arena::contains(address) || LentThread::is_on_stack(address)) {
    __atomic_store_n(&touched_by_stranger, address, __ATOMIC_RELAXED);
  }
}

// The running task ends with this result: its frames are left, as by pthread_exit. The caller is
// inside of the runtime, or not (thread_ends.cc).
[[noreturn]] void exit_thread(void* result);

class Engine {
 public:
  bool is_executing() const { return running_ != nullptr; }
  // The execution's own, in this process.
  std::uint64_t number() const { return number_; }

  // REQUIRES: is_executing().
  Task& running() { return *running_; }
  Task& task(TaskId id) { return tasks_[id]; }
  const EngineOptions& options() const { return options_; }
  // Whether more is known than who began whom and waited for whose end.
  bool keeps_clocks() const { return options_.races != Races::ignore; }
  Shadow& shadow() { return shadow_; }
  Arena& arena() { return arena_; }
  LeftMemory& left_memory() { return left_memory_; }
  SyncObject& object(const void* address) {
    return objects_.get(reinterpret_cast<std::uintptr_t>(address));
  }
  AtomicClocks& atomic_clocks() { return atomic_clocks_; }
  std::uint64_t now_ns() const { return now_ns_; }
  // How often only tasks were left that see again what they have seen, and nothing changed.
  std::uint32_t idle_rounds() const { return idle_rounds_; }
  TaskSet alive() const { return alive_; }
  TaskSet timed() const { return timed_; }

  // REQUIRES: the caller is the driver. Called once.
  void open();
  // The caller is the only thread of a child process: threads that lent theirs are made anew.
  void enter_child();
  // Makes the threads of so many tasks, so that children of this process need not.
  void make_threads(std::size_t tasks);
  // Where executions are noted from now on.
  void use_flight(Flight& flight);
  Flight& flight() { return *flight_; }
  // Notes in the flight where each task is. The caller interrupts the driver, and never returns to
  // what it interrupted.
  void survey();
  // One execution of `body(argument)`. What is returned is overwritten by the next.
  Execution& run(Routine body, void* argument, Strategy& strategy, const EngineOptions& options);

  // Below: called by the running task, inside of the runtime.

  // The task's next operation; returns when it is its turn to make it.
  // It is inlined where it is called: what a step costs is told by loads that wait for stores of
  // the same bytes, and an announcement in registers has none of these.
  [[gnu::always_inline]] void step(const Announcement& announcement) {
    announce(announcement);
    const bool decided = (options_.undecided >> static_cast<unsigned>(announcement.kind) & 1) == 0;
    if (decided) [[likely]]
      decide();
    if (running_->stamp != nullptr) stamp_now();
    note(announcement);
  }
  // At the running task's next step `*moment` becomes the moment of the execution; at once if it
  // ends or asks again before.
  void stamp_next_step(std::uint64_t* moment) {
    stamp_now();
    running_->stamp = moment;
  }
  // The moment of the execution: later ones are greater.
  std::uint64_t stamp_now() {
    if (running_->stamp != nullptr) *running_->stamp = ++moments_;
    running_->stamp = nullptr;
    return ++moments_;
  }

  // What the program says of itself.
  void name_memory(NamedMemory named) { execution_.names.push_back(std::move(named)); }
  void begin_invariant(const WatchedInvariant& invariant) { invariants_.push_back(invariant); }
  void end_invariant(const void* state) {
    std::erase_if(invariants_, [&](const WatchedInvariant& one) { return one.state == state; });
  }

  // An operation that concerns nobody else.
  void pass(const Announcement& announcement) {
    announce(announcement);
    note(announcement);
  }
  // As `step`, for what can be made now only if `can`, else when somebody enables the task, or its
  // time has come. False: the time has come, and nobody has enabled it.
  bool request(const Announcement& announcement, bool can,
               std::optional<std::uint64_t> deadline_ns = std::nullopt);
  // As `request`, where the task may be cancelled: then it goes on, and its cancellation is due.
  bool request_cancelably(const Announcement& announcement, bool can,
                          std::optional<std::uint64_t> deadline_ns = std::nullopt);
  // Ends the running task if it is to be cancelled.
  void end_if_cancelled() {
    if (running_->cancellation.is_due()) [[unlikely]]
      exit_thread(PTHREAD_CANCELED);
  }

  // Whoever handles a signal where it waited is let go on when the handler has ended.
  void enable(TaskSet tasks) {
    enabled_ |= tasks & ~handling_;
    woken_ |= tasks & handling_;
  }
  // Whoever is to be cancelled where it waits goes on all the same.
  void disable(TaskSet tasks) {
    if ((tasks & due_) != 0) [[unlikely]]
      suspend(tasks & due_ & enabled_ & ~handling_);
    enabled_ &= ~(tasks & ~cancelled_ & ~handling_);
    woken_ &= ~tasks;
  }
  // From now on the task is to be cancelled.
  void cancel(Task& task);
  // The task is to handle the signal before its next step, or when it no longer blocks it.
  void send_signal(Task& task, int signal);
  // What the running task blocks from now on. Handles what was sent to it and is due.
  void block_signals(SignalSet signals);
  // Signals to the whole process that no thread can handle now.
  SignalSet& waiting_signals() { return waiting_signals_; }
  // What handlers of the running task that were left by a jump have blocked is so no longer.
  void forget_left_handlers() {
    if (!running_->signals.handlers.empty()) forget_left_handlers(*running_);
  }

  // One of 0 ... count - 1. `fault`: only 0 when the execution has had its faults.
  std::uint32_t choose(std::uint32_t count, bool fault);

  // An access to memory by the program. Its granule is all of it.
  void access(std::uintptr_t address, std::size_t size, AccessKind kind, const void* caller) {
    if (pass_by(address, size, kind)) [[likely]]
      return;
    access_part(address, size, kind, {.caller = caller, .whole = size});
  }
  void access_part(std::uintptr_t address, std::size_t size, AccessKind kind,
                   const LargerAccess& larger);

  // Before an access: globals are what executions may leave something in for the next.
  void note_global(std::uintptr_t address, std::size_t size, bool reads, bool writes) {
    if (!is_global(address) || !options_.watches_globals) [[likely]]
      return;
    if (reads) left_memory_.read(address, size);
    if (writes) left_memory_.write(address, size);
  }

  // Memory is given back. It was a write of all of it; from now on nobody may use it.
  void free_block(void* block, const void* caller);
  // Memory was handed out: what was done there before does not concern what will be done.
  void forget_memory(std::uintptr_t address, std::size_t size) {
    shadow_.forget(address, size);
    atomic_clocks_.forget(address, size);
    objects_.forget(address, size);
  }

  // As `access`, for an atomic operation whose turn it is.
  void atomic_access(std::uintptr_t address, std::size_t size, bool writes) {
    const Task& task = *running_;
    if (shadow_.access_atomically(address, size, writes, task.id, task.clock)) [[likely]]
      return;
    look_at_atomic_access(address, size, writes);
  }

  // The running task has seen a value, and may do so again and again: if it sees the same without
  // having changed anything, it is set behind the others until somebody changes what it looks at.
  void saw(std::uintptr_t address, std::uint64_t value, const void* caller, std::uint32_t part = 0);
  // As `saw`, for what the running task has tried and could not do.
  void tried_in_vain(std::uintptr_t address, std::uint64_t value, const void* caller) {
    ++running_->vain;
    saw(address, value, caller);
  }
  // The running task has changed what stands there.
  void changed(std::uintptr_t address);

  // The next step of the running task counts for many, since it says itself that others should go
  // on.
  void let_others_go_on() { uncounted_steps_ += kYield - 1; }

  // Time as both clocks tell it; it goes on a little with each reading.
  std::uint64_t read_clock(const void* caller);

  // The running task tells what it knows: later its clock is another moment's.
  void tell(VectorClock& clock);
  void tell_also(VectorClock& clock);  // clock.join(...)
  void learn(const VectorClock& clock) {
    if (keeps_clocks()) running_->clock.join(clock);
  }

  Task& create_task(Routine routine, void* argument, const void* caller);
  // From now on some mutex is to be left to others when its owner ends.
  void expect_orphans() { expects_orphans_ = true; }
  // Ends the running task.
  [[noreturn]] void end_task();
  // False: the time has come before the task ended.
  bool join_task(Task& task, const void* caller,
                 std::optional<std::uint64_t> deadline_ns = std::nullopt);
  // False: the task has not ended.
  bool try_join_task(Task& task, const void* caller);

  [[noreturn]] void fail(FailureKind kind, std::string what);
  // As `fail`: some thread that is no task has touched what is the test's.
  [[noreturn]] void fail_by_stranger();
  // Ends the execution, which has not failed.
  [[noreturn]] void finish() { leave(); }
  // What a program with its own main ends with is known now, and where.
  void note_exit(int status);
  const std::optional<int>& exit_status() const { return exit_status_; }
  // As `fail` if that is not what is expected, else as `finish`.
  [[noreturn]] void end_program();
  // As `fail`, because the program calls abort(), perhaps for an exception that nobody catches.
  [[noreturn]] void fail_at_abort();
  // As `fail`, from a handler of a signal that the task's own doing raised.
  [[noreturn]] void crash(int signal, const void* address);

  // While recording: a block of memory comes or goes, which concerns nobody else.
  void note_block(OperationKind kind, const void* block, std::size_t size, const void* caller) {
    if (!options_.record) [[likely]]
      return;
    record({.kind = kind,
            .object = reinterpret_cast<std::uintptr_t>(block),
            .size = static_cast<std::uint32_t>(size),
            .caller = caller},
           false);
  }

  // For a value that the operation just noted gave.
  void note_result(std::uint64_t result);

 private:
  // What most plain accesses are: no step, and nothing to be told of. False: nothing was done.
  bool pass_by(std::uintptr_t address, std::size_t size, AccessKind kind) {
    Task& task = *running_;
    if (task.ignoring != 0 || open_event_ || is_global(address)) return false;
    if (task.operations + 1 == task.forced || task.quiet + 1 >= kQuiet) return false;
    const bool alone = keeps_clocks()
                           ? shadow_.access_alone(address, size, kind.writes, task.id, task.clock)
                           : shadow_.touch_alone(address, size, task.id, task.clock);
    if (!alone) return false;
    ++task.quiet;
    ++task.operations;
    mix(task.id, kind.writes ? OperationKind::write : OperationKind::read, address);
    return true;
  }

  // Until somebody enables the task, or its time has come. In a handler what the wait below it is
  // for would be taken for this one's, and the other way round: only signals and times let such a
  // wait go on rightly, which are all that a handler may wait for (signal-safety(7)).
  void begin_wait(Task& task) {
    if (!task.signals.handlers.empty()) [[unlikely]]
      forget_left_handlers(task);
    enabled_ &= ~(only(task.id) & ~cancelled_);
  }
  void attend(Task& task);
  void let_handle(Task& task);
  void suspend(TaskSet tasks);
  void handle_before_wait(Task& task);
  void forget_left_handlers(Task& task);
  bool handle_signal(Task& task, int signal);
  void begin_cancelable(Task& task);
  void end_cancelable(Task& task);
  [[gnu::always_inline]] void announce(const Announcement& announcement) {
    if (open_event_) [[unlikely]]
      close_event();
    Task& task = *running_;
    task.at_choice = ++task.operations == task.forced;
    if (task.at_choice) [[unlikely]]
      force_next(task);
    task.announced = announcement.kind;
    task.object = announcement.object;
    PendingOperation& pending = pending_[task.id];
    pending.object = announcement.object;
    pending.changes = announcement.changes;
  }
  void decide();
  // Every access is in the check sum, step or not: what is known to be shared makes no difference.
  void mix(TaskId task, OperationKind kind, std::uintptr_t object) {
    const std::uint64_t what = static_cast<std::uint64_t>(task) << 56 ^
                               static_cast<std::uint64_t>(kind) << 48 ^ place_hash(object);
    hash_ = (hash_ ^ what) * 0x9E3779B97F4A7C15ULL;
    hash_ ^= hash_ >> 29;
  }
  [[gnu::always_inline]] void note(const Announcement& announcement) {
    mix(running_->id, announcement.kind, announcement.object);
    if (options_.record) [[unlikely]]
      record(announcement, true);
  }
  // It takes a copy, so that an announcement whose address nobody has can stay in registers.
  void record(Announcement announcement, bool step);
  void look_for_sought();
  [[gnu::always_inline]] TaskId pick(TaskSet able_now);
  TaskSet first_timed() const;
  void go_on_in_time(Task& chosen);
  TaskSet able();
  TaskSet wake_spinning();
  void be_patient(Task& task);
  // How many steps of others a yield counts for, and a long way without a step.
  static constexpr std::uint32_t kYield = 100;
  // How many steps of a task that is alone count as one.
  static constexpr std::size_t kAlone = 20;
  static constexpr std::uint32_t kQuietSteps = 1000;
  void keep_fair(const Task& task);
  void look_at_invariants();
  void leave_orphans(Task& task);
  void force_next(Task& task);
  // The flight has the first of them, the execution's schedule what the flight has no room for.
  void depart(TaskPlace place, Choice::Kind kind, std::uint32_t value) {
    if (!flight_->note(place, kind, value)) [[unlikely]]
      depart_further(place, kind, value);
  }
  void depart_further(TaskPlace place, Choice::Kind kind, std::uint32_t value);
  void complete_schedule();
  [[gnu::always_inline]] void switch_to(Task& task);
  void tell_position(Task& task);
  void note_output();
  [[noreturn]] void leave();
  [[noreturn]] void stop_stuck();
  [[noreturn]] void fail_too_long();
  void fail_if_starved();
  void note_waiting();
  static constexpr std::uint32_t kQuiet = 100'000;
  static bool has_been_quiet(Task& task);
  void look_at_atomic_access(std::uintptr_t address, std::size_t size, bool writes);
  void race_found(const Race& race, std::size_t size, const char* what);
  void refuse_freed(std::uintptr_t address, std::size_t size, AccessKind kind);
  Task& new_task(Routine routine, void* argument);
  LentThread& thread_of(TaskId id);
  void close_event();
  static std::uint64_t place_hash(std::uintptr_t address) {
    // The arena and the stacks stand at fixed places, nothing else between them.
    constexpr std::uintptr_t kEnd =
        LentThread::kStacks + LentThread::kMost * LentThread::kStackSize;
    static_assert(Arena::kBase + Arena::kSize <= LentThread::kStacks);
    return address - Arena::kBase < kEnd - Arena::kBase ? address : program_offset(address);
  }
  static void run_task();
  void reset(const EngineOptions& options);

  Task* running_ = nullptr;
  TaskSet enabled_ = 0;
  TaskSet timed_ = 0;
  TaskSet alive_ = 0;
  TaskSet cancelled_ = 0;              // who wait where they are cancelled
  TaskSet due_ = 0;                    // who have signals to handle before their next steps
  TaskSet handling_ = 0;               // who handle signals where they waited
  TaskSet woken_ = 0;                  // of these: whose wait is over
  TaskSet spinning_ = 0;               // set behind the others
  std::uint32_t idle_rounds_ = 0;      // how often only such tasks were left, and nothing changed
  std::uint32_t rounds_alone_ = 0;     // as above, of a task when there was no other
  std::uint32_t uncounted_steps_ = 0;  // of whoever went on, since others were told of them
  std::uint32_t fair_after_ = 0;       // so many of them others are told of at once
  bool expects_orphans_ = false;       // objects may be orphans when their owner ends
  TaskId current_ = 0;                 // whom the last decision was for
  Strategy* strategy_ = nullptr;
  Replay* replay_ = nullptr;  // the strategy, if it replays
  std::array<Task, kMostTasks> tasks_;
  std::array<PendingOperation, kMostTasks> pending_;
  std::array<std::unique_ptr<LentThread>, kMostTasks> threads_;
  std::size_t tasks_used_ = 0;
  Carrier driver_;
  SignalSet waiting_signals_ = 0;
  SignalSet first_blocked_ = 0;  // signals that the program blocked before its first test
  Switching switching_ = Switching::lending;
  EngineOptions options_;
  Shadow shadow_;
  Arena arena_;
  LeftMemory left_memory_;
  SyncObjects objects_;
  AtomicClocks atomic_clocks_;
  std::uint64_t now_ns_ = 0;
  std::uint32_t faults_left_ = 0;
  std::vector<WatchedInvariant> invariants_;
  std::uint64_t moments_ = 0;
  std::size_t decisions_ = 0;  // among several tasks
  TaskPlace decided_;          // the last of them was for this place
  std::size_t steps_ = 0;
  std::size_t alone_ = 0;  // steps of a task when there was no other
  std::uint64_t hash_ = 0;
  Flight* flight_ = nullptr;
  Carrier* surveyor_ = nullptr;  // who wants to know where each task is
  std::optional<int> exit_status_;
  std::vector<std::uintptr_t> exit_stack_;
  std::uint64_t number_ = 0;
  // The last recorded event's value after it is not known yet, or nothing is recorded so far.
  bool open_event_ = false;
  std::size_t kept_choices_ = SIZE_MAX;  // how many of the execution's choices are of use
  Execution execution_;
};

// What the task has registered for its end is done (thread_ends.cc).
void run_at_end(Task& task);
// A part of that: destructors of thread_local objects.
void run_thread_local_destructors(Task& task);

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
