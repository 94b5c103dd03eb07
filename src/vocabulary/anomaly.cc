// The table of anomaly kinds. Names and labels: Adya, "Weak Consistency" (MIT, 1999); Berenson et
// al., "A Critique of ANSI SQL Isolation Levels" (SIGMOD 1995).
#include "heddle/anomaly.h"

#include <array>

#include "base/assert.h"
#include "vocabulary/spelling.h"

namespace heddle {

namespace {

constexpr std::array kKinds = {
    AnomalyDefinition{AnomalyKind::dirty_write, "dirty write", "dirty-write", "G0", "P0",
                      "Transactions overwrite each other's uncommitted rows, so that the rows they "
                      "leave mix their writes."},
    AnomalyDefinition{AnomalyKind::aborted_read, "aborted read", "aborted-read", "G1a", "P1",
                      "A transaction reads a row that was written by a transaction that later "
                      "aborts."},
    AnomalyDefinition{AnomalyKind::intermediate_read, "intermediate read", "intermediate-read",
                      "G1b", "P1",
                      "A transaction reads a row that its writer changes again before it commits."},
    AnomalyDefinition{AnomalyKind::unwritten_read, "unwritten read", "unwritten-read", "", "",
                      "A transaction reads a value that nobody wrote."},
    AnomalyDefinition{AnomalyKind::future_read, "future read", "future-read", "", "",
                      "A transaction reads what it writes itself only later."},
    AnomalyDefinition{AnomalyKind::internal_inconsistency, "internal inconsistency",
                      "internal-inconsistency", "", "",
                      "A transaction does not read back what it wrote itself."},
    AnomalyDefinition{AnomalyKind::inconsistent_order, "inconsistent order", "inconsistent-order",
                      "", "", "Reads of one list disagree on the order of its elements."},
    AnomalyDefinition{AnomalyKind::circular_flow, "circular information flow", "circular-flow",
                      "G1c", "P1",
                      "Transactions read or overwrite each other's rows, so that each would have "
                      "to come before the other."},
    AnomalyDefinition{AnomalyKind::lost_update, "lost update", "lost-update", "G-single", "P4",
                      "A transaction overwrites a row on the strength of a value that another "
                      "transaction has replaced meanwhile: that update is lost."},
    AnomalyDefinition{AnomalyKind::non_repeatable_read, "non-repeatable read",
                      "non-repeatable-read", "G-single", "P2",
                      "A transaction reads one row twice and finds another transaction's change "
                      "the second time."},
    AnomalyDefinition{
        AnomalyKind::fractured_read, "fractured read", "fractured-read", "G-single", "A5A",
        "A transaction reads one write of another transaction and misses a second one."},
    AnomalyDefinition{AnomalyKind::read_skew, "read skew", "read-skew", "G-single", "A5A",
                      "A transaction reads one row from before and another row from after the "
                      "same change."},
    AnomalyDefinition{AnomalyKind::long_fork, "long fork", "long-fork", "G-nonadjacent", "",
                      "Two transactions see two independent writes in opposite orders."},
    AnomalyDefinition{AnomalyKind::nonadjacent_cycle, "nonadjacent anti-dependencies",
                      "nonadjacent-cycle", "G-nonadjacent", "",
                      "Each of the transactions would have to come before the next one, and no two "
                      "overlap in a way that snapshots allow."},
    AnomalyDefinition{AnomalyKind::phantom, "phantom", "phantom", "G2", "P3",
                      "A transaction reads all rows that satisfy a condition, and another one "
                      "changes which rows those are."},
    AnomalyDefinition{AnomalyKind::write_skew, "write skew", "write-skew", "G2-item", "A5B",
                      "Transactions read the same rows and each changes a different one, which "
                      "the others go on believing unchanged."},
    AnomalyDefinition{AnomalyKind::serialization_cycle, "serialization cycle",
                      "serialization-cycle", "G2-item", "",
                      "Each of the transactions would have to come before the next one, and the "
                      "last before the first."},
    AnomalyDefinition{AnomalyKind::causality_violation, "causality violation",
                      "causality-violation", "", "",
                      "A transaction sees an effect and misses its cause, which the order within "
                      "sessions links."},
    AnomalyDefinition{AnomalyKind::session_cycle, "session order cycle", "session-cycle", "", "",
                      "No serial order keeps the transactions of each session in the order in "
                      "which the session issued them."},
    AnomalyDefinition{AnomalyKind::real_time_cycle, "real-time cycle", "real-time-cycle", "", "",
                      "No serial order puts what ended earlier before what began later."},
    AnomalyDefinition{
        AnomalyKind::non_linearizable, "non-linearizable calls", "non-linearizable", "", "",
        "Calls on an object return what no order of them within their real time gives."},
    AnomalyDefinition{AnomalyKind::broken_invariant, "broken invariant", "broken-invariant", "", "",
                      "A condition that the scenario states does not hold at the end."},
    AnomalyDefinition{AnomalyKind::unserializable_outcome, "unserializable outcome",
                      "unserializable-outcome", "", "",
                      "No serial order has this outcome, although no cycle was seen."},
};

}  // namespace

std::span<const AnomalyDefinition> anomaly_kinds() { return kKinds; }

const AnomalyDefinition& definition(AnomalyKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  HEDDLE_ASSERT(index < kKinds.size());
  return kKinds[index];
}

std::optional<AnomalyKind> find_anomaly_kind(std::string_view name_or_slug) {
  const std::string wanted = same_spelling(name_or_slug);
  for (const AnomalyDefinition& kind : kKinds) {
    if (wanted == kind.slug || wanted == same_spelling(kind.name)) return kind.kind;
  }
  return std::nullopt;
}

}  // namespace heddle
