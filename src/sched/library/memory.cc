// What the C library's functions do to memory for code that is compiled with -fsanitize=thread, and
// what compilers call in place of some of them. Whoever else calls them, as other libraries do,
// gets the C library's own. A function that stops at a certain byte reads no further.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sched/library/ranges.h"
#include "sched/runtime/instrumented.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<void*(void*, const void*, std::size_t)> real_memcpy("memcpy");
LibraryFunction<void*(void*, const void*, std::size_t)> real_memmove("memmove");
LibraryFunction<void*(void*, int, std::size_t)> real_memset("memset");
LibraryFunction<int(const void*, const void*, std::size_t)> real_memcmp("memcmp");
LibraryFunction<const void*(const void*, int, std::size_t)> real_memchr("memchr");
LibraryFunction<const void*(const void*, int, std::size_t)> real_memrchr("memrchr");
LibraryFunction<const void*(const void*, int)> real_rawmemchr("rawmemchr");
LibraryFunction<void*(void*, int, std::size_t, std::size_t)> real_memset_chk("__memset_chk");
LibraryFunction<void*(void*, const void*, std::size_t, std::size_t)> real_memcpy_chk(
    "__memcpy_chk");
LibraryFunction<void*(void*, const void*, std::size_t, std::size_t)> real_memmove_chk(
    "__memmove_chk");

void* copy(void* to, const void* from, std::size_t size, const void* caller) {
  if (!is_watched(caller)) return real_memmove(to, from, size);
  Ranges(caller).copy(to, from, size);
  return to;
}

void* fill(void* to, int byte, std::size_t size, const void* caller) {
  if (!is_watched(caller)) return real_memset(to, byte, size);
  Ranges(caller).fill(to, byte, size);
  return to;
}

int compare(const void* one, const void* other, std::size_t size, const void* caller) {
  if (is_watched(caller)) {
    const auto* a = static_cast<const char*>(one);
    const auto* b = static_cast<const char*>(other);
    std::size_t equal = 0;
    while (equal < size && a[equal] == b[equal]) ++equal;
    const std::size_t looked_at = equal == size ? size : equal + 1;
    Ranges(caller).read(one, looked_at);
    Ranges(caller).read(other, looked_at);
  }
  return real_memcmp(one, other, size);
}

std::size_t distance(const void* begin, const void* found) {
  return reinterpret_cast<std::uintptr_t>(found) - reinterpret_cast<std::uintptr_t>(begin);
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's and compilers'.
#define HEDDLE_CALLER __builtin_return_address(0)
// The header has these names twice, for const and for other memory; here they are named by what the
// linker calls them.
#define HEDDLE_NAMED(name) __asm__(#name)

extern "C" {
#pragma GCC visibility push(default)

// A compiler calls these only for code that it instruments.
void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  return runtime::copy(to, from, size, HEDDLE_CALLER);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  return runtime::copy(to, from, size, HEDDLE_CALLER);
}
void* __tsan_memset(void* to, int byte, std::size_t size) {
  return runtime::fill(to, byte, size, HEDDLE_CALLER);
}

void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size) noexcept {
  if (!runtime::is_on_task()) return runtime::real_memcpy(to, from, size);
  return runtime::copy(to, from, size, HEDDLE_CALLER);
}
void* memmove(void* to, const void* from, std::size_t size) noexcept {
  return runtime::copy(to, from, size, HEDDLE_CALLER);
}
void* mempcpy(void* __restrict to, const void* __restrict from, std::size_t size) noexcept {
  return static_cast<char*>(runtime::copy(to, from, size, HEDDLE_CALLER)) + size;
}
void bcopy(const void* from, void* to, std::size_t size) noexcept {
  runtime::copy(to, from, size, HEDDLE_CALLER);
}
void* memset(void* to, int byte, std::size_t size) noexcept {
  return runtime::fill(to, byte, size, HEDDLE_CALLER);
}
void bzero(void* to, std::size_t size) noexcept { runtime::fill(to, 0, size, HEDDLE_CALLER); }
void explicit_bzero(void* to, std::size_t size) noexcept {
  runtime::fill(to, 0, size, HEDDLE_CALLER);
}

// What -D_FORTIFY_SOURCE calls; the C library stops the program where there is no room.
void* __memcpy_chk(void* __restrict to, const void* __restrict from, std::size_t size,
                   std::size_t room) noexcept {
  if (size > room) return runtime::real_memcpy_chk(to, from, size, room);
  return runtime::copy(to, from, size, HEDDLE_CALLER);
}
void* __memmove_chk(void* to, const void* from, std::size_t size, std::size_t room) noexcept {
  if (size > room) return runtime::real_memmove_chk(to, from, size, room);
  return runtime::copy(to, from, size, HEDDLE_CALLER);
}
void* __memset_chk(void* to, int byte, std::size_t size, std::size_t room) noexcept {
  if (size > room) return runtime::real_memset_chk(to, byte, size, room);
  return runtime::fill(to, byte, size, HEDDLE_CALLER);
}

int memcmp(const void* one, const void* other, std::size_t size) noexcept {
  return runtime::compare(one, other, size, HEDDLE_CALLER);
}
int bcmp(const void* one, const void* other, std::size_t size) noexcept {
  return runtime::compare(one, other, size, HEDDLE_CALLER);
}

const void* heddle_memchr(const void* place, int byte, std::size_t size) HEDDLE_NAMED(memchr);
const void* heddle_memchr(const void* place, int byte, std::size_t size) {
  if (runtime::is_watched(HEDDLE_CALLER)) {
    const void* found = runtime::real_memchr(place, byte, size);
    const std::size_t looked_at = found == nullptr ? size : runtime::distance(place, found) + 1;
    runtime::Ranges(HEDDLE_CALLER).read(place, looked_at);
  }
  return runtime::real_memchr(place, byte, size);
}
const void* heddle_memrchr(const void* place, int byte, std::size_t size) HEDDLE_NAMED(memrchr);
const void* heddle_memrchr(const void* place, int byte, std::size_t size) {
  if (runtime::is_watched(HEDDLE_CALLER)) {
    const void* found = runtime::real_memrchr(place, byte, size);
    const std::size_t left_out = found == nullptr ? 0 : runtime::distance(place, found);
    runtime::Ranges(HEDDLE_CALLER)
        .read(static_cast<const char*>(place) + left_out, size - left_out);
  }
  return runtime::real_memrchr(place, byte, size);
}
const void* heddle_rawmemchr(const void* place, int byte) HEDDLE_NAMED(rawmemchr);
const void* heddle_rawmemchr(const void* place, int byte) {
  if (runtime::is_watched(HEDDLE_CALLER)) {
    const void* found = runtime::real_rawmemchr(place, byte);
    runtime::Ranges(HEDDLE_CALLER).read(place, runtime::distance(place, found) + 1);
  }
  return runtime::real_rawmemchr(place, byte);
}

#pragma GCC visibility pop
}
// NOLINTEND
