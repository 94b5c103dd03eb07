#include "check/observation/list_versions.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle {

namespace {

void keep_longest(const TransactionHistory& history, std::uint32_t operation,
                  std::vector<ListVersions>& versions) {
  const KeyOperation& read = history.operations[operation];
  if (read.action != KeyAction::read_list || read.value == kUnseen) return;
  ListVersions& known = versions[read.key.index()];
  const std::span<const Value> elements = history.lists[read.list()];
  if (known.longest != kNoOperation && elements.size() <= known.elements.size()) return;
  known.longest = operation;
  known.elements = elements;
}

}  // namespace

std::vector<ListVersions> list_versions(const TransactionHistory& history, WriteIndex& index,
                                        const std::vector<bool>& counts, std::string& doubt) {
  std::vector<ListVersions> versions(history.keys.size());
  for (std::size_t txn = 0; txn < history.transactions.size(); ++txn) {
    if (!counts[txn]) continue;
    const RecordedTransaction& recorded = history.transactions[txn];
    for (std::uint32_t i = 0; i < recorded.count; ++i) {
      keep_longest(history, recorded.first + i, versions);
    }
  }
  for (std::size_t key = 0; key < versions.size(); ++key) {
    if (versions[key].longest == kNoOperation) continue;
    versions[key].appends.reserve(versions[key].elements.size());
    for (const Value element : versions[key].elements) {
      const auto writes = index.writes_of(KeyId(key), element);
      const auto may_have = [&](std::uint32_t write) {
        const RecordedTransaction& txn = history.transactions[index.transaction_of(write).index()];
        return txn.outcome != TransactionOutcome::aborted;
      };
      const auto first = std::ranges::find_if(writes, may_have);
      const std::uint32_t aborted = writes.empty() ? kNoOperation : writes.front();
      versions[key].appends.push_back(first == writes.end() ? aborted : *first);
      if (std::ranges::count_if(writes, may_have) < 2) continue;
      versions[key].is_doubtful = true;
      if (!doubt.empty()) continue;
      doubt = fmt::format("{} was appended to {} more than once", history.texts.to_string(element),
                          history.texts.to_string(history.keys.name(KeyId(key))));
    }
  }
  return versions;
}

}  // namespace heddle
