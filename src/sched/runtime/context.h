// Going on another stack, and with another thread pointer: x86-64 and the System V ABI.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::sched::runtime {

// Saves what a called function has to keep, on the running stack, and its pointer in `*from`; goes
// on behind the call that saved `to`.
extern "C" void heddle_sched_switch_stack(void** from, void* to);

// Calls `run(argument)`, which must not return, as if nobody had called it: exceptions and traces
// of the stack end there.
extern "C" [[noreturn]] void heddle_sched_call_as_first(void (*run)(const void*),
                                                        const void* argument);

// A saved stack on which `run()` begins, which must not return. `top` is the end of the stack's
// memory.
void* fresh_stack(void* top, void (*run)());

// The thread pointer of whoever runs: what pthread_self() returns.
inline void* thread_pointer() {
  void* self = nullptr;
  asm volatile("movq %%fs:0x10, %0" : "=r"(self));  // NOLINT(hicpp-no-assembler)
  return self;
}

// REQUIRES: can_set_thread_pointer().
inline void set_thread_pointer(void* self) {
  asm volatile("wrfsbase %0" ::"r"(self) : "memory");  // NOLINT(hicpp-no-assembler)
}

// Whether processor and kernel let a program set it (FSGSBASE).
bool can_set_thread_pointer();

}  // namespace heddle::sched::runtime
