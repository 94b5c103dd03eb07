#include "sched/explain/accesses.h"

#include <array>
#include <map>

namespace heddle::sched::runtime {

namespace {

struct KindOfAccess {
  OperationKind kind;
  AccessTo to;
  bool reads;
  bool changes;
  bool acquires = false;
  bool releases = false;
};

// Kinds that are not here are about nothing that others could notice. Who waits reads, who wakes
// changes.
constexpr std::array kKinds{
    KindOfAccess{OperationKind::read, AccessTo::memory, true, false},
    KindOfAccess{OperationKind::write, AccessTo::memory, false, true},
    KindOfAccess{OperationKind::atomic_load, AccessTo::memory, true, false},
    KindOfAccess{OperationKind::atomic_store, AccessTo::memory, false, true},
    KindOfAccess{OperationKind::atomic_change, AccessTo::memory, true, true},
    KindOfAccess{OperationKind::compare_exchange, AccessTo::memory, true, true},
    KindOfAccess{OperationKind::lock, AccessTo::mutex, true, true, true},
    KindOfAccess{OperationKind::lock_shared, AccessTo::mutex, true, false, true},
    KindOfAccess{OperationKind::try_lock, AccessTo::mutex, true, true, true},
    KindOfAccess{OperationKind::unlock, AccessTo::mutex, false, true, false, true},
    KindOfAccess{OperationKind::wait, AccessTo::condition, true, false},
    KindOfAccess{OperationKind::notify_one, AccessTo::condition, false, true},
    KindOfAccess{OperationKind::notify_all, AccessTo::condition, false, true},
    KindOfAccess{OperationKind::futex_wait, AccessTo::condition, true, false},
    KindOfAccess{OperationKind::futex_wake, AccessTo::condition, false, true},
    KindOfAccess{OperationKind::semaphore_wait, AccessTo::semaphore, true, true},
    KindOfAccess{OperationKind::semaphore_post, AccessTo::semaphore, false, true},
    KindOfAccess{OperationKind::once, AccessTo::other, true, true},
    KindOfAccess{OperationKind::point, AccessTo::other, true, true},
};

const KindOfAccess* find_kind(OperationKind kind) {
  for (const KindOfAccess& one : kKinds) {
    if (one.kind == kind) return &one;
  }
  return nullptr;
}

// Blocks of memory as they come: where each ends, and its number.
class Blocks {
 public:
  void allocate(std::uintptr_t begin, std::size_t size) {
    blocks_[begin] = {begin + size, ++last_};
  }
  // 0: it stands in none.
  std::uint32_t at(std::uintptr_t address) const {
    auto found = blocks_.upper_bound(address);
    if (found == blocks_.begin()) return 0;
    --found;
    return address < found->second.end ? found->second.number : 0;
  }

 private:
  struct Block {
    std::uintptr_t end = 0;
    std::uint32_t number = 0;
  };
  std::map<std::uintptr_t, Block> blocks_;
  std::uint32_t last_ = 0;
};

}  // namespace

std::vector<Access> accesses_of(const std::vector<Event>& events) {
  std::vector<Access> accesses;
  accesses.reserve(events.size());
  Blocks blocks;
  for (const Event& event : events) {
    if (event.kind == OperationKind::allocate) blocks.allocate(event.object, event.size);
    Access access{.task = event.place.task, .object = event.object, .size = event.size};
    const KindOfAccess* kind = find_kind(event.kind);
    if (kind != nullptr && event.object != 0) {
      access.to = kind->to;
      access.is_plain = event.kind == OperationKind::read || event.kind == OperationKind::write;
      access.reads = kind->reads;
      access.changes = kind->changes;
      access.acquires = kind->acquires;
      access.releases = kind->releases;
      access.block = blocks.at(event.object);
      // What did not find what it compared with has only read.
      if (event.kind == OperationKind::compare_exchange && event.result == 0) {
        access.changes = false;
      }
    }
    accesses.push_back(access);
  }
  return accesses;
}

bool overlap(const Access& one, const Access& other) {
  return one.to == AccessTo::memory && other.to == AccessTo::memory && one.block == other.block &&
         one.object < other.object + other.size && other.object < one.object + one.size;
}

bool conflict(const Access& one, const Access& other) {
  if (one.task == other.task || one.to != other.to || one.to == AccessTo::nothing) return false;
  if (one.to == AccessTo::memory) return (one.changes || other.changes) && overlap(one, other);
  if (one.object != other.object) return false;
  switch (one.to) {
    case AccessTo::mutex:
      // The order in which a mutex is given back is that in which it was taken.
      return one.acquires && other.acquires && (one.changes || other.changes);
    case AccessTo::condition:
      return one.changes != other.changes;
    case AccessTo::semaphore:
      return one.reads || other.reads;
    default:
      return true;
  }
}

}  // namespace heddle::sched::runtime
