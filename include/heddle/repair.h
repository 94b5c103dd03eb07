/// Repairs: small changes of a scenario under which no interleaving goes wrong any more.
///
///   for (const Repair& repair : report.levels[0].repair->repairs)
///     for (const RepairChange& change : repair.changes) use(change.sentence);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/scenario.h"
#include "heddle/schedule.h"

namespace heddle {

/// What a change does.
enum class RepairKind : std::uint8_t {
  raise_isolation,    ///< a higher isolation level for a session
  lock_read,          ///< FOR UPDATE or FOR SHARE on a read
  move_after_commit,  ///< a step of another store goes behind the commit of its session
  one_transaction,    ///< the transactions of a session become one
  lock_again,         ///< a lock that a commit gave up is taken again after it
  move_statement,     ///< a statement goes to the other side of a commit
  self_update,        ///< an update computes from the row instead of from what was read before
};

/// "raise-isolation", "lock-read", ...
std::string_view to_string(RepairKind kind);

/// One change. Steps and sessions whose texts differ in constants only are the same code, and are
/// changed together.
struct RepairChange {
  RepairKind kind = RepairKind::lock_read;
  std::string sentence;             ///< "lock what r1, r2 read: append FOR UPDATE"
  std::vector<std::string> places;  ///< names of the steps, or of the sessions
  std::size_t statements = 0;       ///< changed, added or removed
};

/// Changes that together leave no anomaly. Alone, each session does what it did before.
struct Repair {
  std::vector<RepairChange> changes;
  std::size_t statements = 0;     ///< of all changes
  std::size_t interleavings = 0;  ///< of the changed scenario that were run
  std::size_t aborted_runs = 0;   ///< of these, in which the store ended a session
  std::size_t waiting_runs = 0;   ///< of these, in which a session waited
  /// Two of the sessions can no longer run at the same time and both commit.
  bool keeps_apart = false;
  Scenario scenario;  ///< changed
};

/// What an application that runs an ended session again would have.
struct RetryReport {
  std::size_t runs = 0;             ///< with ended sessions, which were run again after the others
  std::size_t repaired = 0;         ///< of these, whose final rows are then those of a serial order
  std::optional<Schedule> repeats;  ///< the simplest run whose final rows are not
  std::vector<std::string> retried;  ///< the sessions run again in it
};

/// What looking for repairs gave.
struct RepairReport {
  /// Fewest statements first, then aborts, then waits. Those that keep sessions apart are there
  /// only where no other is known.
  std::vector<Repair> repairs;
  std::size_t tried = 0;  ///< sets of changes
  std::string bound;      ///< what was not tried to the end, and why; empty: nothing
};

}  // namespace heddle
