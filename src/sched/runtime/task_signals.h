// What signals that a program sends to its own threads are to one of them. Threads of a test are
// one for the system, so whose handler runs, and when, is the engine's to say.
#pragma once

#include <csignal>
#include <cstdint>
#include <vector>

#include "sched/races/vector_clock.h"

namespace heddle::sched::runtime {

// Has a bit for each signal, from 1 on.
using SignalSet = std::uint64_t;

constexpr SignalSet only_signal(int signal) { return SignalSet{1} << (signal - 1); }
SignalSet signals_of(const sigset_t& signals);
sigset_t to_signals(SignalSet signals);

// Whether a wait ends when a handler has run in it (signal(7)).
enum class Interruption : std::uint8_t {
  no,
  unless_restarted,  // by a handler without SA_RESTART
  always,
};

// A handler that runs, and perhaps has been left by a jump.
struct HandledSignal {
  std::uintptr_t frame = 0;
  SignalSet blocked = 0;
};

struct TaskSignals {
  // As a new thread has them, whose creator blocks so much.
  void begin(SignalSet blocked_at_first) {
    blocked = blocked_at_first;
    interruption = Interruption::no;
    handlers.clear();
    early = suspended = timed = false;
    if (told_any) told.clear();
    told_any = false;
    sent = 0;
    interrupted = 0;
  }

  SignalSet blocked = 0;  // by the program
  SignalSet sent = 0;     // to this thread, which has not handled them yet
  VectorClock told;       // by who sent them
  bool told_any = false;
  bool early = false;                            // they were sent before it began to wait
  bool suspended = false;                        // it waits, and goes on to handle a signal
  bool timed = false;                            // what it has announced is to be done until a time
  Interruption interruption = Interruption::no;  // of the wait that has begun
  std::uint32_t interrupted = 0;                 // how many waits have ended so
  std::vector<HandledSignal> handlers;

  // What it blocks, with what its handlers do.
  SignalSet all_blocked() const {
    SignalSet all = blocked;
    for (const HandledSignal& handler : handlers) all |= handler.blocked;
    return all;
  }
  SignalSet due() const { return sent & ~all_blocked(); }
};

}  // namespace heddle::sched::runtime
