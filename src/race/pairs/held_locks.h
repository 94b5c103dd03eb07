// Locks that requests hold, and whether one keeps two of them apart.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "race/pairs/flow_accesses.h"

namespace heddle::race {

// A lock from when it was got to when it was given back.
struct HeldLock {
  std::string name = {};            // with its store: an advisory lock, a table, one of the team
  std::vector<KnownRow> rows = {};  // of a lock on rows instead
  std::string table = {};           // ... of this table, with its store
  const TraceTable* definition = nullptr;
  bool is_shared = false;
  bool is_passed_over = false;             // SKIP LOCKED: nobody waits
  std::optional<std::size_t> access = {};  // that both locks and reads, in FlowAccesses::accesses
  TraceTime begun = 0;
  TraceTime ended = 0;
  bool has_snapshot = false;  // what is read after the wait is older than the wait
};

// For each flow its locks, in the order in which it got them.
std::vector<std::vector<HeldLock>> read_held_locks(const FlowAccesses& all, const Flows& flows);

// One access of each of two flows.
struct AccessPair {
  std::size_t first = 0;
  std::size_t second = 0;
};

// The lock that both hold from before their first access of the pairs until the transactions of
// their last ones have ended; empty: there is none. REQUIRES: pairs are of these flows.
std::string common_lock(const FlowAccesses& all, const std::vector<HeldLock>& first,
                        const std::vector<HeldLock>& second, const std::vector<AccessPair>& pairs);

}  // namespace heddle::race
