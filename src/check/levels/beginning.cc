#include "check/levels/beginning.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace heddle {

namespace {

using Written = std::vector<std::pair<KeyId, Value>>;

bool is_known(const TransactionHistory& history, const KeyOperation& read, const Written& written) {
  const auto is_written = [&](Value value) {
    return std::ranges::binary_search(written, std::pair(read.key, value));
  };
  if (read.action == KeyAction::read) {
    return read.value == history.initial || is_written(read.value);
  }
  return std::ranges::all_of(history.lists[read.list()], is_written);
}

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
  Written written;
  for (std::size_t i = 0; i < std::min(count, history.transactions.size()); ++i) {
    if (history.transactions[i].first != part.operations.size()) break;
    const auto operations = history.operations_of(TransactionId(i));
    part.transactions.push_back(history.transactions[i]);
    part.operations.insert(part.operations.end(), operations.begin(), operations.end());
    for (const KeyOperation& operation : operations) {
      const bool reads =
          operation.action == KeyAction::read || operation.action == KeyAction::read_list;
      if (!reads) written.emplace_back(operation.key, operation.value);
    }
  }
  std::ranges::sort(written);
  for (KeyOperation& operation : part.operations) {
    const bool reads =
        operation.action == KeyAction::read || operation.action == KeyAction::read_list;
    if (!reads || operation.value == kUnseen) continue;
    if (!is_known(history, operation, written)) operation.value = kUnseen;
  }
  return part;
}

}  // namespace heddle
