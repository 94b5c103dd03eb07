#include "check/levels/beginning.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace heddle {

namespace {

bool is_read(const KeyOperation& operation) {
  return operation.action == KeyAction::read || operation.action == KeyAction::read_list;
}

// What transactions of the beginning wrote, and nobody later wrote again: whoever reads it has read
// it from them.
class KnownValues {
 public:
  KnownValues(const TransactionHistory& history, const std::vector<KeyOperation>& beginning)
      : history_(history), initial_is_written_(history.keys.size(), false) {
    for (const KeyOperation& operation : beginning) {
      if (!is_read(operation)) written_.emplace_back(operation.key, operation.value);
    }
    std::ranges::sort(written_);
    written_.erase(std::unique(written_.begin(), written_.end()), written_.end());
    written_again_.assign(written_.size(), false);
    for (std::size_t i = beginning.size(); i < history.operations.size(); ++i) {
      if (!is_read(history.operations[i])) note_later(history.operations[i]);
    }
  }

  bool is_known(const KeyOperation& read) const {
    if (read.action == KeyAction::read) return is_known(read.key, read.value);
    return std::ranges::all_of(history_.lists[read.list()],
                               [&](Value element) { return is_known(read.key, element); });
  }

 private:
  void note_later(const KeyOperation& write) {
    if (write.value == history_.initial) initial_is_written_[write.key.index()] = true;
    const auto found = std::ranges::lower_bound(written_, std::pair(write.key, write.value));
    if (found == written_.end() || *found != std::pair(write.key, write.value)) return;
    written_again_[static_cast<std::size_t>(found - written_.begin())] = true;
  }

  bool is_known(KeyId key, Value value) const {
    if (value == history_.initial) return !initial_is_written_[key.index()];
    const auto found = std::ranges::lower_bound(written_, std::pair(key, value));
    return found != written_.end() && *found == std::pair(key, value) &&
           !written_again_[static_cast<std::size_t>(found - written_.begin())];
  }

  const TransactionHistory& history_;
  std::vector<std::pair<KeyId, Value>> written_;  // sorted
  std::vector<bool> written_again_;               // as written_
  std::vector<bool> initial_is_written_;          // per key, later
};

}  // namespace

TransactionHistory beginning_of(const TransactionHistory& history, std::size_t count) {
  TransactionHistory part;
  part.keys = history.keys;
  part.texts = history.texts;
  part.lists = history.lists;
  part.sessions = history.sessions;
  part.initial = history.initial;
  part.has_times = history.has_times;
  part.partial = history.partial;
  for (std::size_t i = 0; i < std::min(count, history.transactions.size()); ++i) {
    if (history.transactions[i].first != part.operations.size()) break;
    const auto operations = history.operations_of(TransactionId(i));
    part.transactions.push_back(history.transactions[i]);
    part.operations.insert(part.operations.end(), operations.begin(), operations.end());
  }
  const KnownValues known(history, part.operations);
  for (KeyOperation& operation : part.operations) {
    if (!is_read(operation) || operation.value == kUnseen) continue;
    if (!known.is_known(operation)) operation.value = kUnseen;
  }
  return part;
}

}  // namespace heddle
