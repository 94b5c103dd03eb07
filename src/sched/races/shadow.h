// Which accesses to memory are ordered by happens-before, and which race.
//
// For each eight bytes of memory ("granule") the shadow keeps the plain accesses of this execution
// that no later one has made superfluous: who, at which moment of its clock, which bytes, and
// whether it wrote. Atomic accesses race with none of their kind: of these it keeps each task's
// last read and last write, a clock each, so that one more costs the same however many tasks there
// are. An access races with one that is kept if they share a byte, one of them writes, they are not
// both atomic, and the clock of the later task does not know the moment of the earlier. This is
// FastTrack (Flanagan and Freund, PLDI 2009) with bytes, atomic accesses and several readers in one
// list. It finds a race on a byte in an execution if and only if there is one; of several on one
// byte it may name only the first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sched/races/vector_clock.h"

namespace heddle::sched::runtime {

struct AccessKind {
  bool writes = false;
  bool atomic = false;

  friend bool operator==(const AccessKind&, const AccessKind&) = default;
};

// An access that is kept.
struct KeptAccess {
  Moment moment = 0;
  TaskId task = 0;
  std::uint8_t bytes = 0;  // a bit for each byte of the granule
  bool writes = false;
  bool atomic = false;
};

// The atomic accesses to some bytes of a granule: the moment of each task's last ones.
struct AtomicAccesses {
  std::uint32_t next = 0;  // those to other bytes of the granule, as Granule::more
  std::uint8_t bytes = 0;
  VectorClock reads;
  VectorClock writes;
};

// What is known of eight bytes.
struct alignas(64) Granule {
  static constexpr std::size_t kInline = 6;

  std::uint32_t execution = 0;      // in which the accesses were made; older ones count no more
  std::uint32_t more = 0;           // into the overflow list, plus one; 0: none
  std::uint32_t atomics = 0;        // into the list of atomic accesses, plus one; 0: none
  std::uint8_t accesses = 0;        // how many of `kept` are used
  bool racy = false;                // unordered accesses were seen, in this or an earlier execution
  bool touched_by_several = false;  // as `racy`, whatever orders the accesses
  bool found = false;               // one of these, or to become one when what was found counts
  KeptAccess kept[kInline];
};
static_assert(sizeof(Granule) == 64);

// What an access was found to race with.
struct Race {
  std::uintptr_t address = 0;  // the first byte of the later access in this granule
  KeptAccess earlier;
};

// REQUIRES: one OS thread at a time.
class Shadow {
 public:
  Shadow();
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  // Forgets all accesses, and keeps which granules are shared.
  void begin_execution();
  // Forgets also what is shared.
  void forget_shared();

  // Notes an access of `size` bytes; true: it races, and `race` says with what. One race at a time.
  // `clock` is the task's own, with its own moment in it.
  bool access(std::uintptr_t address, std::size_t size, AccessKind kind, TaskId task,
              const VectorClock& clock, Race& race);
  // As `access`, for a plain access of which a look at one place shows that it races with nothing;
  // false: nothing was noted.
  bool access_alone(std::uintptr_t address, std::size_t size, bool writes, TaskId task,
                    const VectorClock& clock) {
    Granule* granule = known_granule(address);
    if (granule == nullptr || granule->racy || granule->atomics != 0) return false;
    const std::size_t first = address % kGranuleBytes;
    if (first + size > kGranuleBytes) return false;
    const KeptAccess now{
        .moment = clock.of(task), .task = task, .bytes = byte_mask(first, size), .writes = writes};
    return keep_alone(*granule, now, clock);
  }
  // As `access`, for an atomic access of which a look at one place shows that it races with
  // nothing; false: nothing was noted.
  bool access_atomically(std::uintptr_t address, std::size_t size, bool writes, TaskId task,
                         const VectorClock& clock) {
    Granule* granule = known_granule(address);
    const std::size_t first = address % kGranuleBytes;
    if (granule == nullptr || granule->more != 0 || first + size > kGranuleBytes) return false;
    AtomicAccesses* own = find_atomic(*granule, byte_mask(first, size));
    if (own == nullptr) return false;
    // What was plain is most often how it got its first value.
    for (std::uint8_t i = 0; i < granule->accesses; ++i) {
      if (!is_ordered(granule->kept[i], clock)) return false;
    }
    (writes ? own->writes : own->reads).set(task, clock.of(task));
    return true;
  }
  // As `access`, whatever kind the accesses have: notes that a task touched it, and whether another
  // had, of which its clock does not know. Use one of the two in an execution.
  void touch(std::uintptr_t address, std::size_t size, TaskId task, const VectorClock& clock);
  // As `touch`, if a look at one place shows that it is the task's own; false: nothing was noted.
  bool touch_alone(std::uintptr_t address, std::size_t size, TaskId task,
                   const VectorClock& clock) {
    Granule* granule = known_granule(address);
    if (granule == nullptr || granule->touched_by_several) return false;
    if (address % kGranuleBytes + size > kGranuleBytes) return false;
    return touch_granule(*granule, task, clock);
  }

  // The memory was given back or handed out anew: what was done to it before concerns nobody.
  void forget(std::uintptr_t address, std::size_t size);

  // The memory is given back, as by a write of all of it: from now on nobody may use it. True: that
  // races, as `access`.
  bool free(std::uintptr_t address, std::size_t size, TaskId task, const VectorClock& clock,
            Race& race);
  bool is_freed(std::uintptr_t address, std::size_t size);

  // Whether a plain access there is a step, because unordered accesses were seen there.
  bool is_racy(std::uintptr_t address, std::size_t size);
  // Whether several tasks touched it.
  bool is_touched_by_several(std::uintptr_t address, std::size_t size);

  // What was found to be shared since `forget_shared`, an address in each granule, in the order in
  // which it was found. When it has grown, an execution had steps of which its beginning did not
  // know.
  const std::vector<std::uintptr_t>& shared() const { return found_; }
  std::size_t shared_granules() const { return found_.size(); }
  // What another shadow had found.
  void share(std::uintptr_t address);

  // From now on what is found counts only when `adopt_found` says so: executions that several
  // processes share out know the same, whoever makes them.
  void hold_found_back(bool held_back);
  void adopt_found();

 private:
  // One access to none of the bytes: nobody's plain access is like it.
  static bool is_freed(const Granule& granule) {
    return granule.accesses == 1 && granule.kept[0].bytes == 0;
  }

  static constexpr std::size_t kGranuleBytes = 8;
  static constexpr std::size_t kGranulesInPage = 128;
  struct Page {
    std::array<Granule, kGranulesInPage> granules;
  };
  struct CacheEntry {
    std::uintptr_t number = ~std::uintptr_t{0};
    Page* page = nullptr;
  };
  struct Overflow {
    std::uint32_t next = 0;  // as Granule::more
    KeptAccess kept;
  };

  static std::uint8_t byte_mask(std::size_t first, std::size_t count) {
    return static_cast<std::uint8_t>(((1U << count) - 1U) << first);
  }
  static bool is_ordered(const KeptAccess& earlier, const VectorClock& clock) {
    return earlier.moment <= clock.of(earlier.task);
  }
  // Whoever races with the plain access `earlier` later races with the plain access `now`, too:
  // `earlier` need not be kept. REQUIRES: `earlier` happened before `now`.
  static bool replaces(const KeptAccess& now, const KeptAccess& earlier) {
    return now.writes || !earlier.writes;
  }
  // Keeps `now` if that is no more than to put it in the place of one access, and says so; false:
  // it takes more than that.
  static bool keep_alone(Granule& granule, const KeptAccess& now, const VectorClock& clock) {
    KeptAccess& first = granule.kept[0];
    if (granule.accesses == 0) {
      granule.accesses = 1;
    } else if (granule.accesses > 1) {
      return !now.writes && read_again(granule, now);
    } else if (first.bytes != now.bytes) {
      return false;
    } else if (first.task == now.task && first.moment == now.moment && replaces(first, now)) {
      return true;
    } else if (!is_ordered(first, clock) || !replaces(now, first)) {
      return false;
    }
    put(now, first);
    return true;
  }
  // As `keep_alone`, for one of several readers. A write of these bytes behind what it has read
  // before would have taken that away, if it is ordered, or been found.
  static bool read_again(Granule& granule, const KeptAccess& now) {
    if (granule.found) return false;
    for (std::uint8_t i = granule.accesses; i > 0; --i) {
      KeptAccess& one = granule.kept[i - 1];
      if (one.writes || one.task != now.task || one.bytes != now.bytes) continue;
      one.moment = now.moment;
      return true;
    }
    return false;
  }
  // Field by field: a copy would wait until all fields of one that was just made are in memory.
  static void put(const KeptAccess& now, KeptAccess& place) {
    place.moment = now.moment;
    place.task = now.task;
    place.bytes = now.bytes;
    place.writes = now.writes;
    place.atomic = now.atomic;
  }
  // Keeps the last access alone; false: others are not ordered before it.
  static bool touch_granule(Granule& granule, TaskId task, const VectorClock& clock) {
    KeptAccess& last = granule.kept[0];
    if (granule.accesses != 0 && !is_ordered(last, clock)) return false;
    granule.accesses = 1;
    last.moment = clock.of(task);
    last.task = task;
    return true;
  }

  // null: it was never asked for, or others are nearer to hand.
  Granule* known_granule(std::uintptr_t address) {
    const std::uintptr_t number = address / (kGranuleBytes * kGranulesInPage);
    const CacheEntry& entry = cache_[number % cache_.size()];
    return entry.number == number ? &fresh_granule(*entry.page, address) : nullptr;
  }
  Granule& granule(std::uintptr_t address) {
    if (Granule* known = known_granule(address)) [[likely]]
      return *known;
    return find_granule(address);
  }
  Granule& fresh_granule(Page& page, std::uintptr_t address) const {
    Granule& found = page.granules[address / kGranuleBytes % kGranulesInPage];
    if (found.execution != execution_) {
      found.execution = execution_;
      found.accesses = 0;
      found.more = 0;
      found.atomics = 0;
    }
    return found;
  }
  Granule& find_granule(std::uintptr_t address);
  void note_found(Granule& granule, std::uintptr_t address);
  Page* find_page(std::uintptr_t number);
  void grow();
  bool access_granule(Granule& granule, const KeptAccess& now, const VectorClock& clock,
                      KeptAccess& earlier);
  bool access_plainly(Granule& granule, const KeptAccess& now, const VectorClock& clock,
                      KeptAccess& earlier);
  bool races_with_plain(const Granule& granule, const KeptAccess& now, const VectorClock& clock,
                        KeptAccess& earlier) const;
  bool races_with_atomic(const Granule& granule, const KeptAccess& now, const VectorClock& clock,
                         KeptAccess& earlier) const;
  // null: there were no atomic accesses to exactly these bytes.
  AtomicAccesses* find_atomic(const Granule& granule, std::uint8_t bytes) {
    for (std::uint32_t at = granule.atomics; at != 0; at = atomics_[at - 1].next) {
      if (atomics_[at - 1].bytes == bytes) return &atomics_[at - 1];
    }
    return nullptr;
  }
  void keep_atomic(Granule& granule, const KeptAccess& now);

  std::uint32_t execution_ = 1;
  std::vector<std::uintptr_t> found_;
  std::size_t adopted_ = 0;  // how many of them count
  bool held_back_ = false;
  std::array<CacheEntry, 64> cache_;
  std::vector<CacheEntry> table_;  // open addressing; a power of two
  std::size_t pages_ = 0;
  std::vector<Overflow> overflow_;
  std::vector<AtomicAccesses> atomics_;
  std::uint32_t atomics_used_ = 0;
};

}  // namespace heddle::sched::runtime
