// Which statement wrote what, as far as the rows do not tell by themselves.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "replay/observe/observer.h"

namespace heddle {

Result<void> Observer::add_equal_writes() {
  std::vector<PendingRead> updates;
  for (const PendingRead& read : pending_) {
    const bool is_committed =
        history_.transactions[read.transaction.index()].outcome == TransactionOutcome::committed;
    if (read.updates && is_committed && ended_in_[read.transaction.index()] &&
        !database_.part(read.table->store).shows_equal_writes()) {
      updates.push_back(read);
    }
  }
  std::ranges::stable_sort(updates, {}, [&](const PendingRead& read) {
    return ended_in_[read.transaction.index()].value();
  });
  for (const PendingRead& read : updates) {
    auto matching = matching_versions(read);
    if (!matching) return matching.error();
    for (const auto& [row, version] : state_seen_by(read)) {
      if (std::ranges::find(*matching, version) != matching->end()) {
        add_equal_write(read, row);
      }
    }
  }
  return {};
}

// A version as the one in force when the transaction ended, behind it.
void Observer::add_equal_write(const PendingRead& read, RowId row) {
  std::vector<VersionId>& versions = history_.versions_of[row.index()];
  const bool is_known = std::ranges::any_of(versions, [&](VersionId version) {
    return history_.versions[version.index()].writer == read.transaction;
  });
  const std::size_t end = *ended_in_[read.transaction.index()];
  const auto in_force = states_[end].find(row);
  if (is_known || in_force == states_[end].end() || !exists(in_force->second)) return;
  const VersionId before = in_force->second;
  const VersionId version(history_.versions.size());
  history_.versions.push_back(
      {row, read.transaction, history_.versions[before.index()].value, true});
  texts_.push_back(texts_[before.index()]);
  versions.insert(std::ranges::find(versions, before) + 1, version);
  for (std::size_t i = end; i < states_.size(); ++i) {
    const auto later = states_[i].find(row);
    if (later == states_[i].end() || later->second != before) break;
    later->second = version;
  }
  Operation write;
  write.kind = OperationKind::write;
  write.transaction = read.transaction;
  write.version = version;
  write.step = static_cast<std::uint32_t>(read.record);
  add_operation(std::move(write));
}

void Observer::note_touched(const PendingRead& read, const std::set<VersionId>& matches) {
  for (const VersionId version : matches) {
    std::uint32_t& last = touched_[{read.transaction, history_.versions[version.index()].row}];
    last = std::max(last, static_cast<std::uint32_t>(read.record));
  }
}

// A step that wrote the table and looked at the row is the one that wrote the row; until the
// predicates were evaluated only the last step that wrote the table was known.
void Observer::attribute_writes() {
  std::map<std::pair<TransactionId, RowId>, std::uint32_t> looked = touched_;
  for (const Operation& operation : history_.operations) {
    if (operation.kind != OperationKind::read) continue;
    const auto record = static_cast<std::size_t>(operation.step);
    if (!writing_records_.contains(record)) continue;
    std::uint32_t& last =
        looked[{operation.transaction, history_.versions[operation.version.index()].row}];
    last = std::max(last, operation.step);
  }
  for (Operation& operation : history_.operations) {
    const bool is_last = history_.versions[operation.version.index()].final;
    if (operation.kind != OperationKind::write || !is_last) continue;
    const auto known =
        looked.find({operation.transaction, history_.versions[operation.version.index()].row});
    if (known != looked.end()) operation.step = known->second;
  }
}

}  // namespace heddle
