#include "sched/runtime/context.h"

#include <sys/auxv.h>

// NOLINTBEGIN(hicpp-no-assembler)
asm(R"(
  .text
  .globl heddle_sched_switch_stack
  .hidden heddle_sched_switch_stack
  .type heddle_sched_switch_stack, @function
heddle_sched_switch_stack:
  .cfi_startproc
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movl (%rsp), %eax
  movzwl 4(%rsp), %ecx
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  cmpl (%rsp), %eax
  je 1f
  ldmxcsr (%rsp)
1:
  cmpw 4(%rsp), %cx
  je 2f
  fldcw 4(%rsp)
2:
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
  .size heddle_sched_switch_stack, .-heddle_sched_switch_stack

  .globl heddle_sched_begin_stack
  .hidden heddle_sched_begin_stack
  .type heddle_sched_begin_stack, @function
heddle_sched_begin_stack:
  .cfi_startproc
  .cfi_undefined rip
  xorl %ebp, %ebp
  call *%rbx
  ud2
  .cfi_endproc
  .size heddle_sched_begin_stack, .-heddle_sched_begin_stack

  .globl heddle_sched_call_as_first
  .hidden heddle_sched_call_as_first
  .type heddle_sched_call_as_first, @function
heddle_sched_call_as_first:
  .cfi_startproc
  .cfi_undefined rip
  xorl %ebp, %ebp
  movq %rdi, %rax
  movq %rsi, %rdi
  andq $-16, %rsp
  call *%rax
  ud2
  .cfi_endproc
  .size heddle_sched_call_as_first, .-heddle_sched_call_as_first
)");
// NOLINTEND(hicpp-no-assembler)

extern "C" void heddle_sched_begin_stack();

namespace heddle::sched::runtime {

namespace {

// What heddle_sched_switch_stack takes from a saved stack, from its pointer upwards.
struct SavedStack {
  std::uint32_t mxcsr = 0x1F80;         // the ABI's: all exceptions masked, to nearest
  std::uint32_t control_word = 0x037F;  // as above, for x87
  std::uint64_t r15 = 0;
  std::uint64_t r14 = 0;
  std::uint64_t r13 = 0;
  std::uint64_t r12 = 0;
  std::uint64_t rbx = 0;
  std::uint64_t rbp = 0;
  void (*go_on)() = nullptr;
};

constexpr unsigned long kFsgsbase = 1UL << 1;  // of AT_HWCAP2

}  // namespace

void* fresh_stack(void* top, void (*run)()) {
  const std::uintptr_t aligned = reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{63};
  auto* saved = reinterpret_cast<SavedStack*>(aligned - sizeof(SavedStack) - 64);
  *saved = SavedStack{};
  saved->rbx = reinterpret_cast<std::uint64_t>(run);
  saved->go_on = heddle_sched_begin_stack;
  return saved;
}

bool can_set_thread_pointer() { return (getauxval(AT_HWCAP2) & kFsgsbase) != 0; }

}  // namespace heddle::sched::runtime
