// Real threads that a test's tasks run on. Each is really created, so that its stack, its thread
// pointer and all that hangs on it (thread_local, errno, pthread_self, exceptions, debuggers) are
// right.
//
// Lending: the thread parks for ever as soon as it exists, and one thread of the system, the
// driver, goes on its stack with its thread pointer. A switch between tasks costs some nanoseconds.
// Hand-over: where the thread pointer cannot be set, each thread runs by itself when it has the
// turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pthread.h>

#include "sched/runtime/context.h"

namespace heddle::sched::runtime {

enum class Switching : std::uint8_t { lending, handover };

// Lending where the machine can, unless HEDDLE_SCHED_SWITCH=handover.
Switching chosen_switching();

class LentThread;

// Whatever can have the turn: the driver, or a real thread.
struct Carrier {
  LentThread* thread = nullptr;  // null: the driver
  void* thread_pointer = nullptr;
  void* stack_pointer = nullptr;  // where it goes on; only when lending
  int turn = 0;                   // a futex: 1 while it has the turn; only at hand-over
};

class LentThread {
 public:
  // Creates the real thread on the stack of this number.
  explicit LentThread(std::size_t number);

  // The stack of a thread that is no longer there.
  static void unmap(std::size_t number);

  Carrier& carrier() { return carrier_; }
  pthread_t handle() const { return handle_; }

  // When it next has the turn, it runs `run` on an empty stack, whatever it did before. Its
  // thread_local objects are as in a new thread.
  void begin(void (*run)());

  static bool is_on_stack(std::uintptr_t address) { return address - kStacks < kMost * kStackSize; }
  static bool is_on_stack(const void* address) {
    return is_on_stack(reinterpret_cast<std::uintptr_t>(address));
  }
  // Whether the address is in the memory that keeps a stack from growing into the next one.
  static bool is_guard(const void* address) {
    return is_on_stack(address) &&
           (reinterpret_cast<std::uintptr_t>(address) - kStacks) % kStackSize < kGuardSize;
  }

  static constexpr std::uintptr_t kStacks = 0x120000000000;
  static constexpr std::size_t kStackSize = std::size_t{8} << 20;
  static constexpr std::size_t kGuardSize = std::size_t{64} << 10;
  static constexpr std::size_t kMost = 64;

 private:
  friend void hand_over(Carrier& from, Carrier& to);
  static void* start(void* lent);
  void announce();
  static void wait_for_turn(Carrier& carrier);

  Carrier carrier_;
  pthread_t handle_{};
  void* stack_top_ = nullptr;
  int ready_ = 0;
  Switching switching_;
  void (*run_)() = nullptr;
  bool begins_ = false;  // hand-over: leaves what it does, and runs run_
};

// As `switch_carrier`, among threads that run by themselves.
void hand_over(Carrier& from, Carrier& to);

// Gives the turn to `to`. Returns when `from` is given it again.
inline void switch_carrier(Carrier& from, Carrier& to, Switching switching) {
  if (switching == Switching::handover) [[unlikely]] {
    hand_over(from, to);
    return;
  }
  set_thread_pointer(to.thread_pointer);
  heddle_sched_switch_stack(&from.stack_pointer, to.stack_pointer);
}

// The driver itself.
void adopt_driver(Carrier& carrier);

}  // namespace heddle::sched::runtime
