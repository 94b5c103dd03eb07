// What compilers call for each plain access to memory under -fsanitize=thread. These names are the
// interface of ThreadSanitizer (LLVM: compiler-rt/lib/tsan/rtl/tsan_interface.h); g++ and clang use
// the same.
#include <cstddef>
#include <cstdint>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

namespace {

void read(void* address, std::size_t size, const void* caller) {
  if (!is_on_task()) return;
  engine().access(reinterpret_cast<std::uintptr_t>(address), size, {.writes = false}, caller);
}

void write(void* address, std::size_t size, const void* caller) {
  if (!is_on_task()) return;
  engine().access(reinterpret_cast<std::uintptr_t>(address), size, {.writes = true}, caller);
}

}  // namespace

}  // namespace heddle::sched::runtime

// The names are compilers', not ours. NOLINTBEGIN: a table of entry points that differ in name and
// size.
#define HEDDLE_CALLER __builtin_return_address(0)
#define HEDDLE_ACCESSES(size)                                                                     \
  void __tsan_read##size(void* a) { heddle::sched::runtime::read(a, size, HEDDLE_CALLER); }       \
  void __tsan_write##size(void* a) { heddle::sched::runtime::write(a, size, HEDDLE_CALLER); }     \
  void __tsan_unaligned_read##size(void* a) {                                                     \
    heddle::sched::runtime::read(a, size, HEDDLE_CALLER);                                         \
  }                                                                                               \
  void __tsan_unaligned_write##size(void* a) {                                                    \
    heddle::sched::runtime::write(a, size, HEDDLE_CALLER);                                        \
  }                                                                                               \
  void __tsan_volatile_read##size(void* a) {                                                      \
    heddle::sched::runtime::read(a, size, HEDDLE_CALLER);                                         \
  }                                                                                               \
  void __tsan_volatile_write##size(void* a) {                                                     \
    heddle::sched::runtime::write(a, size, HEDDLE_CALLER);                                        \
  }                                                                                               \
  void __tsan_unaligned_volatile_read##size(void* a) {                                            \
    heddle::sched::runtime::read(a, size, HEDDLE_CALLER);                                         \
  }                                                                                               \
  void __tsan_unaligned_volatile_write##size(void* a) {                                           \
    heddle::sched::runtime::write(a, size, HEDDLE_CALLER);                                        \
  }                                                                                               \
  void __tsan_read##size##_pc(void* a, void* pc) { heddle::sched::runtime::read(a, size, pc); }   \
  void __tsan_write##size##_pc(void* a, void* pc) { heddle::sched::runtime::write(a, size, pc); } \
  void __tsan_read_write##size(void* a) {                                                         \
    heddle::sched::runtime::read(a, size, HEDDLE_CALLER);                                         \
    heddle::sched::runtime::write(a, size, HEDDLE_CALLER);                                        \
  }                                                                                               \
  void __tsan_unaligned_read_write##size(void* a) {                                               \
    heddle::sched::runtime::read(a, size, HEDDLE_CALLER);                                         \
    heddle::sched::runtime::write(a, size, HEDDLE_CALLER);                                        \
  }                                                                                               \
  void __tsan_read_write##size##_pc(void* a, void* pc) {                                          \
    heddle::sched::runtime::read(a, size, pc);                                                    \
    heddle::sched::runtime::write(a, size, pc);                                                   \
  }

extern "C" {
#pragma GCC visibility push(default)

HEDDLE_ACCESSES(1)
HEDDLE_ACCESSES(2)
HEDDLE_ACCESSES(4)
HEDDLE_ACCESSES(8)
HEDDLE_ACCESSES(16)

void __tsan_read_range(void* a, std::size_t size) {
  heddle::sched::runtime::read(a, size, HEDDLE_CALLER);
}
void __tsan_write_range(void* a, std::size_t size) {
  heddle::sched::runtime::write(a, size, HEDDLE_CALLER);
}
void __tsan_read_range_pc(void* a, std::size_t size, void* pc) {
  heddle::sched::runtime::read(a, size, pc);
}
void __tsan_write_range_pc(void* a, std::size_t size, void* pc) {
  heddle::sched::runtime::write(a, size, pc);
}

// A constructor or destructor sets the pointer to its class's virtual functions. Where it stays the
// same, nobody can tell.
void __tsan_vptr_update(void** place, void* value) {
  if (*place != value) heddle::sched::runtime::write(place, sizeof(void*), HEDDLE_CALLER);
}
void __tsan_vptr_read(void** place) {
  heddle::sched::runtime::read(place, sizeof(void*), HEDDLE_CALLER);
}

void __tsan_init() {}
void __tsan_func_entry(void* /*caller*/) {}
void __tsan_func_exit() {}

// What the program says about itself: accesses between these are left alone.
void __tsan_ignore_thread_begin() {
  if (heddle::sched::runtime::is_on_task()) ++heddle::sched::runtime::engine().running().ignoring;
}
void __tsan_ignore_thread_end() {
  if (heddle::sched::runtime::is_on_task()) --heddle::sched::runtime::engine().running().ignoring;
}

#pragma GCC visibility pop
}
// NOLINTEND
