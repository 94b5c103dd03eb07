#include "sched/runtime/lent_thread.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <sched.h>
#include <sys/mman.h>

#include "sched/runtime/context.h"
#include "sched/runtime/libc.h"
#include "sched/runtime/process_ends.h"
#include "sched/runtime/thread_locals.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> make_real_thread(
    "pthread_create");

// Stops the thread for ever without touching its stack, on which somebody else will run.
[[noreturn]] void park_for_ever() {
  static int never = 0;
  // NOLINTBEGIN(hicpp-no-assembler): a call would need the stack.
  asm volatile(R"(
1:  movl $202, %%eax
    movq %0, %%rdi
    movl $128, %%esi
    xorl %%edx, %%edx
    xorl %%r10d, %%r10d
    syscall
    jmp 1b)"
               :
               : "r"(&never)
               : "rax", "rdi", "rsi", "rdx", "r10", "rcx", "r11", "memory");
  // NOLINTEND(hicpp-no-assembler)
  __builtin_unreachable();
}

void* map_stack(std::size_t number) {
  auto* place = reinterpret_cast<void*>(LentThread::kStacks + number * LentThread::kStackSize);
  void* stack = mmap(place, LentThread::kStackSize, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (stack != place || mprotect(stack, LentThread::kGuardSize, PROT_NONE) != 0) {
    stop_program("heddle: the address range for the stacks of a test's threads is taken");
  }
  return stack;
}

}  // namespace

Switching chosen_switching() {
  const char* wish = getenv("HEDDLE_SCHED_SWITCH");
  if (wish != nullptr && strcmp(wish, "handover") != 0 && strcmp(wish, "lending") != 0) {
    stop_program("heddle: HEDDLE_SCHED_SWITCH is neither handover nor lending");
  }
  const bool can = can_set_thread_pointer();
  if (wish != nullptr && strcmp(wish, "lending") == 0 && !can) {
    stop_program("heddle: this machine cannot lend threads; unset HEDDLE_SCHED_SWITCH");
  }
  return can && (wish == nullptr || strcmp(wish, "lending") == 0) ? Switching::lending
                                                                  : Switching::handover;
}

LentThread::LentThread(std::size_t number) : switching_(chosen_switching()) {
  void* stack = map_stack(number);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, kStackSize);
  // Signals from outside are the driver's: a parked thread has no stack of its own any more.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, kSurveySignal}) {
    sigdelset(&all, own);
  }
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (make_real_thread(&handle_, &attributes, start, this) != 0) {
    stop_program("heddle: no thread could be created");
  }
  while (__atomic_load_n(&ready_, __ATOMIC_ACQUIRE) == 0) futex_wait(&ready_, 0);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
}

void LentThread::unmap(std::size_t number) {
  munmap(reinterpret_cast<void*>(kStacks + number * kStackSize), kStackSize);
}

void* LentThread::start(void* lent) {
  auto& thread = *static_cast<LentThread*>(lent);
  thread.carrier_.thread = &thread;
  thread.carrier_.thread_pointer = thread_pointer();
  // What runs before a task begins stays above; below, the stack is the task's.
  constexpr std::size_t kOwn = 4096;
  thread.stack_top_ = static_cast<char*>(__builtin_frame_address(0)) - kOwn;
  // Whoever waits for the announcement begins an execution, whose memory must not be used here.
  if (thread.switching_ == Switching::handover) use_signal_stack();
  thread.announce();
  if (thread.switching_ == Switching::lending) park_for_ever();
  wait_for_turn(thread.carrier_);
  return nullptr;
}

void LentThread::announce() {
  __atomic_store_n(&ready_, 1, __ATOMIC_RELEASE);
  futex_wake(&ready_);
}

void LentThread::begin(void (*run)()) {
  reset_thread_locals(carrier_.thread_pointer);
  if (switching_ == Switching::lending) {
    carrier_.stack_pointer = fresh_stack(stack_top_, run);
  } else {
    run_ = run;
    begins_ = true;
  }
}

void LentThread::wait_for_turn(Carrier& carrier) {
  while (__atomic_load_n(&carrier.turn, __ATOMIC_ACQUIRE) == 0) futex_wait(&carrier.turn, 0);
  LentThread* thread = carrier.thread;
  if (thread == nullptr || !thread->begins_) return;
  // Whatever an execution that was abandoned has left on the stack is dropped.
  thread->begins_ = false;
  void* dropped = nullptr;
  heddle_sched_switch_stack(&dropped, fresh_stack(thread->stack_top_, thread->run_));
}

void hand_over(Carrier& from, Carrier& to) {
  __atomic_store_n(&from.turn, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&to.turn, 1, __ATOMIC_RELEASE);
  futex_wake(&to.turn);
  LentThread::wait_for_turn(from);
}

void adopt_driver(Carrier& carrier) {
  carrier.thread_pointer = thread_pointer();
  carrier.turn = 1;
}

}  // namespace heddle::sched::runtime
