// Direct dependencies after Adya, Liskov and O'Neil (ICDE 2000, section 4.4): wr from the writer of
// a version to its readers, ww between the writers of consecutive versions, rw from the readers of
// a version to the writer of the next one. For a predicate the versions that count are those that
// change what it matches: wr comes from the last such change up to the version it saw, rw goes to
// the first such change after it. Left out: reads of one's own versions, whatever aborted
// transactions wrote, and read unless their reads count, and rw edges from versions that are not in
// the version order (illegal reads are reported as such by find_anomalies).
#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <unordered_set>
#include <vector>

#include "base/assert.h"
#include "check/dependencies/edge_order.h"
#include "heddle/dependency.h"
#include "vocabulary/history_reads.h"

namespace heddle {

namespace {

// The final versions of each row in version order, and where each version stands.
struct VersionOrder {
  std::vector<std::vector<VersionId>> versions_of;
  std::vector<std::optional<std::size_t>> position;      // per version
  std::vector<std::optional<OperationId>> installed_by;  // per version: the write
};

VersionOrder version_order(const History& history) {
  VersionOrder order;
  order.position.resize(history.versions.size());
  order.installed_by.resize(history.versions.size());
  for (const std::vector<VersionId>& all : history.versions_of) {
    std::vector<VersionId> final_ones;
    for (const VersionId version : all) {
      if (!history.versions[version.index()].final) continue;
      order.position[version.index()] = final_ones.size();
      final_ones.push_back(version);
    }
    order.versions_of.push_back(std::move(final_ones));
  }
  for (std::size_t i = 0; i < history.operations.size(); ++i) {
    const Operation& operation = history.operations[i];
    if (operation.kind != OperationKind::write) continue;
    order.installed_by[operation.version.index()] = OperationId(i);
  }
  return order;
}

class Builder {
 public:
  explicit Builder(const History& history)
      : history_(history),
        order_(version_order(history)),
        committed_(committed_transactions(history)),
        counted_(counted_transactions(history)),
        rows_of_table_(rows_by_table(history)) {}

  std::vector<DependencyEdge> build() {
    for (const std::vector<VersionId>& versions : order_.versions_of) add_overwrites(versions);
    for (std::size_t i = 0; i < history_.operations.size(); ++i) {
      const Operation& operation = history_.operations[i];
      if (!counted_[operation.transaction.index()]) continue;
      if (operation.kind == OperationKind::read) add_item_read(OperationId(i));
      if (operation.kind == OperationKind::predicate_read) add_predicate_read(OperationId(i));
    }
    add_session_order();
    std::ranges::sort(edges_, EdgeOrder());
    edges_.erase(std::unique(edges_.begin(), edges_.end(), same_edge), edges_.end());
    return std::move(edges_);
  }

 private:
  static std::map<std::string, std::vector<RowId>> rows_by_table(const History& history) {
    std::map<std::string, std::vector<RowId>> rows;
    for (std::size_t i = 0; i < history.rows.size(); ++i) {
      rows[history.rows[i].table].push_back(RowId(i));
    }
    return rows;
  }

  const RowVersion& at(VersionId version) const { return history_.versions[version.index()]; }

  // The write that installed the version. REQUIRES: the version has a writer.
  OperationId write_of(VersionId version) const {
    const std::optional<OperationId> write = order_.installed_by[version.index()];
    HEDDLE_ASSERT(write.has_value());
    return *write;
  }

  void add_overwrites(const std::vector<VersionId>& versions) {
    for (std::size_t i = 1; i < versions.size(); ++i) {
      const RowVersion& before = at(versions[i - 1]);
      const RowVersion& after = at(versions[i]);
      if (!before.writer || !after.writer || before.writer == after.writer) continue;
      edges_.push_back({DependencyKind::ww, false, *before.writer, *after.writer,
                        write_of(versions[i - 1]), write_of(versions[i]), after.row,
                        versions[i - 1], versions[i]});
    }
  }

  void add_item_read(OperationId operation) {
    const VersionId version = history_.operations[operation.index()].version;
    if (at(version).writer == history_.operations[operation.index()].transaction) return;
    add_read_from(operation, version, version, false);
    const std::optional<std::size_t> position = order_.position[version.index()];
    if (!position) return;
    const std::vector<VersionId>& versions = order_.versions_of[at(version).row.index()];
    for (std::size_t next = *position + 1; next < versions.size(); ++next) {
      if (at(versions[next]).writer == at(version).writer) continue;
      add_missed(operation, version, versions[next], false);
      return;
    }
  }

  void add_predicate_read(OperationId operation) {
    const Operation& read = history_.operations[operation.index()];
    const auto rows = rows_of_table_.find(read.table);
    if (rows == rows_of_table_.end()) return;
    std::map<RowId, VersionId> visible;
    for (const VersionId version : read.visible) visible[at(version).row] = version;
    const std::unordered_set<VersionId> matching(read.matching.begin(), read.matching.end());
    for (const RowId row : rows->second) {
      const auto seen = visible.find(row);
      std::size_t versions_seen = 0;  // that many of the row's versions, the last one in force
      if (seen != visible.end()) {
        if (at(seen->second).writer == read.transaction) continue;
        const std::optional<std::size_t> position = order_.position[seen->second.index()];
        if (!position) continue;
        versions_seen = *position + 1;
      }
      add_predicate_row(operation, order_.versions_of[row.index()], versions_seen, matching);
    }
  }

  void add_predicate_row(OperationId operation, const std::vector<VersionId>& versions,
                         std::size_t versions_seen, const std::unordered_set<VersionId>& matching) {
    // Whether the row matches after `count` of its versions; before the first it does not exist.
    const auto matches = [&](std::size_t count) {
      return count > 0 && matching.contains(versions[count - 1]);
    };
    std::size_t changed = versions_seen;
    while (changed > 0 && matches(changed - 1) == matches(changed)) --changed;
    if (changed > 0) {
      // A change of the reader's own that it did not see as its own lies in its future: then it is
      // the version it did see that it depends on.
      const TransactionId reader = history_.operations[operation.index()].transaction;
      const bool own = at(versions[changed - 1]).writer == reader;
      const std::size_t source = own ? versions_seen : changed;
      add_read_from(operation, versions[source - 1], versions[versions_seen - 1], true);
    }
    std::size_t next = versions_seen;
    while (next < versions.size() && matches(next + 1) == matches(versions_seen)) ++next;
    if (next == versions.size()) return;
    add_missed(operation, versions_seen > 0 ? versions[versions_seen - 1] : versions[next],
               versions[next], true);
  }

  // wr: the operation read `read`, which is as the writer of `source` left it.
  void add_read_from(OperationId operation, VersionId source, VersionId read, bool predicate) {
    const TransactionId reader = history_.operations[operation.index()].transaction;
    const std::optional<TransactionId> writer = at(source).writer;
    if (!writer || *writer == reader || !committed_[writer->index()]) return;
    edges_.push_back({DependencyKind::wr, predicate, *writer, reader, write_of(source), operation,
                      at(source).row, source, read});
  }

  // rw: the operation saw `seen` and not `missed`.
  void add_missed(OperationId operation, VersionId seen, VersionId missed, bool predicate) {
    const TransactionId reader = history_.operations[operation.index()].transaction;
    const std::optional<TransactionId> writer = at(missed).writer;
    if (!writer || *writer == reader) return;
    edges_.push_back({DependencyKind::rw, predicate, reader, *writer, operation, write_of(missed),
                      at(missed).row, seen, missed});
  }

  // From the one before, and where transactions were open at the same time from all that had ended.
  void add_session_order() {
    std::map<std::uint32_t, std::vector<TransactionId>> earlier;
    for (std::size_t i = 0; i < history_.transactions.size(); ++i) {
      if (!counted_[i]) continue;
      std::vector<TransactionId>& before = earlier[history_.transactions[i].session];
      const std::vector<TransactionId>& beside = history_.transactions[i].beside;
      for (const TransactionId one : before | std::views::reverse) {
        if (std::ranges::find(beside, one) != beside.end()) continue;
        add_session_edge(one, TransactionId(i));
        if (beside.empty() && history_.transactions[one.index()].beside.empty()) break;
      }
      before.emplace_back(i);
    }
  }

  void add_session_edge(TransactionId from, TransactionId to) {
    edges_.push_back({.kind = DependencyKind::so,
                      .predicate = false,
                      .from = from,
                      .to = to,
                      .from_operation = {},
                      .to_operation = {},
                      .row = {},
                      .from_version = {},
                      .to_version = {}});
  }

  const History& history_;
  const VersionOrder order_;
  const std::vector<bool> committed_;
  const std::vector<bool> counted_;
  const std::map<std::string, std::vector<RowId>> rows_of_table_;
  std::vector<DependencyEdge> edges_;
};

}  // namespace

DependencyGraph dependency_graph(const History& history) {
  HEDDLE_ASSERT(!find_flaw(history));
  return DependencyGraph{Builder(history).build()};
}

}  // namespace heddle
