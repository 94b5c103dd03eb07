#include "sched/races/shadow.h"

#include <algorithm>

namespace heddle::sched::runtime {

namespace {

constexpr std::size_t kGranuleBytes = 8;

std::uint8_t byte_mask(std::size_t first, std::size_t count) {
  return static_cast<std::uint8_t>(((1U << count) - 1U) << first);
}

bool is_ordered(const KeptAccess& earlier, const VectorClock& clock) {
  return earlier.moment <= clock.of(earlier.task);
}

bool may_race(const KeptAccess& one, const KeptAccess& other) {
  return (one.writes || other.writes) && !(one.atomic && other.atomic);
}

// Whoever races with `earlier` later races with `now`, too: `earlier` need not be kept.
// REQUIRES: `earlier` happened before `now`.
bool replaces(const KeptAccess& now, const KeptAccess& earlier) {
  return (now.writes || !earlier.writes) && (!now.atomic || earlier.atomic);
}

// What becomes of an access that is kept when `now` comes.
enum class Kept { stays, is_replaced, makes_it_superfluous };

Kept weigh(KeptAccess& one, const KeptAccess& now, const VectorClock& clock, bool& races,
           KeptAccess& earlier) {
  if ((one.bytes & now.bytes) == 0) return Kept::stays;
  if (!is_ordered(one, clock)) {
    if (!races && may_race(one, now)) {
      races = true;
      earlier = one;
    }
    return Kept::stays;
  }
  if (replaces(now, one)) {
    one.bytes = static_cast<std::uint8_t>(one.bytes & ~now.bytes);
    return one.bytes == 0 ? Kept::is_replaced : Kept::stays;
  }
  const bool same_moment = one.task == now.task && one.moment == now.moment;
  const bool covers = (one.bytes & now.bytes) == now.bytes;
  return same_moment && covers && replaces(one, now) ? Kept::makes_it_superfluous : Kept::stays;
}

}  // namespace

Shadow::Shadow() : table_(64) {}

Shadow::~Shadow() {
  for (const CacheEntry& entry : table_) delete entry.page;
}

void Shadow::begin_execution() {
  ++execution_;
  overflow_.clear();
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

Shadow::Page* Shadow::find_page(std::uintptr_t number, bool create) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = (number * 0x9E3779B97F4A7C15ULL >> 32) & mask;
  while (table_[at].page != nullptr && table_[at].number != number) at = (at + 1) & mask;
  if (table_[at].page == nullptr) {
    if (!create) return nullptr;
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

Granule& Shadow::granule(std::uintptr_t address) {
  const std::uintptr_t number = address / (kGranuleBytes * kGranulesInPage);
  CacheEntry& entry = cache_[number % cache_.size()];
  if (entry.number != number) [[unlikely]]
    entry = {number, find_page(number, true)};
  Granule& found = entry.page->granules[address / kGranuleBytes % kGranulesInPage];
  if (found.execution != execution_) {
    found.execution = execution_;
    found.accesses = 0;
    found.more = 0;
    found.last_task = kMostTasks;
  }
  return found;
}

bool Shadow::access_granule(Granule& granule, std::uint8_t bytes, AccessKind kind, TaskId task,
                            const VectorClock& clock, KeptAccess& earlier) {
  const KeptAccess now{.moment = clock.of(task),
                       .task = task,
                       .bytes = bytes,
                       .writes = kind.writes,
                       .atomic = kind.atomic};
  if (granule.accesses == 0) {
    granule.kept[0] = now;
    granule.accesses = 1;
    return false;
  }
  if (granule.accesses == 1) {
    KeptAccess& only = granule.kept[0];
    if (only.bytes == bytes && is_ordered(only, clock) && replaces(now, only)) {
      only = now;
      return false;
    }
  }
  if (now.atomic && keep_among_atomics(granule, now, clock)) return false;
  return access_slowly(granule, now, clock, earlier);
}

// Atomic accesses race with none of their kind: where all else was done before, `now` only has to
// be kept. False: it takes more than that.
bool Shadow::keep_among_atomics(Granule& granule, const KeptAccess& now, const VectorClock& clock) {
  if (granule.more != 0) return false;
  KeptAccess* place = nullptr;
  for (std::uint8_t i = 0; i < granule.accesses; ++i) {
    KeptAccess& one = granule.kept[i];
    if (!one.atomic && !is_ordered(one, clock)) return false;
    if (!one.atomic || one.task != now.task || one.bytes != now.bytes) continue;
    if (now.writes || !one.writes) {
      place = &one;
    } else if (one.moment == now.moment) {
      return true;
    }
  }
  if (place == nullptr) {
    if (granule.accesses == Granule::kInline) return false;
    place = &granule.kept[granule.accesses++];
  }
  *place = now;
  return true;
}

// Looks at all that is kept, drops what `now` replaces, and keeps `now`.
bool Shadow::access_slowly(Granule& granule, const KeptAccess& now, const VectorClock& clock,
                           KeptAccess& earlier) {
  bool races = false;
  bool is_superfluous = false;
  std::uint8_t left = 0;
  for (std::uint8_t i = 0; i < granule.accesses; ++i) {
    KeptAccess& one = granule.kept[i];
    const Kept kept = weigh(one, now, clock, races, earlier);
    if (kept == Kept::makes_it_superfluous) is_superfluous = true;
    if (kept != Kept::is_replaced) granule.kept[left++] = one;
  }
  granule.accesses = left;
  for (std::uint32_t at = granule.more; at != 0; at = overflow_[at - 1].next) {
    if (weigh(overflow_[at - 1].kept, now, clock, races, earlier) == Kept::makes_it_superfluous) {
      is_superfluous = true;
    }
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
    KeptAccess earlier;
    if (access_granule(touched, byte_mask(first, count), kind, task, clock, earlier)) {
      if (!races) race = {address, earlier};
      races = true;
      if (!touched.found) note_found(touched, address);
    }
    address += count;
  }
  return races;
}

void Shadow::touch(std::uintptr_t address, std::size_t size, TaskId task) {
  for (std::uintptr_t at = address & ~(kGranuleBytes - 1); at < address + size;
       at += kGranuleBytes) {
    Granule& touched = granule(at);
    if (touched.last_task != kMostTasks && touched.last_task != task && !touched.found) {
      note_found(touched, at);
    }
    touched.last_task = task;
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
    forgotten.last_task = kMostTasks;
  }
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
