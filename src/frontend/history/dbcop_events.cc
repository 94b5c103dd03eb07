#include "frontend/history/dbcop_events.h"

#include "frontend/history/plume_zero.h"

namespace heddle {

void DbcopEvents::begin_transaction(std::uint32_t line) {
  txn_ = RecordedTransaction();
  txn_.session = session_;
  txn_.line = line;
  operations_.clear();
  failed_writes_.clear();
}

void DbcopEvents::add(bool write, Value variable, Value value, bool success) {
  const KeyId key = key_table_.of(variable);
  if (!write) {
    operations_.push_back({key, KeyAction::read, success ? value : kUnseen});
  } else {
    (success ? operations_ : failed_writes_).push_back({key, KeyAction::write, value});
  }
}

void DbcopEvents::end_transaction(bool success) {
  const auto store = [&](const std::vector<KeyOperation>& operations, bool committed) {
    txn_.first = static_cast<std::uint32_t>(history_.operations.size());
    txn_.count = static_cast<std::uint32_t>(operations.size());
    txn_.outcome = committed ? TransactionOutcome::committed : TransactionOutcome::aborted;
    history_.operations.insert(history_.operations.end(), operations.begin(), operations.end());
    history_.transactions.push_back(txn_);
  };
  store(operations_, success);
  if (!failed_writes_.empty()) store(failed_writes_, false);
}

TransactionHistory DbcopEvents::take() {
  drop_initial_sessions(history_);
  settle_zeros(history_);
  return std::move(history_);
}

}  // namespace heddle
