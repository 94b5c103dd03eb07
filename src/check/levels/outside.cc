#include "check/levels/outside.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace heddle {

void add_outside_writers(TransactionHistory& history) {
  if (!history.partial) return;
  std::vector<std::pair<KeyId, Value>> written;
  std::vector<std::pair<KeyId, Value>> seen;
  for (const RecordedTransaction& txn : history.transactions) {
    for (std::uint32_t i = txn.first; i < txn.first + txn.count; ++i) {
      const KeyOperation& operation = history.operations[i];
      if (operation.action == KeyAction::write) {
        written.emplace_back(operation.key, operation.value);
      } else if (operation.action == KeyAction::read && operation.value != kUnseen &&
                 operation.value != kNil && operation.value != history.initial &&
                 txn.outcome == TransactionOutcome::committed) {
        seen.emplace_back(operation.key, operation.value);
      }
    }
  }
  std::ranges::sort(written);
  // A value that is read more often than it is written is written all the same.
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  std::vector<std::pair<KeyId, Value>> missing;
  std::ranges::set_difference(seen, written, std::back_inserter(missing));
  std::uint32_t session = 0;
  for (const RecordedTransaction& txn : history.transactions) {
    session = std::max(session, txn.session + 1);
  }
  for (const auto& [key, value] : missing) {
    if (!history.sessions.empty()) {
      history.sessions.resize(session);
      history.sessions.emplace_back("outside");
    }
    TransactionBuilder(history, session++).write(key, value).end(TransactionOutcome::unknown);
  }
}

}  // namespace heddle
