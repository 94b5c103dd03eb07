/// Repairs of whole programs: small changes of its code under which no cycle is left.
///
///   Result<FindReport> report = find_anomalies(*program, options);
///   Result<ProgramRepairReport> repairs = repair_program(*program, options, *report);
///   for (const ProgramChange& change : repairs->repairs.front().changes) use(change.sentence);
///
/// Each repair was searched again: the changed program has no cycle within the bounds of the
/// options, and none of its changes can be left out. The first repair costs least of all sets of
/// the changes that were tried.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heddle/find.h"
#include "heddle/isolation.h"
#include "heddle/program.h"
#include "heddle/repair.h"
#include "heddle/result.h"

namespace heddle {

/// One change of a program: raise_isolation, lock_read or self_update.
struct ProgramChange {
  RepairKind kind = RepairKind::lock_read;
  std::size_t functionality = 0;              ///< into Program::functionalities
  std::optional<std::size_t> statement = {};  ///< in the order of list_statements(); none: a level
  IsolationLevel level = IsolationLevel::serializable;  ///< of raise_isolation
  LockingClause locking = LockingClause::none;          ///< of lock_read
  std::string sentence;  ///< "append FOR UPDATE to the SELECT at Bank.java:12 (withdraw)"
};

/// Changes that together leave no cycle.
struct ProgramRepair {
  std::vector<ProgramChange> changes;      ///< in the order of functionalities and statements
  Program program;                         ///< with the changes of statements
  std::vector<FunctionalityLevel> levels;  ///< of each functionality
  bool is_cheapest = true;  ///< of what was asked for; false: a bound kept that from being known
};

/// What looking for repairs of a program gave.
struct ProgramRepairReport {
  /// The cheapest first; behind it, where they differ from it, the cheapest that leaves all levels
  /// as they are, and the cheapest that leaves all statements as they are.
  std::vector<ProgramRepair> repairs;
  std::size_t candidates = 0;  ///< single changes
  std::size_t searches = 0;    ///< of changed sets of functionalities
  /// What no change that heddle knows removes: sets of functionalities, by name.
  std::vector<std::vector<std::string>> left;
  std::string bound;  ///< what was not tried to the end, and why; empty: nothing
};

/// Looks for repairs of what find_anomalies() found in the program with the same options. A lock
/// costs less than a level, because a level above read committed ends transactions that somebody
/// has to run again. An interrupt or the options' time limit is a bound. REQUIRES: the fast engine.
Result<ProgramRepairReport> repair_program(const Program& program, const FindOptions& options,
                                           const FindReport& report);

}  // namespace heddle
