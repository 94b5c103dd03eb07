/// Anomaly kinds: the named patterns of Adya and of Berenson et al., one table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace heddle {

/// Ordered from the gravest: where several names fit one cycle the first that fits is used.
enum class AnomalyKind : std::uint8_t {
  dirty_write,             ///< G0: a cycle of ww
  aborted_read,            ///< G1a: a read of a version whose writer aborted
  intermediate_read,       ///< G1b: a read of a version that was not its writer's last
  unwritten_read,          ///< a read of a value that nobody wrote
  future_read,             ///< a read of what the transaction itself writes only later
  internal_inconsistency,  ///< a transaction does not see what it wrote itself
  inconsistent_order,      ///< reads of a list that no one order of its elements explains
  circular_flow,           ///< G1c: a cycle of ww and wr
  lost_update,             ///< rw and ww on the same row between the same two transactions
  non_repeatable_read,     ///< P2: one transaction reads the same row twice, differently
  fractured_read,          ///< one transaction's writes seen in part
  read_skew,               ///< A5A, G-single: exactly one rw, rows differ
  long_fork,               ///< G-nonadjacent: readers see independent writes in opposite orders
  nonadjacent_cycle,       ///< G-nonadjacent: several rw, no two in a row
  phantom,                 ///< P3, G2: a cycle with an anti-dependency on a predicate
  write_skew,              ///< A5B, G2-item: two rw on different rows
  serialization_cycle,     ///< any other cycle of ww, wr and rw
  causality_violation,     ///< exactly one rw, and session order: an effect without its cause
  session_cycle,           ///< a cycle that needs the order of a session's transactions
  real_time_cycle,         ///< a cycle that needs real time
  non_linearizable,        ///< single calls that no order within their real time explains
  broken_invariant,        ///< a stated invariant does not hold
  unserializable_outcome,  ///< no serial order has this outcome, and no cycle was seen
};

/// One row of the table of kinds.
struct AnomalyDefinition {
  AnomalyKind kind;
  std::string_view name;      ///< "lost update"
  std::string_view slug;      ///< "lost-update": in files and options
  std::string_view adya;      ///< "G-single"; empty when Adya has no name for it
  std::string_view berenson;  ///< "P4"; empty when Berenson et al. have no name for it
  std::string_view meaning;   ///< one sentence for people
};

/// All kinds in the order of the enumeration.
std::span<const AnomalyDefinition> anomaly_kinds();
const AnomalyDefinition& definition(AnomalyKind kind);
std::optional<AnomalyKind> find_anomaly_kind(std::string_view name_or_slug);

}  // namespace heddle
