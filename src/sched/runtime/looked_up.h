// What a process looks up once and keeps: functions of the C library, and which callers are
// instrumented. A process that is forked for one execution would do so again and again; what it
// looked up it tells the one that it was forked from, which looks it up for all that follow.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>

#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

// The first kMost of what was looked up; threads that heddle does not know may add to it, too.
template <class Entry>
class LookUps {
 public:
  static constexpr std::size_t kMost = 256;

  void add(Entry entry) {
    const std::size_t place = used_.fetch_add(1, std::memory_order_relaxed);
    if (place < kMost) entries_[place] = entry;
  }
  void assign(const LookUps& other) {
    clear();
    for (const Entry entry : other.all()) add(entry);
  }
  void clear() { used_.store(0, std::memory_order_relaxed); }
  std::span<const Entry> all() const {
    const std::size_t used = used_.load(std::memory_order_relaxed);
    return {entries_.data(), used < kMost ? used : kMost};
  }

 private:
  std::atomic<std::size_t> used_{0};
  std::array<Entry, kMost> entries_{};
};

struct LookedUp {
  LookUps<NextFunction*> functions;
  LookUps<const void*> callers;

  void assign(const LookedUp& other);
  void clear();
};

extern LookedUp looked_up;

// Looks up here what another process of the same program has.
void look_up_as(const LookedUp& other);

}  // namespace heddle::sched::runtime
