/// check: is this history legal, and if not, why.
///
///   DependencyGraph graph = dependency_graph(history);
///   for (const Cycle& cycle : find_anomalies(history, graph)) use(cycle.kind);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/history.h"

namespace heddle {

/// Dependencies between transactions (Adya, section 4.4): "from must precede to".
enum class DependencyKind : std::uint8_t { wr, ww, rw, so };

struct DependencyEdge {
  DependencyKind kind = DependencyKind::wr;
  bool predicate = false;  ///< through a predicate, not an item
  TransactionId from;
  TransactionId to;
  OperationId from_operation;  ///< the operation in `from` that makes the edge (none for so)
  OperationId to_operation;
  RowId row;               ///< the row on which they meet
  VersionId from_version;  ///< wr: read version; ww, rw: the version overwritten
  VersionId to_version;    ///< wr: read version; ww, rw: the next version
};

struct DependencyGraph {
  std::vector<DependencyEdge> edges;  ///< sorted, without duplicates
};

/// What must look atomic: one node of the graph per transaction, or per session.
enum class Unit : std::uint8_t { session, transaction };

/// wr, ww and rw edges between committed transactions, and so edges between consecutive
/// transactions of one session. Version order is commit order (History::versions_of).
DependencyGraph dependency_graph(const History& history);

/// A cycle or a single illegal read.
struct Cycle {
  AnomalyKind kind = AnomalyKind::serialization_cycle;
  std::vector<DependencyEdge>
      edges;  ///< edges[i].to (its unit) is edges[i+1].from; empty for G1a/G1b
  std::optional<OperationId> illegal_read;  ///< G1a, G1b
};

/// Every shortest anomaly: for each pair of units the minimal cycles, classified; gravest first.
/// With Unit::session the transactions of one session are one node.
std::vector<Cycle> find_anomalies(const History& history, const DependencyGraph& graph, Unit unit);

}  // namespace heddle
