// What one task of an execution is, and what an execution is asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sched/races/atomic_orders.h"
#include "sched/runtime/event.h"
#include "sched/runtime/lent_thread.h"
#include "sched/runtime/sync_objects.h"
#include "sched/runtime/task_signals.h"

namespace heddle::sched::runtime {

// What is done with accesses that no order keeps apart.
enum class Races : std::uint8_t {
  fail,   // the first one ends the execution
  find,   // they only become places at which tasks are preempted
  ignore  // no clocks are kept but of beginnings and ends: tasks are preempted at what several
          // touch
};

struct EngineOptions {
  Races races = Races::fail;
  std::uint32_t faults = 2;  // how many spurious wake-ups and the like one execution may have
  std::uint64_t most_steps = 100'000;
  std::uint64_t seed = 0;  // of the test's own random numbers
  double outside = 0.2;    // seconds that are waited for what comes from outside
  bool record = false;
  bool watches_globals = false;  // notes what executions leave in them
  // When recording: a file with what the program writes, so that it is known which task wrote what.
  int output = -1;
  // While recording: the operation before which a debugger is called, 0: none, and how many frames
  // above its own it is to look.
  TaskPlace stop_at = {};
  std::size_t stop_above = 0;
  // While recording: a check sum of events that the execution may come by.
  std::optional<std::uint32_t> sought = {};
  // The test is a program with its own main: its threads are the process's, and how it ends counts.
  bool is_program = false;
  int expected_exit = 0;
  // Kinds of operations, a bit each, that are made without a decision before them. None, but where
  // a test shows that a scheduler with such a mistake would be noticed.
  std::uint64_t undecided = 0;
};

using Routine = void* (*)(void*);

// What a thread wants called at its end.
struct AtEnd {
  void (*call)(void*) = nullptr;
  void* argument = nullptr;
};

// What must hold after every step.
struct WatchedInvariant {
  bool (*holds)(void*) = nullptr;
  void* state = nullptr;
  const char* text = "";
};

// What pthread_cancel and its kin have told a task.
struct Cancellation {
  bool asked = false;
  bool off = false;      // PTHREAD_CANCEL_DISABLE
  bool at_once = false;  // PTHREAD_CANCEL_ASYNCHRONOUS
  bool waits = false;    // the task waits where it may be cancelled
  // Handlers of programs in C: buffers of the C library to jump to, the innermost last.
  std::vector<void*> handlers;

  bool is_due() const { return asked && !off; }
};

// A value that a task saw.
struct Seen {
  std::uintptr_t address = 0;
  std::uint64_t value = 0;
  const void* caller = nullptr;
  std::uint32_t part = 0;  // as LargerAccess::part

  bool is(std::uintptr_t its_address, std::uint64_t its_value, const void* its_caller,
          std::uint32_t its_part) const {
    return address == its_address && value == its_value && caller == its_caller && part == its_part;
  }
};

struct Task : TaskClocks {
  TaskId id = 0;
  LentThread* thread = nullptr;
  std::uint32_t operations = 0;  // announced so far
  std::uint32_t forced = 0;      // an operation that is a step, whatever it is about; 0: none
  Routine routine = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  bool in_use = false;
  bool begun = false;
  bool ended = false;
  bool detached = false;
  bool joined = false;
  bool timed_out = false;      // it goes on because its time has come
  std::uint32_t ignoring = 0;  // depth of what is to be left uncontrolled
  std::uint64_t deadline = 0;  // when its time comes, if it is timed
  int joiner = kNobody;        // who waits for its end
  bool fresh = false;          // it was chosen for its first operation before it could announce it
  bool at_choice = false;     // a schedule that is replayed has a choice at the operation announced
  OperationKind announced{};  // what it announced last, and about what
  std::uintptr_t object = 0;
  std::array<Seen, 16> seen;  // since it last changed something
  std::uint8_t seen_count = 0;
  bool reads_clock = false;          // among what it saw
  std::uint32_t patience = 0;        // how often it may see the same before it is set behind
  std::uint32_t exceptions = 0;      // how often it went on although it was set behind
  std::uint32_t passed_over = 0;     // steps of others since it went on
  std::uint32_t favours = 0;         // how often it went before the others for that
  std::uint32_t favoured_at = 0;     // what it had changed by the last of these
  std::uint32_t changes = 0;         // how often it has changed something
  std::uint32_t vain = 0;            // how often it has tried something that failed
  bool exits = false;                // it has called pthread_exit
  std::uint32_t quiet = 0;           // plain accesses since its last step
  SyncObject* reacquires = nullptr;  // the mutex that it gave away when it began to wait
  std::size_t fiber = 0;             // on which it is; 0: its own stack, which has no number yet
  std::uint64_t* stamp = nullptr;    // becomes the moment of its next step
  bool attends = false;              // to what it is to do before its next step
  Cancellation cancellation;
  TaskSignals signals;
  std::vector<AtEnd> at_end;  // destructors of thread_local objects
  std::vector<void*> keyed;   // by keys of pthread_key_create
};

// What an access to memory is a part of.
struct LargerAccess {
  const void* caller = nullptr;  // where the program called for it
  std::size_t whole = 0;         // how many bytes it is about
  std::uint32_t part = 0;        // parts of one call are not the same code, unlike rounds of a loop
};

// An operation that a task announces.
struct Announcement {
  OperationKind kind{};
  std::uintptr_t object = 0;
  std::uint32_t size = 0;
  bool changes = true;
  const void* caller = nullptr;  // where the program called the runtime
};

}  // namespace heddle::sched::runtime
