// Signals that a test's own doing raises.
#pragma once

namespace heddle::sched::runtime {

// A process is asked with it where its threads are (sched/process). Seldom used by programs, and
// never blocked while heddle runs.
constexpr int kSurveySignal = 63;

// From now on a crash of a task ends its execution.
void handle_crashes();
void stop_handling_crashes();

// The calling thread handles signals on memory of its own: a stack that is used up has no room for
// it.
void use_signal_stack();

// A program with its own main, before anything of it has run.
struct OwnMain {
  int (*main)(int, char**, char**) = nullptr;
  int count = 0;
  char** words = nullptr;
  // What runs constructors of static objects, where the C library leaves it to the program (before
  // glibc 2.34).
  int (*begin)(int, char**, char**) = nullptr;
};

// All of it, from constructors of static objects to their destructors. REQUIRES: the caller is a
// task of an execution of a program.
[[noreturn]] void run_program(const OwnMain& program);

}  // namespace heddle::sched::runtime
