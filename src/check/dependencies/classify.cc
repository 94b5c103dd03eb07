// Edges of a history as vocabulary/cycle_kind.h takes them, and which kinds say as much as others.
#include "check/dependencies/classify.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "heddle/isolation.h"
#include "vocabulary/cycle_kind.h"

namespace heddle {

namespace {

// The operation's place in its session's program order: transactions count by their ids.
std::pair<TransactionId, std::ptrdiff_t> place_of(const History& history, OperationId operation) {
  const TransactionId transaction = history.operations[operation.index()].transaction;
  const auto& operations = history.transactions[transaction.index()].operations;
  return {transaction, std::ranges::find(operations, operation) - operations.begin()};
}

// Whether the reader of `missed` overwrites what `back` leads from before it reads.
bool reads_late(const History& history, const DependencyEdge& back, const DependencyEdge& missed) {
  return back.kind == DependencyKind::ww && missed.kind == DependencyKind::rw &&
         back.row == missed.row &&
         place_of(history, back.to_operation) <= place_of(history, missed.from_operation);
}

CycleEdge with_rank(EdgeRank rank, std::size_t row) {
  switch (rank) {
    case EdgeRank::overwrite:
      return {.kind = DependencyKind::ww, .row = row};
    case EdgeRank::read_from:
      return {.kind = DependencyKind::wr, .row = row};
    case EdgeRank::item_rw:
      return {.kind = DependencyKind::rw, .row = row};
    case EdgeRank::predicate_rw:
      return {.kind = DependencyKind::rw, .predicate = true, .row = row};
    case EdgeRank::session_order:
      return {.kind = DependencyKind::so};
  }
  HEDDLE_ASSERT(false);
}

using KindTable = std::vector<std::vector<bool>>;

KindTable compare_kinds() {
  const std::size_t kinds = anomaly_kinds().size();
  KindTable table(kinds, std::vector<bool>(kinds));
  for (const AnomalyDefinition& stronger : anomaly_kinds()) {
    for (const AnomalyDefinition& weaker : anomaly_kinds()) {
      table[static_cast<std::size_t>(stronger.kind)][static_cast<std::size_t>(weaker.kind)] =
          stronger.kind <= weaker.kind &&
          std::ranges::all_of(isolation_levels(), [&](const LevelDefinition& level) {
            return !proscribes(level.level, weaker.kind) || proscribes(level.level, stronger.kind);
          });
    }
  }
  return table;
}

}  // namespace

EdgeRank rank_of(const DependencyEdge& edge) {
  switch (edge.kind) {
    case DependencyKind::ww:
      return EdgeRank::overwrite;
    case DependencyKind::wr:
      return EdgeRank::read_from;
    case DependencyKind::rw:
      return edge.predicate ? EdgeRank::predicate_rw : EdgeRank::item_rw;
    case DependencyKind::so:
    case DependencyKind::rt:
      return EdgeRank::session_order;
  }
  HEDDLE_ASSERT(false);
}

AnomalyKind classify_by_ranks(const std::vector<EdgeRank>& ranks) {
  std::vector<CycleEdge> edges;
  for (const EdgeRank rank : ranks) edges.push_back(with_rank(rank, edges.size()));
  return kind_of_cycle(edges);
}

AnomalyKind classify(const std::vector<DependencyEdge>& cycle, const History& history) {
  std::vector<CycleEdge> edges;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const DependencyEdge& back = cycle[(i + cycle.size() - 1) % cycle.size()];
    edges.push_back({.kind = cycle[i].kind,
                     .predicate = cycle[i].predicate,
                     .row = cycle[i].row.index(),
                     .reads_late = reads_late(history, back, cycle[i])});
  }
  return kind_of_cycle(edges);
}

bool says_as_much(AnomalyKind stronger, AnomalyKind weaker) {
  static const KindTable kTable = compare_kinds();
  return kTable[static_cast<std::size_t>(stronger)][static_cast<std::size_t>(weaker)];
}

}  // namespace heddle
