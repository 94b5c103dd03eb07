#include "sched/library/ranges.h"

#include <algorithm>
#include <cstring>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::size_t kWord = 8;

// How much of a range belongs to the word in which it begins, or in which it ends.
std::size_t first_part(const void* place, std::size_t size) {
  return std::min(kWord - reinterpret_cast<std::uintptr_t>(place) % kWord, size);
}
std::size_t last_part(const void* end, std::size_t size) {
  const std::size_t part = reinterpret_cast<std::uintptr_t>(end) % kWord;
  return std::min(part == 0 ? kWord : part, size);
}

}  // namespace

void Ranges::access(const void* place, std::size_t size, bool writes, std::size_t whole) const {
  engine().access_part(reinterpret_cast<std::uintptr_t>(place), size, {.writes = writes},
                       {.caller = caller_, .whole = whole, .part = ++parts_});
}

void Ranges::read(const void* place, std::size_t size) const {
  const auto* at = static_cast<const char*>(place);
  for (std::size_t left = size; left > 0;) {
    const std::size_t part = first_part(at, left);
    access(at, part, false, size);
    at += part;
    left -= part;
  }
}

// What was read is written, whatever stands there meanwhile.
void Ranges::copy_part(char* to, const char* from, std::size_t size, std::size_t whole) const {
  char word[kWord];
  access(from, size, false, whole);
  memcpy(word, from, size);
  access(to, size, true, whole);
  memcpy(to, word, size);
}

void Ranges::copy(void* to, const void* from, std::size_t size) const {
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  const bool backwards = source < target && target < source + size;
  for (std::size_t left = size; left > 0;) {
    const std::size_t part = backwards ? last_part(target + left, left) : first_part(target, left);
    left -= part;
    copy_part(backwards ? target + left : target, backwards ? source + left : source, part, size);
    if (backwards) continue;
    target += part;
    source += part;
  }
}

void Ranges::fill(void* to, int byte, std::size_t size) const {
  auto* at = static_cast<char*>(to);
  for (std::size_t left = size; left > 0;) {
    const std::size_t part = first_part(at, left);
    access(at, part, true, size);
    memset(at, byte, part);
    at += part;
    left -= part;
  }
}

}  // namespace heddle::sched::runtime
