#include "vocabulary/history_reads.h"

#include <algorithm>

#include "base/assert.h"

namespace heddle {

namespace {

bool contains(const std::vector<VersionId>& versions, VersionId version) {
  return std::ranges::find(versions, version) != versions.end();
}

bool matters_to(const History& history, const Operation& operation, VersionId version) {
  if (contains(operation.matching, version)) return true;
  const RowId row = history.versions[version.index()].row;
  return std::ranges::any_of(history.versions_of[row.index()],
                             [&](VersionId other) { return contains(operation.matching, other); });
}

std::optional<AnomalyKind> why_illegal(const History& history, const std::vector<bool>& committed,
                                       TransactionId reader, VersionId version) {
  const RowVersion& read = history.versions[version.index()];
  if (!read.writer || *read.writer == reader) return std::nullopt;
  if (!committed[read.writer->index()]) return AnomalyKind::aborted_read;
  if (!read.final) return AnomalyKind::intermediate_read;
  return std::nullopt;
}

}  // namespace

std::vector<bool> committed_transactions(const History& history) {
  std::vector<bool> committed;
  for (const HistoryTransaction& transaction : history.transactions) {
    committed.push_back(transaction.outcome == TransactionOutcome::committed);
  }
  for (const std::vector<VersionId>& versions : history.versions_of) {
    for (const VersionId version : versions) {
      const std::optional<TransactionId> writer = history.versions[version.index()].writer;
      if (!writer) continue;
      if (history.transactions[writer->index()].outcome == TransactionOutcome::unknown) {
        committed[writer->index()] = true;
      }
    }
  }
  return committed;
}

std::vector<bool> counted_transactions(const History& history) {
  std::vector<bool> counted = committed_transactions(history);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    counted[i] = counted[i] || history.transactions[i].reads_count;
  }
  return counted;
}

std::vector<IllegalVersion> illegal_versions(const History& history,
                                             const std::vector<bool>& committed,
                                             OperationId operation) {
  HEDDLE_ASSERT(committed.size() == history.transactions.size());
  const Operation& read = history.operations[operation.index()];
  std::vector<VersionId> seen;
  if (read.kind == OperationKind::read) seen = {read.version};
  if (read.kind == OperationKind::predicate_read) {
    std::ranges::copy_if(read.visible, std::back_inserter(seen),
                         [&](VersionId version) { return matters_to(history, read, version); });
  }
  std::vector<IllegalVersion> illegal;
  for (const VersionId version : seen) {
    const auto kind = why_illegal(history, committed, read.transaction, version);
    if (kind) illegal.push_back({version, *kind});
  }
  return illegal;
}

}  // namespace heddle
