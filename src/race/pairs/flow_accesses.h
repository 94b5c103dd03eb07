// All accesses of a trace, each with its place in a flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heddle/race.h"
#include "heddle/trace.h"
#include "race/accesses/access.h"
#include "race/accesses/lock_steps.h"
#include "race/flows/flows.h"

namespace heddle::race {

// One transaction, or a statement outside of any.
struct TransactionName {
  std::uint64_t connection = 0;
  std::uint64_t number = 0;  // of the transaction; of a statement outside: its unit
  bool is_single = true;     // a statement outside

  friend auto operator<=>(const TransactionName&, const TransactionName&) = default;
};

struct FlowAccess {
  Access access;
  StatementPlace place;
  std::size_t span = 0;  // that did it
  std::size_t flow = 0;
  std::string store = {};  // aliases resolved
  TransactionName transaction;
  TraceTime begun = 0;
  TraceTime ended = 0;
  std::string shape = {};  // of the statement
};

struct FlowLockStep {
  LockStep step;
  std::size_t flow = 0;
  std::string store = {};
  TransactionName transaction;
  TraceTime ended = 0;
};

// When a transaction ended, and what it was like.
struct TransactionEnd {
  TraceTime ended = 0;
  bool goes_back = false;     // to a savepoint, which gives locks back
  bool has_snapshot = false;  // repeatable read or stronger: it reads as of its first statement
};

struct FlowAccesses {
  std::vector<FlowAccess> accesses;  // in the order of Flows::statements
  std::vector<FlowLockStep> locks;
  std::map<TransactionName, TransactionEnd> transactions;
  std::size_t unread = 0;                     // statements of which nobody can tell what they do
  std::map<std::string, StoreTables> tables;  // by store
};

FlowAccesses read_flow_accesses(const Trace& trace, const Flows& flows,
                                const RaceSettings& settings, std::size_t jobs);

// The store of that name, or the one of which it is an alias.
std::string store_name(const std::string& name, const RaceSettings& settings);

}  // namespace heddle::race
