// What tasks wait for and tell each other with: mutexes, conditions, semaphores, futexes, and the
// clocks of atomic objects. The program's own bytes of such an object are read for its kind, and
// never written.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/races/vector_clock.h"
#include "sched/runtime/address_table.h"
#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

constexpr int kNobody = -1;

struct SyncObject {
  int owner = kNobody;          // a mutex's, or who has a read-write lock alone
  std::uint32_t depth = 0;      // how often the owner has it
  TaskSet readers = 0;          // who share a read-write lock
  std::int64_t count = 0;       // a semaphore's, a barrier's arrivals
  std::int64_t limit = 0;       // how many a barrier waits for
  bool known = false;           // its first state was read from the program's bytes
  bool done = false;            // what happens once has happened
  bool is_robust = false;       // a mutex that outlives its owner: the next one is told
  bool is_orphan = false;       // its owner ended with it, and nobody has put things right since
  bool is_lost = false;         // as above, and it was given back so: nobody can have it any more
  bool closed = false;          // nobody shares it anew before those who want it alone had it
  TaskSet wanted = 0;           // who wait until they can have it
  TaskSet wanted_shared = 0;    // and those who would share it
  std::vector<TaskId> waiters;  // on a condition or a futex, the longest first
  VectorClock clock;            // what whoever gets it learns
  VectorClock readers_clock;    // what those who shared it knew

  void clear() {
    owner = kNobody;
    depth = 0;
    readers = 0;
    count = 0;
    limit = 0;
    known = false;
    done = closed = false;
    is_robust = is_orphan = is_lost = false;
    wanted = 0;
    wanted_shared = 0;
    waiters.clear();
    clock.clear();
    readers_clock.clear();
  }
};

using SyncObjects = AddressTable<SyncObject>;

// What an acquire load of an atomic object learns.
struct AtomicClock {
  VectorClock clock;
  void clear() { clock.clear(); }
};
using AtomicClocks = AddressTable<AtomicClock>;

}  // namespace heddle::sched::runtime
