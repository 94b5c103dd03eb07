#include "sched/runtime/engine.h"

#include <algorithm>
#include <bit>
#include <cxxabi.h>
#include <malloc.h>
#include <typeinfo>
#include <unistd.h>

#include "sched/runtime/libc.h"
#include "sched/runtime/process_ends.h"
#include "sched/runtime/program_image.h"
#include "sched/runtime/thread_locals.h"

// NOLINTBEGIN(readability-identifier-naming)
extern "C" __attribute__((weak)) void __asan_init();
extern "C" __attribute__((weak)) void __tsan_get_report_data();
// NOLINTEND(readability-identifier-naming)

namespace heddle::sched::runtime {

constinit void* hooked = nullptr;
constinit Engine* the_engine = nullptr;
constinit std::uintptr_t touched_by_stranger = 0;

namespace {

// Where executions are noted that nobody watches.
constinit Flight own_flight{};

constexpr std::uint64_t kStart = 1'700'000'000'000'000'000;  // the clock's first reading, in ns

// What libstdc++ keeps of a thread's exceptions (Itanium C++ ABI: Exception Handling, 2.2.2).
struct ExceptionGlobals {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

void forget_exceptions() {
  *reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals()) = ExceptionGlobals{};
}

}  // namespace

namespace {

// Runtimes that stand where this one has to: each has a function that nobody else has.
void refuse_sanitizers() {
  if (__asan_init != nullptr) {
    stop_program("heddle: the test is linked with AddressSanitizer: leave -fsanitize=address away");
  }
  if (__tsan_get_report_data != nullptr) {
    stop_program(
        "heddle: the test is linked with ThreadSanitizer: -fsanitize=thread is for compiling only, "
        "leave it away when linking");
  }
}

}  // namespace

void open_engine() {
  if (the_engine != nullptr) return;
  refuse_sanitizers();
  the_engine = new Engine();
  the_engine->open();
}

void Engine::open() {
  // Threads that are lent run one at a time: none needs a heap of its own.
  mallopt(M_ARENA_MAX, 1);
  arena_.open();
  find_thread_locals();
  find_program_image();
  adopt_driver(driver_);
  use_signal_stack();
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  first_blocked_ = signals_of(blocked);
  switching_ = chosen_switching();
  flight_ = &own_flight;
}

void Engine::use_flight(Flight& flight) {
  flight_ = &flight;
  flight.process = getpid();
  flight.thread = gettid();
}

void Engine::make_threads(std::size_t tasks) {
  for (std::size_t i = 0; i < tasks && i < kMostTasks; ++i) thread_of(static_cast<TaskId>(i));
}

// A parked thread is no more than its stack, which the child has, too.
void Engine::enter_child() {
  if (switching_ == Switching::lending) return;
  for (std::size_t i = 0; i < kMostTasks; ++i) {
    if (threads_[i] == nullptr) continue;
    LentThread::unmap(i);
    threads_[i] = std::make_unique<LentThread>(i);
  }
}

void Engine::reset(const EngineOptions& options) {
  ++number_;
  options_ = options;
  arena_.begin_execution();
  shadow_.begin_execution();
  objects_.begin_execution();
  atomic_clocks_.begin_execution();
  for (std::size_t i = 0; i < tasks_used_; ++i) tasks_[i].in_use = false;
  tasks_used_ = 0;
  enabled_ = timed_ = alive_ = spinning_ = cancelled_ = 0;
  due_ = handling_ = woken_ = 0;
  waiting_signals_ = 0;
  idle_rounds_ = uncounted_steps_ = 0;
  fair_after_ = kYield;
  rounds_alone_ = 0;
  touched_by_stranger = 0;
  expects_orphans_ = false;
  current_ = 0;
  now_ns_ = kStart;
  faults_left_ = options.faults;
  moments_ = 0;
  invariants_.clear();
  decisions_ = steps_ = alone_ = 0;
  decided_ = TaskPlace{};
  hash_ = 0;
  open_event_ = options.record;
  exit_status_.reset();
  kept_choices_ = SIZE_MAX;
  execution_.clear();
  flight_->begin_execution();
}

Execution& Engine::run(Routine body, void* argument, Strategy& strategy,
                       const EngineOptions& options) {
  reset(options);
  strategy_ = &strategy;
  replay_ = typeid(strategy) == typeid(Replay) ? static_cast<Replay*>(&strategy) : nullptr;
  const std::size_t shared = shadow_.shared_granules();
  Task& first = new_task(body, argument);
  running_ = &first;
  hooked = first.thread->carrier().thread_pointer;
  switch_carrier(driver_, first.thread->carrier(), switching_);

  hooked = nullptr;
  close_event();
  if (options.record) note_output();
  running_ = nullptr;
  flight_->executing = 0;
  complete_schedule();
  if (options.watches_globals) left_memory_.end_execution();
  for (std::size_t i = 0; i < tasks_used_; ++i) execution_.operations += tasks_[i].operations;
  execution_.tasks = tasks_used_;
  execution_.steps = decisions_;
  execution_.events = hash_;
  strategy.end_execution(decisions_, shadow_.shared_granules() > shared);
  return execution_;
}

LentThread& Engine::thread_of(TaskId id) {
  if (threads_[id] == nullptr) threads_[id] = std::make_unique<LentThread>(id);
  return *threads_[id];
}

// A place is used again if its last task has ended and the running one knows of all that it did.
Task& Engine::new_task(Routine routine, void* argument) {
  std::size_t place = 0;
  Moment moment = 1;
  for (; place < tasks_used_; ++place) {
    const Task& old = tasks_[place];
    const bool gone = old.ended && (old.joined || old.detached);
    if (!gone) continue;
    const Moment last = old.clock.of(old.id);
    if (running_->clock.of(old.id) < last) continue;
    moment = last + 1;
    break;
  }
  if (place == kMostTasks) {
    fail(FailureKind::too_many_tasks, "more than 64 threads are under way at once");
  }
  if (place == tasks_used_) ++tasks_used_;
  Task& task = tasks_[place];
  const std::uint32_t operations = moment == 1 ? 0 : task.operations;
  task.id = static_cast<TaskId>(place);
  task.thread = &thread_of(task.id);
  task.operations = operations;
  task.forced = 0;
  task.routine = routine;
  task.argument = argument;
  task.result = nullptr;
  task.in_use = true;
  task.begun = task.ended = task.detached = task.joined = task.timed_out = false;
  task.ignoring = 0;
  task.seen_count = 0;
  task.reads_clock = task.exits = false;
  task.patience = task.exceptions = task.passed_over = 0;
  task.changes = task.vain = task.favours = task.favoured_at = 0;
  task.quiet = 0;
  task.fiber = 0;
  task.reacquires = nullptr;
  task.joiner = kNobody;
  task.fresh = task.at_choice = false;
  task.stamp = nullptr;
  task.attends = false;
  task.cancellation = {};
  task.signals.begin(running_ == nullptr ? first_blocked_ : running_->signals.all_blocked());
  task.clock.clear();
  task.released.clear();
  task.acquired.clear();
  if (running_ != nullptr) task.clock.take(running_->clock);
  task.clock.set(task.id, moment);
  task.at_end.clear();
  task.keyed.clear();
  force_next(task);
  task.thread->begin(run_task);
  alive_ |= only(task.id);
  enabled_ |= only(task.id);
  return task;
}

// Nothing stands below it: an exception that nobody catches ends the program where it is thrown.
void Engine::run_task() {
  Engine& here = engine();
  Task& task = *here.running_;
  forget_exceptions();
  task.begun = true;
  hooked = task.thread->carrier().thread_pointer;
  task.result = task.routine(task.argument);
  here.end_task();
}

Task& Engine::create_task(Routine routine, void* argument, const void* caller) {
  Task& creator = *running_;
  announce({.kind = OperationKind::create, .caller = caller});
  Task& task = new_task(routine, argument);
  task.fresh = true;
  // The creator was not chosen before the new task.
  creator.fresh = false;
  note({.kind = OperationKind::create, .object = task.id, .caller = caller});
  creator.clock.set(creator.id, creator.clock.of(creator.id) + 1);
  return task;
}

// Whoever waits for such a mutex goes on, and is told.
void Engine::leave_orphans(Task& task) {
  objects_.for_each([&](std::uintptr_t /*address*/, SyncObject& object) {
    if (!object.is_robust || object.owner != static_cast<int>(task.id)) return;
    object.is_orphan = true;
    object.owner = kNobody;
    object.depth = 0;
    tell(object.clock);
    enable(object.wanted);
  });
}

inline void Engine::switch_to(Task& task) {
  Task& from = *running_;
  if (options_.record) [[unlikely]]
    note_output();
  running_ = &task;
  switch_carrier(from.thread->carrier(), task.thread->carrier(), switching_);
  if (surveyor_ != nullptr) [[unlikely]]
    tell_position(from);
}

void Engine::end_task() {
  Task& task = *running_;
  hooked = task.thread->carrier().thread_pointer;
  run_at_end(task);
  if (task.attends) {
    hooked = nullptr;
    block_signals(task.signals.blocked);
  }
  // The last thread of a program that ends takes the program along.
  if (options_.is_program && !exit_status_ && alive_ == only(task.id)) exit(0);
  hooked = nullptr;
  announce({.kind = OperationKind::end});
  note({.kind = OperationKind::end});
  if (expects_orphans_) leave_orphans(task);
  task.clock.set(task.id, task.clock.of(task.id) + 1);
  task.ended = true;
  alive_ &= ~only(task.id);
  enabled_ &= ~only(task.id);
  changed(reinterpret_cast<std::uintptr_t>(&task));
  if (task.joiner != kNobody) {
    // The join concerns nobody else: it is done at once.
    Task& joiner = tasks_[static_cast<std::size_t>(task.joiner)];
    const bool handles = (handling_ & only(joiner.id)) != 0;
    enable(only(joiner.id));
    if (!handles) {
      timed_ &= ~only(joiner.id);
      joiner.timed_out = false;
      current_ = joiner.id;
      switch_to(joiner);
    }
  }
  decide();
  leave();
}

bool Engine::join_task(Task& task, const void* caller, std::optional<std::uint64_t> deadline_ns) {
  const Announcement join{.kind = OperationKind::join, .object = task.id, .caller = caller};
  Task& me = *running_;
  announce(join);
  me.timed_out = false;
  if (!task.ended) {
    task.joiner = me.id;
    begin_wait(me);
    if (deadline_ns) {
      me.deadline = *deadline_ns;
      me.signals.timed = true;
      timed_ |= only(me.id);
    }
    if (me.attends) handle_before_wait(me);
    begin_cancelable(me);
    decide();
    end_cancelable(me);
    me.signals.timed = false;
  }
  note(join);
  if (!task.ended) {
    task.joiner = kNobody;
    return false;
  }
  running_->clock.join(task.clock);
  task.joined = true;
  return true;
}

bool Engine::try_join_task(Task& task, const void* caller) {
  step({.kind = OperationKind::join, .object = task.id, .changes = false, .caller = caller});
  if (!task.ended) {
    saw(reinterpret_cast<std::uintptr_t>(&task), 0, caller);
    return false;
  }
  running_->clock.join(task.clock);
  task.joined = true;
  return true;
}

void Engine::depart_further(TaskPlace place, Choice::Kind kind, std::uint32_t value) {
  execution_.schedule.choices.push_back({place, kind, value});
}

void Engine::complete_schedule() {
  std::vector<Choice>& choices = execution_.schedule.choices;
  choices.insert(choices.begin(), flight_->made.data(), flight_->made.data() + flight_->choices);
  if (choices.size() > kept_choices_) choices.resize(kept_choices_);
}

void Engine::leave() {
  switch_carrier(running_->thread->carrier(), driver_, switching_);
  __builtin_unreachable();
}

// REQUIRES: the caller is inside of the runtime, so that what is looked at is no step itself.
void Engine::look_at_invariants() {
  for (const WatchedInvariant& invariant : invariants_) {
    if (!invariant.holds(invariant.state)) fail(FailureKind::invariant, invariant.text);
  }
}

// Some task waits for a time. If that is the one that goes on, its time has come.
void Engine::go_on_in_time(Task& chosen) {
  chosen.timed_out = (enabled_ & only(chosen.id)) == 0;
  if (chosen.timed_out) {
    if (now_ns_ < chosen.deadline) now_ns_ = chosen.deadline;
    enabled_ |= only(chosen.id);
    spinning_ = 0;
  }
  timed_ &= ~only(chosen.id);
}

// Time passes only until somebody's time has come.
TaskSet Engine::first_timed() const {
  TaskSet timed = 0;
  std::uint64_t first = UINT64_MAX;
  for (TaskSet left = timed_; left != 0; left &= left - 1) {
    const std::uint64_t deadline = tasks_[first_of(left)].deadline;
    if (deadline < first) {
      first = deadline;
      timed = 0;
    }
    if (deadline == first) timed |= only(first_of(left));
  }
  return timed;
}

inline TaskId Engine::pick(TaskSet able_now) {
  if (able_now == 0 && timed_ == 0) stop_stuck();
  ++decisions_;
  const TaskPlace place{current_, tasks_[current_].operations};
  Decision decision{.enabled = able_now,
                    .timed = timed_,
                    .reluctant = enabled_ & spinning_,
                    .current = current_,
                    .place = place,
                    .pending = &pending_};
  if (able_now == 0) decision.timed = first_timed();
  if (options_.record) decided_ = place;
  // Whoever is chosen at random is known late: what does not depend on it is done before.
  const TaskId by_default = decision.by_default();
  const TaskId next = strategy_->pick(decision);
  // For a report some rounds are enough.
  constexpr std::size_t kToldRounds = 5;
  if (options_.record && strategy_->repeated().times >= kToldRounds) fail_if_starved();
  if (next != by_default) depart(place, Choice::Kind::task, next);
  if ((decision.reluctant & only(next)) != 0) be_patient(tasks_[next]);
  return next;
}

void Engine::decide() {
  Task& me = *running_;
  if (touched_by_stranger != 0) [[unlikely]]
    fail_by_stranger();
  if (!invariants_.empty()) look_at_invariants();
  if (me.fresh) {
    me.fresh = false;
    if (!me.at_choice && !me.attends && (enabled_ & only(me.id)) != 0) {
      timed_ &= ~only(me.id);
      me.timed_out = false;
      return;
    }
  }
  ++flight_->beats;
  // Who is alone leaves nobody out: what it makes before it begins others may be large.
  const bool counts = !std::has_single_bit(alive_) || ++alone_ % kAlone == 0;
  if (counts && ++steps_ > options_.most_steps) fail_too_long();
  if (++uncounted_steps_ >= fair_after_) keep_fair(me);
  const TaskSet able_now = spinning_ == 0 ? enabled_ : able();
  const TaskId next = (timed_ | spinning_) == 0 && std::has_single_bit(able_now)
                          ? first_of(able_now)
                          : pick(able_now);
  current_ = next;
  Task& chosen = tasks_[next];
  chosen.timed_out = false;
  if (timed_ != 0) [[unlikely]]
    go_on_in_time(chosen);
  chosen.passed_over = 0;
  if (&chosen != &me) switch_to(chosen);
  if (me.attends) [[unlikely]]
    attend(me);
}

// A schedule that is replayed may name a place that was a step where more was known to be shared.
void Engine::force_next(Task& task) {
  if (replay_ != nullptr) task.forced = replay_->next_place(task.id, task.operations);
}

bool Engine::request(const Announcement& announcement, bool can,
                     std::optional<std::uint64_t> deadline_ns) {
  Task& task = *running_;
  announce(announcement);
  if (!can) begin_wait(task);
  if (deadline_ns) {
    task.deadline = *deadline_ns;
    task.signals.timed = true;
    timed_ |= only(task.id);
  }
  if (!can && task.attends) handle_before_wait(task);
  decide();
  task.signals.timed = false;
  if (task.stamp != nullptr) stamp_now();
  note(announcement);
  return !task.timed_out;
}

std::uint32_t Engine::choose(std::uint32_t count, bool fault) {
  if (count < 2 || (fault && faults_left_ == 0)) return 0;
  Task& task = *running_;
  task.at_choice = ++task.operations == task.forced;
  if (task.at_choice) force_next(task);
  const TaskPlace place{task.id, task.operations};
  const std::uint32_t value = strategy_->choose(count, fault, place);
  if (value != 0) {
    depart(place, Choice::Kind::data, value);
    if (fault) --faults_left_;
  }
  // A fault that does not happen is no event.
  if (value == 0 && fault) return 0;
  close_event();
  note({.kind = OperationKind::choose});
  note_result(value);
  return value;
}

void Engine::note_result(std::uint64_t result) {
  hash_ = (hash_ ^ result) * 0x9E3779B97F4A7C15ULL;
  if (!options_.record) return;
  if (open_event_) execution_.recorded.back().result = result;
  look_for_sought();
}

// Nobody else has run since: what stands there now was written by the event's own operation.
void Engine::close_event() {
  if (!open_event_) return;
  open_event_ = false;
  if (execution_.recorded.empty()) return;
  Event& event = execution_.recorded.back();
  event.after = value_at(event.object, event.size);
}

void Engine::tell(VectorClock& clock) {
  if (!keeps_clocks()) return;
  Task& task = *running_;
  clock.take(task.clock);
  task.clock.set(task.id, task.clock.of(task.id) + 1);
}

void Engine::tell_also(VectorClock& clock) {
  if (!keeps_clocks()) return;
  Task& task = *running_;
  clock.join(task.clock);
  task.clock.set(task.id, task.clock.of(task.id) + 1);
}

}  // namespace heddle::sched::runtime
