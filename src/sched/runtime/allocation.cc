// malloc and its family: tests allocate in the arena, everybody else where they always did.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <malloc.h>

#include "sched/runtime/engine.h"

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
void* __libc_malloc(std::size_t size);
void __libc_free(void* block);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}
// NOLINTEND(readability-identifier-naming)

namespace heddle::sched::runtime {

namespace {

constexpr std::size_t kUsual = alignof(std::max_align_t);

void* allocate(std::size_t size, std::size_t alignment, const void* caller) {
  const InRuntime inside;
  void* block = engine().arena().allocate(size, alignment);
  if (block == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  // What stood there before has ended: nothing done to it concerns the new block.
  engine().forget_memory(reinterpret_cast<std::uintptr_t>(block), Arena::size_of(block));
  engine().note_block(OperationKind::allocate, block, Arena::size_of(block), caller);
  return block;
}

// Memory of an execution that is over, freed when the next one or none runs, is already back.
void give_back(void* block, const void* caller) {
  if (!is_on_task()) return;
  const InRuntime inside;
  engine().free_block(block, caller);
}

void* reallocate(void* block, std::size_t size) {
  if (block == nullptr) return malloc(size);
  if (!Arena::contains(block)) return __libc_realloc(block, size);
  if (size == 0) {
    give_back(block, __builtin_return_address(0));
    return nullptr;
  }
  const std::size_t held = Arena::size_of(block);
  if (size <= held) return block;
  void* larger = malloc(size);
  if (larger == nullptr) return nullptr;
  memcpy(larger, block, held);
  give_back(block, __builtin_return_address(0));
  return larger;
}

}  // namespace

}  // namespace heddle::sched::runtime

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

void* malloc(std::size_t size) {
  if (!heddle::sched::runtime::is_on_task()) return __libc_malloc(size);
  return heddle::sched::runtime::allocate(size, heddle::sched::runtime::kUsual,
                                          __builtin_return_address(0));
}

void free(void* block) {
  if (heddle::sched::runtime::Arena::contains(block)) {
    heddle::sched::runtime::give_back(block, __builtin_return_address(0));
  } else {
    __libc_free(block);
  }
}

void* calloc(std::size_t count, std::size_t size) {
  if (!heddle::sched::runtime::is_on_task()) return __libc_calloc(count, size);
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* block = heddle::sched::runtime::allocate(bytes, heddle::sched::runtime::kUsual,
                                                 __builtin_return_address(0));
  return block == nullptr ? nullptr : memset(block, 0, bytes);
}

void* realloc(void* block, std::size_t size) {
  if (!heddle::sched::runtime::Arena::contains(block) && !heddle::sched::runtime::is_on_task()) {
    return __libc_realloc(block, size);
  }
  return heddle::sched::runtime::reallocate(block, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  if (!heddle::sched::runtime::is_on_task()) return __libc_memalign(alignment, size);
  return heddle::sched::runtime::allocate(size, alignment, __builtin_return_address(0));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  void* made = memalign(alignment, size);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}

std::size_t malloc_usable_size(void* block) {
  if (block == nullptr) return 0;
  if (heddle::sched::runtime::Arena::contains(block))
    return heddle::sched::runtime::Arena::size_of(block);
  // What stands before a block of the C library: its size and three flags.
  const std::size_t chunk = reinterpret_cast<const std::size_t*>(block)[-1];
  return (chunk & ~std::size_t{7}) - ((chunk & 2) != 0 ? 2 : 1) * sizeof(std::size_t);
}

#pragma GCC visibility pop
}
// NOLINTEND
