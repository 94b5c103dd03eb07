// What decides who goes next. A strategy sees one execution after the other of one test.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sched/races/vector_clock.h"
#include "sched/schedule/schedule.h"

namespace heddle::sched::runtime {

// A set of tasks, a bit each.
using TaskSet = std::uint64_t;

constexpr TaskSet only(TaskId task) { return TaskSet{1} << task; }
constexpr TaskId first_of(TaskSet tasks) { return static_cast<TaskId>(std::countr_zero(tasks)); }
// The n-th of the set, from 0. REQUIRES: n < how many there are.
inline TaskId nth_of(TaskSet tasks, unsigned n) {
  for (; n > 0; --n) tasks &= tasks - 1;
  return first_of(tasks);
}

// The operation that a task will make when it goes on, as far as others can notice.
struct PendingOperation {
  std::uintptr_t object = 0;  // what it is about: equal objects, and one that changes it: dependent
  bool changes = false;

  bool depends_on(const PendingOperation& other) const {
    return object == other.object && (changes || other.changes);
  }
};

// A moment at which several tasks could go on.
struct Decision {
  TaskSet enabled = 0;  // those whose operation can be done now; never empty unless `timed` is not
  // Those that wait for a time, which would come if they went on. By default it comes only when
  // nobody else can go on.
  TaskSet timed = 0;
  // Those that would most likely see again what they have just seen, and nothing new: they go on
  // only by exception while others can.
  TaskSet reluctant = 0;
  TaskId current = 0;  // who went on last
  TaskPlace place;     // that task, and the operation that it would make or waits in
  const std::array<PendingOperation, kMostTasks>* pending = nullptr;

  TaskSet by_exception() const { return timed | reluctant; }
  bool current_can_go_on() const { return (enabled & only(current)) != 0; }
  // The task that goes on in a schedule that says nothing else.
  TaskId by_default() const {
    if (current_can_go_on()) return current;
    const TaskSet able = enabled != 0 ? enabled : timed;
    const TaskSet later = able & ~(only(current) | (only(current) - 1));
    return first_of(later != 0 ? later : able);
  }
};

// What a strategy does again and again.
struct Repeated {
  const Round* round = nullptr;  // null: nothing
  std::size_t kept = 0;          // how many choices the execution had made after the first time
  std::size_t times = 0;
};

// REQUIRES: begin_execution, then decisions and choices, then end_execution, and so on.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // False: there is nothing left to try.
  virtual bool begin_execution() = 0;
  // Who of decision.enabled | decision.timed goes on.
  virtual TaskId pick(const Decision& decision) = 0;
  // One of 0 ... count - 1; 0 is what happens by default. `fault`: the others are what an
  // implementation may do and seldom does, as to wake somebody up for no reason.
  virtual std::uint32_t choose(std::uint32_t count, bool fault, TaskPlace place) = 0;
  // `steps`: how many decisions the execution had. Grown: it met memory that several tasks share,
  // which was not known when it began, and so some places where a task could have been preempted
  // were passed by.
  virtual void end_execution(std::size_t steps, bool grown) = 0;

  // For executions that several processes share out. The next one is the `number`-th, from 0: what
  // it draws depends on nothing but the seed and this number.
  virtual void skip_to(std::uint64_t /*number*/) {}
  virtual bool is_numbered() const { return false; }
  // What executions so far have told that others make use of; it counts for those behind `learn`.
  virtual std::uint64_t learned() const { return 0; }
  virtual void learn(std::uint64_t /*learned*/) {}
  // Whether it remembers decisions from one execution to the next, so that it must be shown those
  // of an execution in another process.
  virtual bool looks_back() const { return false; }

  // What it repeats now.
  virtual Repeated repeated() const { return {}; }

  // What has been covered, for the report: "all interleavings with at most 1 preemption".
  virtual std::string coverage() const = 0;
};

// Each task that can go on is as likely as each other.
std::unique_ptr<Strategy> random_walk(std::uint64_t seed);

// Burckhardt, Kothari, Musuvathi and Nagarakatte: A randomized scheduler with probabilistic
// guarantees of finding bugs (ASPLOS 2010): random priorities, and depth - 1 places at which that
// of the running task falls below all others. The number of steps is what earlier executions had.
std::unique_ptr<Strategy> pct(std::uint64_t seed, std::uint32_t depth);

// Yuan, Yang and Gu: Partial order aware concurrency sampling (CAV 2018): each operation has a
// random priority, drawn anew for those that depend on the one that was made.
std::unique_ptr<Strategy> pos(std::uint64_t seed);

// Each task makes one step in turn.
std::unique_ptr<Strategy> round_robin();

// All schedules with at most `preemptions` switches away from a task that could go on, the ones
// with fewest first. A time that comes although somebody could go on, and a fault, count as one.
// Musuvathi and Qadeer: Iterative context bounding for systematic testing (PLDI 2007).
std::unique_ptr<Strategy> depth_first(std::uint32_t preemptions);

// A strategy that tries nothing but the default: a sequential execution.
std::unique_ptr<Strategy> sequential();

// Runs one schedule again, as often as it is asked. Each choice is made where its place is met,
// whether or not the others are: so a schedule with a choice less says the same about the rest.
class Replay final : public Strategy {
 public:
  explicit Replay(const Schedule& schedule);

  bool begin_execution() override;
  TaskId pick(const Decision& decision) override;
  std::uint32_t choose(std::uint32_t count, bool fault, TaskPlace place) override;
  void end_execution(std::size_t steps, bool grown) override;
  std::string coverage() const override;

  // The task's next operation, behind `operation`, at which there is a choice; 0: none.
  std::uint32_t next_place(TaskId task, std::uint32_t operation) const;
  Repeated repeated() const override;

 private:
  const Choice* take(TaskPlace place, Choice::Kind kind) const;
  TaskId task_for(const Decision& decision);
  void end_round();
  bool has_round() const { return round_.starving != 0 && round_.choices > 0; }
  std::uint32_t operations_in_round(TaskId task) const {
    return task < round_.operations.size() ? round_.operations[task] : 0;
  }

  std::array<std::vector<Choice>, kMostTasks> by_task_;  // each in the order of operations
  std::array<std::size_t, kMostTasks> repeated_{};       // how many of these are the round's
  Round round_;
  std::vector<TaskPlace> order_;  // of all choices, if there is a round
  std::size_t count_ = 0;
  std::size_t met_ = 0;
  bool is_off_ = false;  // some choice could not be made, or a round passes somebody over
  TaskSet able_ = 0;     // who could go on in this round, and who has
  TaskSet gone_on_ = 0;
  std::size_t ended_ = 0;  // what was met when the last round ended
};

}  // namespace heddle::sched::runtime
