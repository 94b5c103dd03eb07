#include "sched/races/shadow.h"

#include <algorithm>

namespace heddle::sched::runtime {

namespace {

bool may_race(const KeptAccess& one, const KeptAccess& other) {
  return (one.writes || other.writes) && !(one.atomic && other.atomic);
}

}  // namespace

Shadow::Shadow() : table_(64) {}

Shadow::~Shadow() {
  for (const CacheEntry& entry : table_) delete entry.page;
}

void Shadow::begin_execution() {
  ++execution_;
  overflow_.clear();
  atomics_used_ = 0;
}

void Shadow::forget_shared() {
  for (const CacheEntry& entry : table_) {
    if (entry.page == nullptr) continue;
    for (Granule& granule : entry.page->granules) {
      granule.racy = false;
      granule.touched_by_several = false;
      granule.found = false;
    }
  }
  found_.clear();
  adopted_ = 0;
  held_back_ = false;
}

void Shadow::note_found(Granule& granule, std::uintptr_t address) {
  granule.found = true;
  found_.push_back(address & ~(kGranuleBytes - 1));
  if (!held_back_) adopt_found();
}

void Shadow::hold_found_back(bool held_back) {
  held_back_ = held_back;
  adopt_found();
}

void Shadow::adopt_found() {
  for (; adopted_ < found_.size(); ++adopted_) {
    Granule& shared = granule(found_[adopted_]);
    shared.racy = shared.touched_by_several = true;
  }
}

Shadow::Page* Shadow::find_page(std::uintptr_t number) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = (number * 0x9E3779B97F4A7C15ULL >> 32) & mask;
  while (table_[at].page != nullptr && table_[at].number != number) at = (at + 1) & mask;
  if (table_[at].page == nullptr) {
    table_[at] = {number, new Page()};
    if (++pages_ * 2 > table_.size()) {
      Page* made = table_[at].page;
      grow();
      return made;
    }
  }
  return table_[at].page;
}

void Shadow::grow() {
  std::vector<CacheEntry> old(table_.size() * 2);
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (const CacheEntry& entry : old) {
    if (entry.page == nullptr) continue;
    std::size_t at = (entry.number * 0x9E3779B97F4A7C15ULL >> 32) & mask;
    while (table_[at].page != nullptr) at = (at + 1) & mask;
    table_[at] = entry;
  }
}

Granule& Shadow::find_granule(std::uintptr_t address) {
  const std::uintptr_t number = address / (kGranuleBytes * kGranulesInPage);
  CacheEntry& entry = cache_[number % cache_.size()];
  entry = {number, find_page(number)};
  return fresh_granule(*entry.page, address);
}

bool Shadow::access_granule(Granule& granule, const KeptAccess& now, const VectorClock& clock,
                            KeptAccess& earlier) {
  if (now.atomic) {
    keep_atomic(granule, now);
    return granule.accesses != 0 && races_with_plain(granule, now, clock, earlier);
  }
  if (granule.atomics != 0 && races_with_atomic(granule, now, clock, earlier)) {
    KeptAccess plain;
    access_plainly(granule, now, clock, plain);
    return true;
  }
  return !keep_alone(granule, now, clock) && access_plainly(granule, now, clock, earlier);
}

bool Shadow::races_with_plain(const Granule& granule, const KeptAccess& now,
                              const VectorClock& clock, KeptAccess& earlier) const {
  const auto races = [&](const KeptAccess& one) {
    if ((one.bytes & now.bytes) == 0 || !may_race(one, now) || is_ordered(one, clock)) return false;
    earlier = one;
    return true;
  };
  for (std::uint8_t i = 0; i < granule.accesses; ++i) {
    if (races(granule.kept[i])) return true;
  }
  for (std::uint32_t at = granule.more; at != 0; at = overflow_[at - 1].next) {
    if (races(overflow_[at - 1].kept)) return true;
  }
  return false;
}

bool Shadow::races_with_atomic(const Granule& granule, const KeptAccess& now,
                               const VectorClock& clock, KeptAccess& earlier) const {
  const auto races = [&](const AtomicAccesses& kept, const VectorClock& moments, bool writes) {
    for (std::uint32_t i = 0; i < moments.size; ++i) {
      const auto task = static_cast<TaskId>(i);
      if (moments.moments[task] <= clock.of(task)) continue;
      earlier = {moments.moments[task], task, kept.bytes, writes, true};
      return true;
    }
    return false;
  };
  for (std::uint32_t at = granule.atomics; at != 0; at = atomics_[at - 1].next) {
    const AtomicAccesses& kept = atomics_[at - 1];
    if ((kept.bytes & now.bytes) == 0) continue;
    if (races(kept, kept.writes, true) || (now.writes && races(kept, kept.reads, false))) {
      return true;
    }
  }
  return false;
}

void Shadow::keep_atomic(Granule& granule, const KeptAccess& now) {
  AtomicAccesses* kept = find_atomic(granule, now.bytes);
  if (kept == nullptr) {
    if (atomics_used_ == atomics_.size()) atomics_.emplace_back();
    AtomicAccesses& made = atomics_[atomics_used_++];
    made.next = granule.atomics;
    made.bytes = now.bytes;
    made.reads.clear();
    made.writes.clear();
    granule.atomics = atomics_used_;
    kept = &made;
  }
  (now.writes ? kept->writes : kept->reads).set(now.task, now.moment);
}

// Looks at all that is kept, drops what `now` replaces, and keeps `now`.
bool Shadow::access_plainly(Granule& granule, const KeptAccess& now, const VectorClock& clock,
                            KeptAccess& earlier) {
  bool races = false;
  bool is_superfluous = false;
  // What is left of an access that is kept; no bytes: nothing.
  const auto weigh = [&](KeptAccess& one) {
    if ((one.bytes & now.bytes) == 0) return;
    if (!is_ordered(one, clock)) {
      if (!races && may_race(one, now)) {
        races = true;
        earlier = one;
      }
    } else if (replaces(now, one)) {
      one.bytes = static_cast<std::uint8_t>(one.bytes & ~now.bytes);
    } else if (one.task == now.task && one.moment == now.moment && replaces(one, now)) {
      is_superfluous |= (one.bytes & now.bytes) == now.bytes;
    }
  };
  std::uint8_t left = 0;
  for (std::uint8_t i = 0; i < granule.accesses; ++i) {
    weigh(granule.kept[i]);
    if (granule.kept[i].bytes != 0) granule.kept[left++] = granule.kept[i];
  }
  granule.accesses = left;
  for (std::uint32_t at = granule.more; at != 0; at = overflow_[at - 1].next) {
    weigh(overflow_[at - 1].kept);
  }
  if (is_superfluous) return races;
  if (granule.accesses < Granule::kInline) {
    granule.kept[granule.accesses++] = now;
    return races;
  }
  for (std::uint32_t at = granule.more; at != 0; at = overflow_[at - 1].next) {
    if (overflow_[at - 1].kept.bytes != 0) continue;
    overflow_[at - 1].kept = now;
    return races;
  }
  overflow_.push_back({granule.more, now});
  granule.more = static_cast<std::uint32_t>(overflow_.size());
  return races;
}

bool Shadow::access(std::uintptr_t address, std::size_t size, AccessKind kind, TaskId task,
                    const VectorClock& clock, Race& race) {
  bool races = false;
  const std::uintptr_t end = address + size;
  while (address < end) {
    const std::size_t first = address % kGranuleBytes;
    const std::size_t count = std::min<std::size_t>(kGranuleBytes - first, end - address);
    Granule& touched = granule(address);
    const KeptAccess now{.moment = clock.of(task),
                         .task = task,
                         .bytes = byte_mask(first, count),
                         .writes = kind.writes,
                         .atomic = kind.atomic};
    KeptAccess earlier;
    if (access_granule(touched, now, clock, earlier)) {
      if (!races) race = {address, earlier};
      races = true;
      if (!touched.found) note_found(touched, address);
    }
    address += count;
  }
  return races;
}

void Shadow::touch(std::uintptr_t address, std::size_t size, TaskId task,
                   const VectorClock& clock) {
  for (std::uintptr_t at = address & ~(kGranuleBytes - 1); at < address + size;
       at += kGranuleBytes) {
    Granule& touched = granule(at);
    if (touch_granule(touched, task, clock)) continue;
    if (!touched.found) note_found(touched, at);
    touched.accesses = 0;
    touch_granule(touched, task, clock);
  }
}

void Shadow::forget(std::uintptr_t address, std::size_t size) {
  // What covers a granule in part is kept by somebody else only if blocks were smaller than a
  // granule.
  for (std::uintptr_t at = address & ~(kGranuleBytes - 1); at < address + size;
       at += kGranuleBytes) {
    Granule& forgotten = granule(at);
    forgotten.accesses = 0;
    forgotten.more = 0;
    forgotten.atomics = 0;
  }
}

bool Shadow::free(std::uintptr_t address, std::size_t size, TaskId task, const VectorClock& clock,
                  Race& race) {
  const KeptAccess now{
      .moment = clock.of(task), .task = task, .bytes = byte_mask(0, kGranuleBytes), .writes = true};
  bool races = false;
  for (std::uintptr_t at = address; at < address + size; at += kGranuleBytes) {
    Granule& freed = granule(at);
    KeptAccess earlier;
    if ((freed.accesses != 0 && races_with_plain(freed, now, clock, earlier)) ||
        (freed.atomics != 0 && races_with_atomic(freed, now, clock, earlier))) {
      if (!races) race = {at, earlier};
      races = true;
      if (!freed.found) note_found(freed, at);
    }
    freed.more = freed.atomics = 0;
    freed.accesses = 1;
    freed.kept[0] = KeptAccess{};
  }
  return races;
}

bool Shadow::is_freed(std::uintptr_t address, std::size_t size) {
  for (std::uintptr_t at = address & ~(kGranuleBytes - 1); at < address + size;
       at += kGranuleBytes) {
    if (is_freed(granule(at))) return true;
  }
  return false;
}

void Shadow::share(std::uintptr_t address) {
  Granule& shared = granule(address);
  if (!shared.found) note_found(shared, address);
}

bool Shadow::is_racy(std::uintptr_t address, std::size_t size) {
  if (address % kGranuleBytes + size <= kGranuleBytes) return granule(address).racy;
  for (std::uintptr_t at = address & ~(kGranuleBytes - 1); at < address + size;
       at += kGranuleBytes) {
    if (granule(at).racy) return true;
  }
  return false;
}

bool Shadow::is_touched_by_several(std::uintptr_t address, std::size_t size) {
  for (std::uintptr_t at = address & ~(kGranuleBytes - 1); at < address + size;
       at += kGranuleBytes) {
    if (granule(at).touched_by_several) return true;
  }
  return false;
}

}  // namespace heddle::sched::runtime
