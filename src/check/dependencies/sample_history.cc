#include "check/dependencies/sample_history.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

namespace {

enum class VisibilityRule : std::uint8_t { latest_committed, snapshot, uncommitted, stale };
constexpr std::uint32_t kRules = 4;
constexpr std::uint32_t kValues = 3;

class SampleStore {
 public:
  explicit SampleStore(const Choose& choose) : choose_(choose) {
    rule_ = static_cast<VisibilityRule>(choose_(kRules));
    order_by_write_ = choose_(4) == 0;
    const std::uint32_t rows = 1 + choose_(3);
    for (std::uint32_t row = 0; row < rows; ++row) add_row(row);
  }

  History run() {
    const std::uint32_t sessions = 2 + choose_(3);
    current_.resize(sessions);
    std::vector<std::uint32_t> left(sessions);  // transactions still to end
    for (std::uint32_t& transactions : left) transactions = 1 + choose_(2);
    for (auto running = unfinished(left); !running.empty(); running = unfinished(left)) {
      const std::uint32_t session = running[choose_(static_cast<std::uint32_t>(running.size()))];
      if (step(session)) --left[session];
    }
    finish();
    return std::move(history_);
  }

 private:
  struct Open {
    TransactionId transaction;
    std::uint32_t operations_left = 0;
    std::map<RowId, VersionId> own;
    std::size_t snapshot = 0;  // commits before the first operation
  };

  static std::vector<std::uint32_t> unfinished(const std::vector<std::uint32_t>& left) {
    std::vector<std::uint32_t> sessions;
    for (std::uint32_t session = 0; session < left.size(); ++session) {
      if (left[session] > 0) sessions.push_back(session);
    }
    return sessions;
  }

  void add_row(std::uint32_t row) {
    history_.rows.push_back({"t", "id=" + std::to_string(row)});
    writes_.emplace_back();
    committed_.emplace_back();
    if (choose_(4) == 0) return;  // nobody has inserted it yet
    const VersionId initial = add_version(RowId(row), std::nullopt);
    writes_[row].push_back(initial);
    committed_[row].push_back({0, initial});
  }

  VersionId add_version(RowId row, std::optional<TransactionId> writer) {
    const std::uint32_t value = choose_(kValues + 1);
    RowVersion version;
    version.row = row;
    version.writer = writer;
    if (value < kValues) version.value = std::to_string(value);
    history_.versions.push_back(version);
    return VersionId(history_.versions.size() - 1);
  }

  // One operation or the end of the session's transaction; true at the end.
  bool step(std::uint32_t session) {
    if (!current_[session]) begin(session);
    Open& open = *current_[session];
    if (open.operations_left == 0) {
      end(open);
      current_[session].reset();
      return true;
    }
    --open.operations_left;
    const RowId row(choose_(static_cast<std::uint32_t>(history_.rows.size())));
    switch (choose_(3)) {
      case 0:
        read(open, row);
        break;
      case 1:
        write(open, row);
        break;
      default:
        read_predicate(open);
    }
    return false;
  }

  void begin(std::uint32_t session) {
    HistoryTransaction transaction;
    transaction.session = session;
    const TransactionId id(history_.transactions.size());
    transaction.name = "t" + std::to_string(id.value);
    history_.transactions.push_back(transaction);
    current_[session] = Open{id, 1 + choose_(3), {}, commits_};
  }

  void add_operation(const Operation& operation) {
    history_.operations.push_back(operation);
    history_.transactions[operation.transaction.index()].operations.push_back(
        OperationId(history_.operations.size() - 1));
  }

  std::optional<VersionId> visible(const Open& open, RowId row) {
    if (const auto own = open.own.find(row); own != open.own.end()) return own->second;
    if (rule_ == VisibilityRule::uncommitted) {
      const auto& writes = writes_[row.index()];
      return writes.empty() ? std::nullopt : std::optional(writes.back());
    }
    std::vector<VersionId> candidates;
    for (const auto& [commit, version] : committed_[row.index()]) {
      if (rule_ == VisibilityRule::snapshot && commit > open.snapshot) continue;
      candidates.push_back(version);
    }
    if (candidates.empty()) return std::nullopt;
    if (rule_ != VisibilityRule::stale) return candidates.back();
    return candidates[choose_(static_cast<std::uint32_t>(candidates.size()))];
  }

  void read(const Open& open, RowId row) {
    const std::optional<VersionId> version = visible(open, row);
    if (!version) return;
    Operation operation;
    operation.transaction = open.transaction;
    operation.version = *version;
    add_operation(operation);
  }

  void write(Open& open, RowId row) {
    Operation operation;
    operation.kind = OperationKind::write;
    operation.transaction = open.transaction;
    operation.version = add_version(row, open.transaction);
    add_operation(operation);
    const auto [own, first] = open.own.try_emplace(row, operation.version);
    if (!first) history_.versions[own->second.index()].final = false;
    own->second = operation.version;
    writes_[row.index()].push_back(operation.version);
  }

  void read_predicate(const Open& open) {
    Operation operation;
    operation.kind = OperationKind::predicate_read;
    operation.transaction = open.transaction;
    operation.table = "t";
    operation.predicate = std::to_string(choose_(kValues));
    for (std::size_t row = 0; row < history_.rows.size(); ++row) {
      if (const auto version = visible(open, RowId(row))) operation.visible.push_back(*version);
    }
    add_operation(operation);
  }

  void end(const Open& open) {
    if (choose_(8) == 0) {
      HistoryTransaction& transaction = history_.transactions[open.transaction.index()];
      transaction.outcome = TransactionOutcome::aborted;
      transaction.reads_count = choose_(2) == 0;
      for (const auto& [row, version] : open.own) {
        std::erase_if(writes_[row.index()], [&](VersionId written) {
          return history_.versions[written.index()].writer == open.transaction;
        });
      }
      return;
    }
    ++commits_;
    for (const auto& [row, version] : open.own) {
      committed_[row.index()].push_back({commits_, version});
    }
  }

  void finish() {
    for (std::size_t row = 0; row < history_.rows.size(); ++row) {
      std::vector<VersionId> versions;
      for (const auto& [commit, version] : committed_[row]) versions.push_back(version);
      if (order_by_write_) std::ranges::sort(versions);
      history_.versions_of.push_back(versions);
    }
    for (Operation& operation : history_.operations) {
      if (operation.kind != OperationKind::predicate_read) continue;
      for (std::size_t i = 0; i < history_.versions.size(); ++i) {
        if (history_.versions[i].value == operation.predicate) {
          operation.matching.push_back(VersionId(i));
        }
      }
    }
  }

  const Choose& choose_;
  VisibilityRule rule_ = VisibilityRule::latest_committed;
  bool order_by_write_ = false;                 // which lets dirty writes arise
  std::vector<std::vector<VersionId>> writes_;  // per row, not aborted so far
  std::vector<std::vector<std::pair<std::size_t, VersionId>>> committed_;  // per row, by commit
  std::vector<std::optional<Open>> current_;                               // per session
  std::size_t commits_ = 0;
  History history_;
};

}  // namespace

History sample_history(const Choose& choose) { return SampleStore(choose).run(); }

}  // namespace heddle
