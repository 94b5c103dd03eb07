#include "sched/runtime/libc.h"

#include <cstring>
#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/runtime/looked_up.h"

namespace heddle::sched::runtime {

long system_call(long number, const std::array<long, 6>& arguments) {
  long returned = 0;
  // NOLINTBEGIN(hicpp-no-assembler)
  register long fourth asm("r10") = arguments[3];
  register long fifth asm("r8") = arguments[4];
  register long sixth asm("r9") = arguments[5];
  asm volatile("syscall"
               : "=a"(returned)
               : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]), "r"(fourth),
                 "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  // NOLINTEND(hicpp-no-assembler)
  return returned;
}

void NextFunction::look_up() {
  function_ = dlsym(RTLD_NEXT, name_);
  if (function_ == nullptr) stop_program("heddle: the C library lacks a function that is needed");
  looked_up.functions.add(this);
}

int error_output = STDERR_FILENO;

void write_error(const char* text) {
  system_call(SYS_write,
              {error_output, reinterpret_cast<long>(text), static_cast<long>(strlen(text))});
}

void stop_program(const char* what) {
  write_error(what);
  write_error("\n");
  system_call(SYS_exit_group, {70});
  __builtin_unreachable();
}

long futex_wait(int* word, int expected) {
  return system_call(SYS_futex, {reinterpret_cast<long>(word), FUTEX_WAIT_PRIVATE, expected});
}

long futex_wake(int* word) {
  return system_call(SYS_futex, {reinterpret_cast<long>(word), FUTEX_WAKE_PRIVATE, 1});
}

}  // namespace heddle::sched::runtime
