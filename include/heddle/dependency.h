/// Dependencies between the transactions of a history whose versions are known, and their cycles.
///
///   DependencyGraph graph = dependency_graph(history);
///   for (const Cycle& cycle : find_anomalies(history, graph, Unit::session)) use(cycle.kind);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/history.h"

namespace heddle {

/// Dependencies between transactions (Adya, section 4.4): "from must precede to". `rt`: real time,
/// from ended before to began.
enum class DependencyKind : std::uint8_t { wr, ww, rw, so, rt };

/// "wr", "ww", "rw", "so", "rt".
std::string_view to_string(DependencyKind kind);

/// "to must follow from, because of these operations on this row".
struct DependencyEdge {
  DependencyKind kind = DependencyKind::wr;
  bool predicate = false;  ///< through a predicate, not an item
  TransactionId from;
  TransactionId to;
  OperationId from_operation;  ///< the operation in `from` that makes the edge (none for so)
  OperationId to_operation;
  RowId row;  ///< the row on which they meet
  /// wr: read version; ww, rw: the version overwritten, or `to_version` where a predicate saw that
  /// the row did not exist.
  VersionId from_version;
  VersionId to_version;  ///< wr: read version; ww, rw: the next version
};

/// The dependencies of one history; nodes are its transactions.
struct DependencyGraph {
  std::vector<DependencyEdge> edges;  ///< sorted, without duplicates
};

/// What must look atomic: one node of the graph per transaction, or per session.
enum class Unit : std::uint8_t { session, transaction };

/// "session", "transaction".
std::string_view to_string(Unit unit);

/// wr, ww and rw edges between committed transactions and those whose reads count, and so edges
/// between consecutive ones of one session (in the order of their ids). Version order is commit
/// order (History::versions_of). A predicate makes edges only to versions that change what it
/// matches. REQUIRES: !find_flaw(history).
DependencyGraph dependency_graph(const History& history);

/// A cycle or a single illegal read.
struct Cycle {
  AnomalyKind kind = AnomalyKind::serialization_cycle;
  std::vector<DependencyEdge>
      edges;  ///< edges[i].to (its unit) is edges[i+1].from; empty for G1a/G1b
  std::optional<OperationId> illegal_read;  ///< G1a, G1b
};

/// Every minimal anomaly, classified: illegal reads and cycles of units, sorted by kind (gravest
/// first), length and ids; each cycle starts at its smallest unit. With Unit::session the
/// transactions of one session are one node, and a session that sees its own transactions out of
/// order is a session_cycle. A cycle is left out when smaller cycles inside it, or graver ones
/// through the same units, already say at every isolation level what it says.
///
/// Cost: cycles of up to six units are enumerated, the shortest first, at most 1000 per set of
/// edge kinds. Beyond that bound one shortest cycle stands for all others of its strongly
/// connected component: the answer "none" is always exact, and so is whether there is a cycle of
/// ww, of ww and wr, of these and item rw, of these and predicate rw, and with so.
/// That a transaction sees its own writes is taken for granted.
/// REQUIRES: !find_flaw(history); `graph` has edges of `history`.
std::vector<Cycle> find_anomalies(const History& history, const DependencyGraph& graph, Unit unit);

/// "s1 -ww account(id=1)-> s2 -rw account(id=1)-> s1". Where a cycle enters a session in one
/// transaction and leaves it in another, both are named: "s2#1/s2#2".
std::string to_string(const Cycle& cycle, const History& history);

/// The rows on which the cycle's transactions meet, as "account(id=1)", sorted, without duplicates.
std::vector<std::string> rows_of(const Cycle& cycle, const History& history);

/// What makes the cycle unusable with the history (an id that points nowhere, ends that do not
/// meet); none when it is well formed. For cycles read from files. REQUIRES: !find_flaw(history).
std::optional<std::string> find_flaw(const Cycle& cycle, const History& history);

}  // namespace heddle
