// As memory.cc, for functions of strings, of bytes and of wide characters. What is copied is copied
// word by word where others access it; what is only looked at is read first and looked at then.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "sched/library/ranges.h"
#include "sched/runtime/instrumented.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<std::size_t(const char*)> real_strlen("strlen");
LibraryFunction<std::size_t(const char*, std::size_t)> real_strnlen("strnlen");
LibraryFunction<int(const char*, const char*)> real_strcmp("strcmp");
LibraryFunction<int(const char*, const char*, std::size_t)> real_strncmp("strncmp");
LibraryFunction<int(const char*, const char*)> real_strcasecmp("strcasecmp");
LibraryFunction<int(const char*, const char*, std::size_t)> real_strncasecmp("strncasecmp");
LibraryFunction<const char*(const char*, int)> real_strchr("strchr");
LibraryFunction<const char*(const char*, int)> real_strrchr("strrchr");
LibraryFunction<const char*(const char*, int)> real_strchrnul("strchrnul");
LibraryFunction<const char*(const char*, const char*)> real_strstr("strstr");
LibraryFunction<char*(char*, const char*, std::size_t)> real_strcpy_chk("__strcpy_chk");
LibraryFunction<char*(char*, const char*, std::size_t)> real_strcat_chk("__strcat_chk");
LibraryFunction<std::size_t(const wchar_t*)> real_wcslen("wcslen");
LibraryFunction<int(const wchar_t*, const wchar_t*, std::size_t)> real_wmemcmp("wmemcmp");
LibraryFunction<const wchar_t*(const wchar_t*, wchar_t, std::size_t)> real_wmemchr("wmemchr");
LibraryFunction<wchar_t*(wchar_t*, wchar_t, std::size_t)> real_wmemset("wmemset");

constexpr std::size_t kNoLimit = SIZE_MAX;

// The string with its end, as far as the limit goes.
std::size_t bytes_of(const char* text, std::size_t most) {
  const std::size_t length = real_strnlen(text, most);
  return length == most ? most : length + 1;
}

void read_string(const char* text, std::size_t most, const void* caller) {
  if (is_watched(caller)) Ranges(caller).read(text, bytes_of(text, most));
}

// Both as far as comparing them has to look.
void read_both(const char* one, const char* other, std::size_t most, const void* caller) {
  if (!is_watched(caller)) return;
  std::size_t equal = 0;
  while (equal < most && one[equal] == other[equal] && one[equal] != 0) ++equal;
  const std::size_t looked_at = std::min(most, equal + 1);
  Ranges(caller).read(one, looked_at);
  Ranges(caller).read(other, looked_at);
}

char* copy_string(char* to, const char* from, const void* caller) {
  const std::size_t length = real_strlen(from);
  if (is_watched(caller)) {
    Ranges(caller).copy(to, from, length + 1);
  } else {
    memmove(to, from, length + 1);
  }
  return to + length;
}

// As strncpy, without what it fills behind the string.
char* copy_at_most(char* to, const char* from, std::size_t most, const void* caller) {
  const std::size_t length = real_strnlen(from, most);
  if (is_watched(caller)) {
    Ranges(caller).copy(to, from, length);
  } else {
    memmove(to, from, length);
  }
  return to + length;
}

void fill_up(char* at, std::size_t size, const void* caller) {
  if (is_watched(caller)) {
    Ranges(caller).fill(at, 0, size);
  } else {
    memset(at, 0, size);
  }
}

char* end_of(char* text, const void* caller) {
  read_string(text, kNoLimit, caller);
  return text + real_strlen(text);
}

char* duplicate(const char* text, std::size_t length, const void* caller) {
  auto* made = static_cast<char*>(malloc(length + 1));
  if (made == nullptr) return nullptr;
  fill_up(copy_at_most(made, text, length, caller), 1, caller);
  return made;
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
#define HEDDLE_CALLER __builtin_return_address(0)
#define HEDDLE_NAMED(name) __asm__(#name)

extern "C" {
#pragma GCC visibility push(default)

std::size_t strlen(const char* text) noexcept {
  runtime::read_string(text, runtime::kNoLimit, HEDDLE_CALLER);
  return runtime::real_strlen(text);
}
std::size_t strnlen(const char* text, std::size_t most) noexcept {
  runtime::read_string(text, most, HEDDLE_CALLER);
  return runtime::real_strnlen(text, most);
}
int strcmp(const char* one, const char* other) noexcept {
  runtime::read_both(one, other, runtime::kNoLimit, HEDDLE_CALLER);
  return runtime::real_strcmp(one, other);
}
int strncmp(const char* one, const char* other, std::size_t most) noexcept {
  runtime::read_both(one, other, most, HEDDLE_CALLER);
  return runtime::real_strncmp(one, other, most);
}
int strcasecmp(const char* one, const char* other) noexcept {
  runtime::read_both(one, other, runtime::kNoLimit, HEDDLE_CALLER);
  return runtime::real_strcasecmp(one, other);
}
int strncasecmp(const char* one, const char* other, std::size_t most) noexcept {
  runtime::read_both(one, other, most, HEDDLE_CALLER);
  return runtime::real_strncasecmp(one, other, most);
}

const char* heddle_strchr(const char* text, int byte) HEDDLE_NAMED(strchr);
const char* heddle_strchr(const char* text, int byte) {
  if (runtime::is_watched(HEDDLE_CALLER)) {
    const char* found = runtime::real_strchrnul(text, byte);
    runtime::Ranges(HEDDLE_CALLER).read(text, static_cast<std::size_t>(found - text) + 1);
  }
  return runtime::real_strchr(text, byte);
}
const char* heddle_strchrnul(const char* text, int byte) HEDDLE_NAMED(strchrnul);
const char* heddle_strchrnul(const char* text, int byte) {
  if (runtime::is_watched(HEDDLE_CALLER)) {
    const char* found = runtime::real_strchrnul(text, byte);
    runtime::Ranges(HEDDLE_CALLER).read(text, static_cast<std::size_t>(found - text) + 1);
  }
  return runtime::real_strchrnul(text, byte);
}
const char* heddle_strrchr(const char* text, int byte) HEDDLE_NAMED(strrchr);
const char* heddle_strrchr(const char* text, int byte) {
  runtime::read_string(text, runtime::kNoLimit, HEDDLE_CALLER);
  return runtime::real_strrchr(text, byte);
}
const char* heddle_strstr(const char* text, const char* wanted) HEDDLE_NAMED(strstr);
const char* heddle_strstr(const char* text, const char* wanted) {
  runtime::read_string(wanted, runtime::kNoLimit, HEDDLE_CALLER);
  if (runtime::is_watched(HEDDLE_CALLER)) {
    const char* found = runtime::real_strstr(text, wanted);
    runtime::Ranges(HEDDLE_CALLER)
        .read(text, found == nullptr
                        ? runtime::real_strlen(text) + 1
                        : static_cast<std::size_t>(found - text) + runtime::real_strlen(wanted));
  }
  return runtime::real_strstr(text, wanted);
}

char* strcpy(char* __restrict to, const char* __restrict from) noexcept {
  runtime::copy_string(to, from, HEDDLE_CALLER);
  return to;
}
char* stpcpy(char* __restrict to, const char* __restrict from) noexcept {
  return runtime::copy_string(to, from, HEDDLE_CALLER);
}
char* strncpy(char* __restrict to, const char* __restrict from, std::size_t most) noexcept {
  char* end = runtime::copy_at_most(to, from, most, HEDDLE_CALLER);
  runtime::fill_up(end, most - static_cast<std::size_t>(end - to), HEDDLE_CALLER);
  return to;
}
char* strcat(char* __restrict to, const char* __restrict from) noexcept {
  runtime::copy_string(runtime::end_of(to, HEDDLE_CALLER), from, HEDDLE_CALLER);
  return to;
}
char* strncat(char* __restrict to, const char* __restrict from, std::size_t most) noexcept {
  char* end = runtime::end_of(to, HEDDLE_CALLER);
  runtime::fill_up(runtime::copy_at_most(end, from, most, HEDDLE_CALLER), 1, HEDDLE_CALLER);
  return to;
}
char* __strcpy_chk(char* __restrict to, const char* __restrict from, std::size_t room) noexcept {
  if (runtime::real_strlen(from) >= room) return runtime::real_strcpy_chk(to, from, room);
  runtime::copy_string(to, from, HEDDLE_CALLER);
  return to;
}
char* __strcat_chk(char* __restrict to, const char* __restrict from, std::size_t room) noexcept {
  if (runtime::real_strlen(to) + runtime::real_strlen(from) >= room) {
    return runtime::real_strcat_chk(to, from, room);
  }
  runtime::copy_string(runtime::end_of(to, HEDDLE_CALLER), from, HEDDLE_CALLER);
  return to;
}
char* strdup(const char* text) noexcept {
  runtime::read_string(text, runtime::kNoLimit, HEDDLE_CALLER);
  return runtime::duplicate(text, runtime::real_strlen(text), HEDDLE_CALLER);
}
char* strndup(const char* text, std::size_t most) noexcept {
  return runtime::duplicate(text, runtime::real_strnlen(text, most), HEDDLE_CALLER);
}

std::size_t wcslen(const wchar_t* text) noexcept {
  if (runtime::is_watched(HEDDLE_CALLER)) {
    runtime::Ranges(HEDDLE_CALLER).read(text, (runtime::real_wcslen(text) + 1) * sizeof *text);
  }
  return runtime::real_wcslen(text);
}
int wmemcmp(const wchar_t* one, const wchar_t* other, std::size_t count) noexcept {
  if (runtime::is_watched(HEDDLE_CALLER)) {
    std::size_t equal = 0;
    while (equal < count && one[equal] == other[equal]) ++equal;
    const std::size_t looked_at = std::min(count, equal + 1) * sizeof *one;
    runtime::Ranges(HEDDLE_CALLER).read(one, looked_at);
    runtime::Ranges(HEDDLE_CALLER).read(other, looked_at);
  }
  return runtime::real_wmemcmp(one, other, count);
}
const wchar_t* heddle_wmemchr(const wchar_t* place, wchar_t wanted, std::size_t count)
    HEDDLE_NAMED(wmemchr);
const wchar_t* heddle_wmemchr(const wchar_t* place, wchar_t wanted, std::size_t count) {
  if (runtime::is_watched(HEDDLE_CALLER)) {
    const wchar_t* found = runtime::real_wmemchr(place, wanted, count);
    const std::size_t looked_at =
        found == nullptr ? count : static_cast<std::size_t>(found - place) + 1;
    runtime::Ranges(HEDDLE_CALLER).read(place, looked_at * sizeof *place);
  }
  return runtime::real_wmemchr(place, wanted, count);
}
wchar_t* wmemcpy(wchar_t* __restrict to, const wchar_t* __restrict from,
                 std::size_t count) noexcept {
  if (!runtime::is_watched(HEDDLE_CALLER)) {
    return static_cast<wchar_t*>(memmove(to, from, count * sizeof *to));
  }
  runtime::Ranges(HEDDLE_CALLER).copy(to, from, count * sizeof *to);
  return to;
}
wchar_t* wmemmove(wchar_t* to, const wchar_t* from, std::size_t count) noexcept {
  if (!runtime::is_watched(HEDDLE_CALLER)) {
    return static_cast<wchar_t*>(memmove(to, from, count * sizeof *to));
  }
  runtime::Ranges(HEDDLE_CALLER).copy(to, from, count * sizeof *to);
  return to;
}
wchar_t* wmemset(wchar_t* to, wchar_t value, std::size_t count) noexcept {
  if (!runtime::is_watched(HEDDLE_CALLER)) return runtime::real_wmemset(to, value, count);
  for (std::size_t i = 0; i < count; ++i) runtime::Ranges(HEDDLE_CALLER).set(to[i], value);
  return to;
}

#pragma GCC visibility pop
}
// NOLINTEND
