#include "report/check/names.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

constexpr std::size_t kWidestValue = 40;
constexpr std::size_t kMostElements = 12;
constexpr std::uint32_t kShortTransaction = 10;  // operations
constexpr std::size_t kMostTransactions = 16;
constexpr std::size_t kFewOperations = 40;  // in all transactions together

template <class T>
void sort_once(std::vector<T>& all) {
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace

std::string value_text(const ValueTexts& texts, Value value) {
  return shorten(printable(texts.to_string(value)), kWidestValue);
}

std::string key_text(const TransactionHistory& history, KeyId key) {
  return value_text(history.texts, history.keys.name(key));
}

std::string list_text(const ValueTexts& texts, std::span<const Value> list) {
  std::vector<std::string> parts;
  if (list.size() > kMostElements) {
    parts.emplace_back("...");
    list = list.last(kMostElements);
  }
  for (const Value value : list) parts.push_back(value_text(texts, value));
  return "[" + join(parts, " ") + "]";
}

std::string told_text(const TransactionHistory& history, const KeyOperation& operation) {
  if (operation.action == KeyAction::read_list && operation.value != kUnseen) {
    return list_text(history.texts, history.lists[operation.list()]);
  }
  return value_text(history.texts, operation.value);
}

std::string session_text(const TransactionHistory& history, std::uint32_t session) {
  if (session < history.sessions.size() && !history.sessions[session].empty()) {
    return shorten(printable(history.sessions[session]), kWidestValue);
  }
  return fmt::format("s{}", std::uint64_t{session} + 1);
}

std::vector<std::string> transaction_names(const TransactionHistory& history) {
  std::vector<std::uint32_t> counts;
  std::vector<std::string> names;
  for (const RecordedTransaction& txn : history.transactions) {
    if (txn.session >= counts.size()) counts.resize(std::size_t{txn.session} + 1, 0);
    names.push_back(
        fmt::format("{}#{}", session_text(history, txn.session), ++counts[txn.session]));
  }
  return names;
}

CheckNames::CheckNames(const TransactionHistory& history, const Counterexample& counterexample)
    : history_(history) {
  note(counterexample.cycle, 0);
  for (const CounterexampleCase& each : counterexample.cases) note(each.cycle, 0);
  note(counterexample.operation);
  note(counterexample.other);
  sort_once(operations_);
  for (std::size_t txn = 0; txn < history.transactions.size() && !operations_.empty(); ++txn) {
    const RecordedTransaction& recorded = history.transactions[txn];
    const auto first = std::ranges::lower_bound(operations_, recorded.first);
    if (first != operations_.end() && *first - recorded.first < recorded.count) {
      transactions_.emplace_back(txn);
    }
  }
  sort_once(transactions_);
  for (const TransactionId id : counterexample.transactions) {
    if (std::ranges::binary_search(transactions_, id)) continue;
    if (transactions_.size() < kMostTransactions) {
      transactions_.insert(std::ranges::lower_bound(transactions_, id), id);
    } else {
      ++left_out_;
    }
  }
  choose_keys();
}

// Of many operations only those say something that the counterexample names; where it names none,
// those on keys that several of the transactions use.
void CheckNames::choose_keys() {
  std::size_t operations = 0;
  std::map<KeyId, std::set<TransactionId>> users;
  for (const TransactionId id : transactions_) {
    for (const KeyOperation& operation : history_.operations_of(id)) {
      users[operation.key].insert(id);
      ++operations;
    }
  }
  if (operations <= kFewOperations) return;
  for (const auto& [key, transactions] : users) {
    if (transactions.size() == 1 || !operations_.empty()) unshown_keys_.insert(key);
  }
}

void CheckNames::note(const std::vector<RecordedEdge>& edges, std::uint32_t depth) {
  for (const RecordedEdge& edge : edges) {
    if (edge.from) transactions_.push_back(*edge.from);
    transactions_.push_back(edge.to);
    note(edge.from_operation);
    note(edge.to_operation);
    if (depth < kDeepestBecause) note(edge.because, depth + 1);
  }
}

void CheckNames::note(const std::optional<std::uint32_t>& operation) {
  if (operation) operations_.push_back(*operation);
}

std::size_t CheckNames::number(TransactionId id) const {
  const auto place = std::ranges::lower_bound(transactions_, id);
  HEDDLE_ASSERT(place != transactions_.end() && *place == id);
  return static_cast<std::size_t>(place - transactions_.begin()) + 1;
}

std::string CheckNames::name(TransactionId id) const { return fmt::format("T{}", number(id)); }

std::string CheckNames::name_or_start(std::optional<TransactionId> id) const {
  return id ? name(*id) : "the state before all transactions";
}

TransactionId CheckNames::owner(std::uint32_t operation) const {
  for (const TransactionId id : transactions_) {
    const RecordedTransaction& txn = history_.transactions[id.index()];
    if (operation >= txn.first && operation - txn.first < txn.count) return id;
  }
  HEDDLE_ASSERT(false);
}

std::string CheckNames::notation(std::uint32_t operation) const {
  const KeyOperation& recorded = history_.operations[operation];
  return fmt::format("{}{}[{}={}]", to_string(recorded.action), number(owner(operation)),
                     key_text(history_, recorded.key), told_text(history_, recorded));
}

std::string CheckNames::place(TransactionId id) const {
  const RecordedTransaction& txn = history_.transactions[id.index()];
  const std::string where = txn.line != 0 ? fmt::format("line {}", txn.line)
                                          : fmt::format("transaction {}", id.index() + 1);
  return session_text(history_, txn.session) + ", " + where;
}

std::vector<std::uint32_t> CheckNames::shown(TransactionId id) const {
  return operations_of(id, false);
}

std::vector<std::uint32_t> CheckNames::operations_of(TransactionId id, bool all) const {
  const RecordedTransaction& txn = history_.transactions[id.index()];
  std::vector<std::uint32_t> operations;
  for (std::uint32_t i = txn.first; i < txn.first + txn.count; ++i) {
    const bool short_one = txn.count <= kShortTransaction &&
                           (all || !unshown_keys_.contains(history_.operations[i].key));
    if (short_one || std::ranges::binary_search(operations_, i)) {
      operations.push_back(i);
    }
  }
  return operations;
}

std::string CheckNames::notation(TransactionId id) const {
  const RecordedTransaction& txn = history_.transactions[id.index()];
  std::vector<std::string> parts;
  std::uint32_t next = txn.first;
  for (const std::uint32_t operation : operations_of(id, shown(id).empty())) {
    if (operation != next) parts.emplace_back("...");
    parts.push_back(notation(operation));
    next = operation + 1;
  }
  if (next != txn.first + txn.count) parts.emplace_back("...");
  if (txn.outcome != TransactionOutcome::unknown) {
    const char end = txn.outcome == TransactionOutcome::aborted ? 'a' : 'c';
    parts.push_back(fmt::format("{}{}", end, number(id)));
  }
  std::string text = join(parts, " ");
  if (txn.outcome == TransactionOutcome::unknown) text += ", which may have committed";
  return text;
}

}  // namespace heddle
