// Which accesses to memory are ordered by happens-before, and which race.
//
// For each eight bytes of memory ("granule") the shadow keeps the accesses of this execution that
// no later one has made superfluous: who, at which moment of its clock, which bytes, and whether it
// wrote and was atomic. An access races with one that is kept if they share a byte, one of them
// writes, they are not both atomic, and the clock of the later task does not know the moment of the
// earlier. This is FastTrack (Flanagan and Freund, PLDI 2009) with bytes, atomic accesses and
// several readers in one list. It finds a race on a byte in an execution if and only if there is
// one; of several on one byte it may name only the first.
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

// What is known of eight bytes.
struct Granule {
  static constexpr std::size_t kInline = 8;

  std::uint32_t execution = 0;      // in which the accesses were made; older ones count no more
  std::uint32_t more = 0;           // into the overflow list, plus one; 0: none
  std::uint8_t accesses = 0;        // how many of `kept` are used
  bool racy = false;                // unordered accesses were seen, in this or an earlier execution
  bool touched_by_several = false;  // as `racy`, whatever orders the accesses
  bool found = false;               // one of these, or to become one when what was found counts
  TaskId last_task = 0;
  KeptAccess kept[kInline];
};

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
  // As `access`, without an order of accesses: only notes that a task touched it.
  void touch(std::uintptr_t address, std::size_t size, TaskId task);

  // The memory was given back or handed out anew: what was done to it before concerns nobody.
  void forget(std::uintptr_t address, std::size_t size);

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

  Granule& granule(std::uintptr_t address);
  void note_found(Granule& granule, std::uintptr_t address);
  Page* find_page(std::uintptr_t number, bool create);
  void grow();
  bool access_granule(Granule& granule, std::uint8_t bytes, AccessKind kind, TaskId task,
                      const VectorClock& clock, KeptAccess& earlier);
  static bool keep_among_atomics(Granule& granule, const KeptAccess& now, const VectorClock& clock);
  bool access_slowly(Granule& granule, const KeptAccess& now, const VectorClock& clock,
                     KeptAccess& earlier);

  std::uint32_t execution_ = 1;
  std::vector<std::uintptr_t> found_;
  std::size_t adopted_ = 0;  // how many of them count
  bool held_back_ = false;
  std::array<CacheEntry, 64> cache_;
  std::vector<CacheEntry> table_;  // open addressing; a power of two
  std::size_t pages_ = 0;
  std::vector<Overflow> overflow_;
};

}  // namespace heddle::sched::runtime
