/// Repairs of whole programs: small changes of its code under which no cycle is left.
///
///   Result<FindReport> report = find_anomalies(*program, options);
///   Result<ProgramRepairReport> repairs = repair_program(*program, options, *report);
///   for (const ProgramChange& change : repairs->repairs.front().changes) use(change.sentence);
///
/// Each repair was searched again: the changed program has no cycle within the bounds of the
/// options, and none of its changes can be left out. The first repair costs least of all sets of
/// the changes that were tried. Where there is a store, each was run, too.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/find.h"
#include "heddle/isolation.h"
#include "heddle/program.h"
#include "heddle/repair.h"
#include "heddle/result.h"

namespace heddle {

/// One change of a program: raise_isolation, lock_read, self_update, or of its boundaries
/// one_transaction, move_statement or lock_again.
struct ProgramChange {
  RepairKind kind = RepairKind::lock_read;
  std::size_t functionality = 0;  ///< into Program::functionalities
  /// In the order of list_statements() before the change: what is locked, computes, is moved or is
  /// locked again, or the COMMIT that is taken out. None: a level.
  std::optional<std::size_t> statement = {};
  /// The COMMIT that one_transaction takes out (none: all of the functionality's but the last),
  /// over which move_statement moves, or behind which lock_again locks.
  std::optional<std::size_t> commit = {};
  IsolationLevel level = IsolationLevel::serializable;  ///< of raise_isolation
  LockingClause locking = LockingClause::none;          ///< of lock_read
  std::string sentence;        ///< "append FOR UPDATE to the SELECT at Bank.java:12 (withdraw)"
  SourceLocation source = {};  ///< of `statement`
  std::string text = {};       ///< of lock_read and self_update: how the statement reads then
};

/// What running a repaired program gave: each cause that was confirmed before, from the same rows
/// and with the same arguments, in other orders.
struct RepairExecution {
  std::size_t causes = 0;       ///< that were run with the repair
  std::size_t orders = 0;       ///< distinct orders of all these
  std::string bound = {};       ///< what was not run, and why; empty: nothing
  std::string goes_wrong = {};  ///< what still goes wrong; empty: nothing, the repair is accepted
  std::vector<std::size_t> wrong = {};  ///< the functionalities of that
};

/// Changes that together leave no cycle.
struct ProgramRepair {
  std::vector<ProgramChange> changes;      ///< in the order of functionalities and statements
  Program program;                         ///< with the changes of statements
  std::vector<FunctionalityLevel> levels;  ///< of each functionality
  bool is_cheapest = true;  ///< of what was asked for; false: a bound kept that from being known
  std::optional<RepairExecution> execution = {};  ///< none: nobody asked for it
};

/// Sets of functionalities that no change keeps from closing a cycle, by name.
using UnrepairedSets = std::vector<std::vector<std::string>>;

/// What looking for repairs of a program gave.
struct ProgramRepairReport {
  /// The cheapest first; behind it, where they differ from it, the cheapest that leaves all levels
  /// as they are, and the cheapest that leaves all statements as they are.
  std::vector<ProgramRepair> repairs;
  std::size_t candidates = 0;  ///< single changes
  std::size_t searches = 0;    ///< of changed sets of functionalities
  UnrepairedSets left;         ///< what no change that heddle knows removes
  /// Under these no cycle is left, but running them showed that something goes wrong.
  std::vector<ProgramRepair> refused;
  std::string bound;  ///< what was not tried to the end, and why; empty: nothing
};

/// Runs the repaired program, but for sets of which something is left in any case.
using RepairTrial = std::function<RepairExecution(const ProgramRepair&, const UnrepairedSets&)>;

/// Looks for repairs of what find_anomalies() found in the program with the same options. A lock
/// costs less than a level, because a level above read committed ends transactions that somebody
/// has to run again. With a trial only what goes wrong no more when it is run is a repair. An
/// interrupt or the options' time limit is a bound. REQUIRES: the fast engine.
Result<ProgramRepairReport> repair_program(const Program& program, const FindOptions& options,
                                           const FindReport& report, const RepairTrial& trial = {});

}  // namespace heddle
