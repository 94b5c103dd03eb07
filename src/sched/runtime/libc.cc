#include "sched/runtime/libc.h"

#include <cstring>
#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::sched::runtime {

namespace {

// Not through syscall(), which the program's waits on futexes come through.
long system_call(long number, long a, long b, long c, long d) {
  long returned = 0;
  register long fourth asm("r10") = d;  // NOLINT(hicpp-no-assembler)
  asm volatile("syscall"                // NOLINT(hicpp-no-assembler)
               : "=a"(returned)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
               : "rcx", "r11", "memory");
  return returned;
}

}  // namespace

void* next_function(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) stop_program("heddle: the C library lacks a function that is needed");
  return found;
}

void write_error(const char* text) {
  system_call(SYS_write, STDERR_FILENO, reinterpret_cast<long>(text),
              static_cast<long>(strlen(text)), 0);
}

void stop_program(const char* what) {
  write_error(what);
  write_error("\n");
  system_call(SYS_exit_group, 70, 0, 0, 0);
  __builtin_unreachable();
}

long futex_wait(int* word, int expected) {
  return system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT_PRIVATE, expected, 0);
}

long futex_wake(int* word) {
  return system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE_PRIVATE, 1, 0);
}

}  // namespace heddle::sched::runtime
