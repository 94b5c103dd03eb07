#include "heddle/recorded_history.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/assert.h"
#include "vocabulary/spelling.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 4> kKeyActions = {"r", "w", "append", "r"};
constexpr std::array<std::string_view, 18> kObjectFunctions = {
    "read", "write",  "compare-and-set", "get",     "put",     "append",
    "add",  "remove", "contains",        "enqueue", "dequeue", "push",
    "pop",  "insert", "remove-minimum",  "acquire", "release", "transfer"};
constexpr std::array<std::string_view, 10> kObjectModels = {
    "cas-register", "key-value",      "counter", "set",       "queue",
    "stack",        "priority-queue", "mutex",   "semaphore", "bank"};
constexpr std::size_t kMostOperations = std::numeric_limits<std::uint32_t>::max() - 16;

std::optional<std::string> find_flaw(const TransactionHistory& history, std::size_t index) {
  const RecordedTransaction& txn = history.transactions[index];
  const std::uint64_t end = std::uint64_t{txn.first} + txn.count;
  if (end > history.operations.size()) {
    return fmt::format("transaction {} has operations that do not exist", index);
  }
  if (history.has_times && txn.began > txn.ended) {
    return fmt::format("transaction {} ends before it begins", index);
  }
  for (const KeyOperation& operation : history.operations_of(TransactionId(index))) {
    const bool has_list = operation.action == KeyAction::read_list && operation.value != kUnseen;
    if (operation.key.index() >= history.keys.size() ||
        (has_list && operation.list().index() >= history.lists.size())) {
      return fmt::format("transaction {} has an operation on what does not exist", index);
    }
  }
  return std::nullopt;
}

}  // namespace

Value ValueTexts::text(std::string_view text) {
  const auto [place, is_new] =
      places_.emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return {Value::kFirstText + place->second};
}

Value ValueTexts::number(std::int64_t number) {
  return Value::fits(number) ? Value::number(number) : text(fmt::to_string(number));
}

std::string ValueTexts::to_string(Value value) const {
  if (value == kNil) return "nil";
  if (value == kUnseen) return "?";
  if (value.is_number()) return fmt::to_string(value.code);
  const auto place = static_cast<std::size_t>(value.code - Value::kFirstText);
  HEDDLE_ASSERT(place < texts_.size());
  return texts_[place];
}

ListId Lists::add(std::span<const Value> elements) {
  places_.push_back({elements_.size(), elements.size()});
  elements_.insert(elements_.end(), elements.begin(), elements.end());
  return ListId(places_.size() - 1);
}

ListId Lists::add_grown(std::size_t grown, std::span<const Value> elements) {
  if (grown >= rooms_.size()) rooms_.resize(grown + 1);
  Room& room = rooms_[grown];
  const std::size_t known = std::min(room.longest.size, elements.size());
  const auto stored = elements_.begin() + static_cast<std::ptrdiff_t>(room.longest.begin);
  if (!std::equal(elements.begin(), elements.begin() + known, stored)) {
    // What came to nothing may have been read: then the list goes on without it.
    if (room.is_left) room = {{elements_.size(), elements.size()}, elements.size()};
    room.is_left = !room.is_left;
    return add(elements);
  }
  room.is_left = false;
  if (elements.size() > room.most) {
    // What grows gets twice as much as it needs, so that it is seldom moved.
    const std::size_t most = room.most == 0 ? elements.size() : 2 * elements.size();
    room = {{elements_.size(), elements.size()}, most};
    elements_.insert(elements_.end(), elements.begin(), elements.end());
    elements_.resize(room.longest.begin + most);
  } else if (elements.size() > known) {
    std::copy(elements.begin() + known, elements.end(), stored + known);
    room.longest.size = elements.size();
  }
  places_.push_back({room.longest.begin, elements.size()});
  return ListId(places_.size() - 1);
}

std::span<const Value> Lists::operator[](ListId list) const {
  const Place& place = places_[list.index()];
  return {elements_.data() + place.begin, place.size};
}

KeyId KeyNames::of(Value name) {
  if (const auto known = places_.find(name.code); known != places_.end()) {
    return KeyId(known->second);
  }
  places_.emplace(name.code, static_cast<std::uint32_t>(names_.size()));
  names_.push_back(name);
  return KeyId(names_.size() - 1);
}

TransactionBuilder::TransactionBuilder(TransactionHistory& history, std::uint32_t session,
                                       std::uint32_t line)
    : history_(history) {
  txn_.session = session;
  txn_.line = line;
  txn_.first = static_cast<std::uint32_t>(history.operations.size());
}

TransactionBuilder& TransactionBuilder::add(KeyId key, KeyAction action, Value value) {
  HEDDLE_ASSERT(history_.operations.size() == std::size_t{txn_.first} + txn_.count);
  history_.operations.push_back({key, action, value});
  ++txn_.count;
  return *this;
}

TransactionBuilder& TransactionBuilder::read(KeyId key, Value value) {
  return add(key, KeyAction::read, value);
}

TransactionBuilder& TransactionBuilder::write(KeyId key, Value value) {
  return add(key, KeyAction::write, value);
}

TransactionBuilder& TransactionBuilder::append(KeyId key, Value value) {
  return add(key, KeyAction::append, value);
}

TransactionBuilder& TransactionBuilder::read_list(KeyId key, std::span<const Value> elements) {
  const ListId list = history_.lists.add_grown(key.index(), elements);
  return add(key, KeyAction::read_list, {static_cast<std::int64_t>(list.index())});
}

TransactionBuilder& TransactionBuilder::read_list_unseen(KeyId key) {
  return add(key, KeyAction::read_list, kUnseen);
}

TransactionId TransactionBuilder::end(TransactionOutcome outcome, Moment began, Moment ended) {
  txn_.outcome = outcome;
  txn_.began = began;
  txn_.ended = ended;
  history_.transactions.push_back(txn_);
  return TransactionId(history_.transactions.size() - 1);
}

std::string_view to_string(KeyAction action) {
  return kKeyActions[static_cast<std::size_t>(action)];
}

std::string_view to_string(ObjectFunction function) {
  return kObjectFunctions[static_cast<std::size_t>(function)];
}

std::string_view to_string(ObjectModel model) {
  return kObjectModels[static_cast<std::size_t>(model)];
}

std::optional<ObjectModel> find_object_model(std::string_view name) {
  const std::string spelling = same_spelling(name);
  for (std::size_t i = 0; i < kObjectModels.size(); ++i) {
    if (kObjectModels[i] == spelling) return static_cast<ObjectModel>(i);
  }
  return std::nullopt;
}

std::optional<std::string> find_flaw(const TransactionHistory& history) {
  if (history.operations.size() > kMostOperations) return "more operations than 2^32 - 16";
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    if (auto flaw = find_flaw(history, i)) return flaw;
  }
  return std::nullopt;
}

std::optional<std::string> find_flaw(const ObjectHistory& history) {
  for (std::size_t i = 0; i < history.calls.size(); ++i) {
    const ObjectCall& call = history.calls[i];
    if (call.object.index() >= history.objects.size()) {
      return fmt::format("call {} is on an object that does not exist", i);
    }
    if (call.called > call.returned) return fmt::format("call {} returns before it begins", i);
    if (i > 0 && history.calls[i - 1].called > call.called) {
      return fmt::format("call {} begins before the one in front of it", i);
    }
    if (call.result_is_list &&
        (call.result.code < 0 ||
         static_cast<std::uint64_t>(call.result.code) >= history.lists.size())) {
      return fmt::format("call {} returns a list that does not exist", i);
    }
  }
  return std::nullopt;
}

}  // namespace heddle
