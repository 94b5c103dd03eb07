// Each order is simply executed: rows keep a count of the versions installed so far, reads are
// compared with it. Nothing is shared with the dependency graph, on purpose.
#include "check/dependencies/brute_force.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/assert.h"

namespace heddle {

namespace {

using Order = std::vector<TransactionId>;

// What one serial execution has installed so far. Transactions of one session must come in order.
class SerialRun {
 public:
  explicit SerialRun(const History& history)
      : history_(&history), in_force_(history.rows.size(), 0) {
    for (std::size_t row = 0; row < history.rows.size(); ++row) {
      while (in_force_[row] < history.versions_of[row].size() && is_initial(row, in_force_[row])) {
        ++in_force_[row];
      }
    }
  }

  // Executes the transaction; false when it cannot read or write what it did.
  bool execute(TransactionId transaction) {
    const auto [last, first] =
        last_.try_emplace(history_->transactions[transaction.index()].session, transaction);
    if (!first && transaction < last->second) return false;
    last->second = transaction;
    const auto& operations = history_->transactions[transaction.index()].operations;
    const auto reads = [&](OperationId id) {
      return reads_the_same(history_->operations[id.index()]);
    };
    if (!std::ranges::all_of(operations, reads)) return false;
    const TransactionOutcome outcome = history_->transactions[transaction.index()].outcome;
    if (outcome != TransactionOutcome::committed) return true;
    return std::ranges::all_of(operations, [&](OperationId id) {
      const Operation& operation = history_->operations[id.index()];
      return operation.kind != OperationKind::write || installs(operation.version);
    });
  }

 private:
  bool is_initial(std::size_t row, std::size_t index) const {
    return !history_->versions[history_->versions_of[row][index].index()].writer;
  }

  std::size_t row_of(VersionId version) const {
    return history_->versions[version.index()].row.index();
  }

  // How many versions of its row are there once this one is in force.
  std::size_t count_up_to(VersionId version) const {
    const auto& versions = history_->versions_of[row_of(version)];
    return static_cast<std::size_t>(std::ranges::find(versions, version) - versions.begin()) + 1;
  }

  bool installs(VersionId version) {
    if (!history_->versions[version.index()].final) return true;
    return count_up_to(version) == ++in_force_[row_of(version)];
  }

  bool reads_the_same(const Operation& read) const {
    if (read.kind == OperationKind::write) return true;
    if (read.kind == OperationKind::predicate_read) return matches_the_same(read);
    return history_->versions[read.version.index()].writer == read.transaction ||
           in_force_[row_of(read.version)] == count_up_to(read.version);
  }

  bool matches_the_same(const Operation& read) const {
    for (std::size_t row = 0; row < history_->rows.size(); ++row) {
      if (history_->rows[row].table != read.table) continue;
      std::size_t seen = 0;
      bool counts = true;
      for (const VersionId version : read.visible) {
        if (row_of(version) != row) continue;
        // A version outside the version order is legal to see only where no version matches.
        counts =
            history_->versions[version.index()].writer != read.transaction && is_ordered(version);
        if (counts) seen = count_up_to(version);
      }
      if (counts && !match_alike(read, row, seen, in_force_[row])) return false;
    }
    return true;
  }

  bool is_ordered(VersionId version) const {
    const auto& versions = history_->versions_of[row_of(version)];
    return std::ranges::find(versions, version) != versions.end();
  }

  bool match_alike(const Operation& read, std::size_t row, std::size_t a, std::size_t b) const {
    const auto matches = [&](std::size_t count) {
      return count > 0 &&
             std::ranges::count(read.matching, history_->versions_of[row][count - 1]) > 0;
    };
    for (std::size_t count = std::min(a, b); count <= std::max(a, b); ++count) {
      if (matches(count) != matches(a)) return false;
    }
    return true;
  }

  const History* history_;
  std::vector<std::size_t> in_force_;            // per row: how many of its versions are installed
  std::map<std::uint32_t, TransactionId> last_;  // per session: the last one executed
};

std::vector<Order> counted_units(const History& history, Unit unit) {
  std::map<std::size_t, Order> units;
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    const HistoryTransaction& transaction = history.transactions[i];
    if (transaction.outcome != TransactionOutcome::committed && !transaction.reads_count) continue;
    units[unit == Unit::session ? history.transactions[i].session : i].push_back(TransactionId(i));
  }
  std::vector<Order> result;
  for (const auto& [key, transactions] : units) result.push_back(transactions);
  return result;
}

// Whether the units that are left can be executed in some order after what `run` has executed.
// Recursion is as deep as there are units.
bool can_finish(const SerialRun& run, const std::vector<Order>& units, std::vector<bool>& done) {
  if (std::ranges::count(done, false) == 0) return true;
  for (std::size_t next = 0; next < units.size(); ++next) {
    if (done[next]) continue;
    SerialRun longer = run;
    const bool executes = std::ranges::all_of(
        units[next], [&](TransactionId transaction) { return longer.execute(transaction); });
    if (!executes) continue;
    done[next] = true;
    if (can_finish(longer, units, done)) return true;
    done[next] = false;
  }
  return false;
}

}  // namespace

bool has_serial_order(const History& history, Unit unit) {
  const std::vector<Order> units = counted_units(history, unit);
  HEDDLE_ASSERT(units.size() <= 8);
  std::vector<bool> done(units.size(), false);
  return can_finish(SerialRun(history), units, done);
}

}  // namespace heddle
