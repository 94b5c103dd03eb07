// Cycles are told apart by which edges they have (Adya 1999) and, among those with a
// single anti-dependency, by whether all happens on one row (Berenson et al. 1995): a transaction
// that overwrites what it did not see has lost an update, one that comes to see it has read
// non-repeatably, and with several rows involved the read is skewed.
#include "check/dependencies/classify.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "heddle/isolation.h"

namespace heddle {

namespace {

// The operation's place in its session's program order: transactions count by their ids.
std::pair<TransactionId, std::ptrdiff_t> place_of(const History& history, OperationId operation) {
  const TransactionId transaction = history.operations[operation.index()].transaction;
  const auto& operations = history.transactions[transaction.index()].operations;
  return {transaction, std::ranges::find(operations, operation) - operations.begin()};
}

bool on_one_row(const std::vector<DependencyEdge>& cycle) {
  return std::ranges::all_of(
      cycle, [&](const DependencyEdge& edge) { return edge.row == cycle.front().row; });
}

// A cycle with one rw edge, on an item. REQUIRES: no so edges.
AnomalyKind classify_single(const std::vector<DependencyEdge>& cycle, const History& history) {
  if (!on_one_row(cycle)) return AnomalyKind::read_skew;
  const auto is_rw = [](const DependencyEdge& edge) { return edge.kind == DependencyKind::rw; };
  const auto missed = std::ranges::find_if(cycle, is_rw);
  // The edge by which the cycle returns to the reader.
  const DependencyEdge& back = missed == cycle.begin() ? cycle.back() : *(missed - 1);
  if (back.kind == DependencyKind::wr) return AnomalyKind::non_repeatable_read;
  const bool read_first =
      place_of(history, missed->from_operation) < place_of(history, back.to_operation);
  return read_first ? AnomalyKind::lost_update : AnomalyKind::serialization_cycle;
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
  HEDDLE_ASSERT(!ranks.empty());
  switch (std::ranges::max(ranks)) {
    case EdgeRank::overwrite:
      return AnomalyKind::dirty_write;
    case EdgeRank::read_from:
      return AnomalyKind::circular_flow;
    case EdgeRank::item_rw:
      return std::ranges::count(ranks, EdgeRank::item_rw) == 1 ? AnomalyKind::read_skew
                                                               : AnomalyKind::write_skew;
    case EdgeRank::predicate_rw:
      return AnomalyKind::phantom;
    case EdgeRank::session_order:
      return AnomalyKind::session_cycle;
  }
  HEDDLE_ASSERT(false);
}

AnomalyKind classify(const std::vector<DependencyEdge>& cycle, const History& history) {
  std::vector<EdgeRank> ranks;
  std::ranges::transform(cycle, std::back_inserter(ranks), rank_of);
  const AnomalyKind kind = classify_by_ranks(ranks);
  if (kind == AnomalyKind::read_skew) return classify_single(cycle, history);
  if (kind == AnomalyKind::write_skew && on_one_row(cycle)) return AnomalyKind::serialization_cycle;
  return kind;
}

bool says_as_much(AnomalyKind stronger, AnomalyKind weaker) {
  static const KindTable kTable = compare_kinds();
  return kTable[static_cast<std::size_t>(stronger)][static_cast<std::size_t>(weaker)];
}

}  // namespace heddle
