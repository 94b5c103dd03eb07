#include "sched/runtime/libc.h"

#include <cstring>
#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::sched::runtime {

long system_call(long number, long a, long b, long c, long d, long e, long f) {
  long returned = 0;
  // NOLINTBEGIN(hicpp-no-assembler)
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  register long sixth asm("r9") = f;
  asm volatile("syscall"
               : "=a"(returned)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  // NOLINTEND(hicpp-no-assembler)
  return returned;
}

void* next_function(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) stop_program("heddle: the C library lacks a function that is needed");
  return found;
}

void write_error(const char* text) {
  system_call(SYS_write, STDERR_FILENO, reinterpret_cast<long>(text),
              static_cast<long>(strlen(text)), 0, 0, 0);
}

void stop_program(const char* what) {
  write_error(what);
  write_error("\n");
  system_call(SYS_exit_group, 70, 0, 0, 0, 0, 0);
  __builtin_unreachable();
}

long futex_wait(int* word, int expected) {
  return system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT_PRIVATE, expected, 0, 0,
                     0);
}

long futex_wake(int* word) {
  return system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

}  // namespace heddle::sched::runtime
