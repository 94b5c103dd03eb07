#include "frontend/history/plume_zero.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr Value kZeroOfPlume = Value::number(0);

bool only_writes_zeros(const TransactionHistory& history, const RecordedTransaction& txn) {
  for (std::size_t i = 0; i < txn.count; ++i) {
    const KeyOperation& operation = history.operations[txn.first + i];
    if (operation.action != KeyAction::write || operation.value != kZeroOfPlume) return false;
  }
  return txn.count > 0 && txn.outcome == TransactionOutcome::committed;
}

std::uint32_t count_sessions(const TransactionHistory& history) {
  std::uint32_t count = 0;
  for (const RecordedTransaction& txn : history.transactions) {
    count = std::max(count, txn.session + 1);
  }
  return count;
}

// Per session, whether it is nothing but an initial state.
std::vector<bool> find_initial_sessions(const TransactionHistory& history) {
  std::vector<std::uint32_t> sizes(count_sessions(history), 0);
  for (const RecordedTransaction& txn : history.transactions) ++sizes[txn.session];
  std::vector<bool> is_initial(sizes.size(), false);
  for (const RecordedTransaction& txn : history.transactions) {
    is_initial[txn.session] = sizes[txn.session] == 1 && only_writes_zeros(history, txn);
  }
  return is_initial;
}

void remove_sessions(TransactionHistory& history, const std::vector<bool>& is_removed) {
  std::vector<std::uint32_t> numbers(is_removed.size(), 0);
  std::vector<std::string> names;
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < is_removed.size(); ++i) {
    numbers[i] = kept;
    if (is_removed[i]) continue;
    ++kept;
    if (i < history.sessions.size()) names.push_back(history.sessions[i]);
  }
  history.sessions = std::move(names);
  std::vector<KeyOperation> operations;
  operations.reserve(history.operations.size());
  std::erase_if(history.transactions,
                [&](const RecordedTransaction& txn) { return is_removed[txn.session]; });
  for (RecordedTransaction& txn : history.transactions) {
    const auto begin = history.operations.begin() + txn.first;
    txn.session = numbers[txn.session];
    txn.first = static_cast<std::uint32_t>(operations.size());
    operations.insert(operations.end(), begin, begin + txn.count);
  }
  history.operations = std::move(operations);
}

// Per key, whether a transaction that may have committed writes 0 to it.
std::vector<bool> find_written_zeros(const TransactionHistory& history) {
  std::vector<bool> written(history.keys.size(), false);
  for (const RecordedTransaction& txn : history.transactions) {
    if (txn.outcome == TransactionOutcome::aborted) continue;
    for (std::size_t i = 0; i < txn.count; ++i) {
      const KeyOperation& operation = history.operations[txn.first + i];
      if (operation.action == KeyAction::write && operation.value == kZeroOfPlume) {
        written[operation.key.index()] = true;
      }
    }
  }
  return written;
}

bool is_read_of(const KeyOperation& operation, Value value) {
  return operation.action == KeyAction::read && operation.value == value;
}

}  // namespace

bool has_initial_sessions(const TransactionHistory& history) {
  const std::vector<bool> is_initial = find_initial_sessions(history);
  return std::ranges::find(is_initial, true) != is_initial.end();
}

void drop_initial_sessions(TransactionHistory& history) {
  const std::vector<bool> is_initial = find_initial_sessions(history);
  if (std::ranges::find(is_initial, true) != is_initial.end()) remove_sessions(history, is_initial);
}

void settle_zeros(TransactionHistory& history) {
  const std::vector<bool> written = find_written_zeros(history);
  const bool any_written = std::ranges::find(written, true) != written.end();
  const Value initial = any_written ? kNil : kZeroOfPlume;
  bool reads_initial = false;
  for (KeyOperation& operation : history.operations) {
    const bool is_initial_read =
        is_read_of(operation, kNil) ||
        (is_read_of(operation, kZeroOfPlume) && !written[operation.key.index()]);
    if (!is_initial_read) continue;
    operation.value = initial;
    reads_initial = true;
  }
  history.initial.reset();
  if (reads_initial || !any_written) history.initial = initial;
}

bool zeros_are_written(const TransactionHistory& history) {
  const std::vector<bool> written = find_written_zeros(history);
  if (std::ranges::find(written, true) == written.end()) return false;
  return std::ranges::none_of(history.operations, [&](const KeyOperation& operation) {
    return is_read_of(operation, kZeroOfPlume) && !written[operation.key.index()];
  });
}

}  // namespace heddle
