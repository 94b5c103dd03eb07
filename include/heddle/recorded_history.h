/// What clients saw of a store: operations with the values they wrote and read, session by session,
/// with times where those were noted. Nothing tells which version a read saw or in which order the
/// store did things; `check` finds out whether some order explains it.
///
///   TransactionHistory history;
///   TransactionBuilder txn(history, /*session=*/0);
///   txn.write(history.keys.of(history.texts.text("x")), Value::number(1));
///   txn.end(TransactionOutcome::committed);
///
/// Two shapes: transactions over keys (registers and lists), and single calls on objects
/// (registers, queues, sets, locks and so on).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "heddle/history.h"
#include "heddle/id.h"

namespace heddle {

using KeyId = Id<struct KeyTag>;    ///< into the names of keys (or objects) of a recorded history
using ListId = Id<struct ListTag>;  ///< into Lists

/// A value as a client wrote or read it, in eight bytes: a number stands for itself, everything
/// else for the place of its text in a ValueTexts.
struct Value {
  std::int64_t code = 0;

  /// REQUIRES: fits(number).
  static constexpr Value number(std::int64_t number) { return {number}; }
  /// Whether a number can stand for itself; others are kept as texts (ValueTexts::number).
  static constexpr bool fits(std::int64_t number) { return number >= kSmallestNumber; }
  constexpr bool is_number() const { return code >= kSmallestNumber; }

  friend constexpr auto operator<=>(const Value&, const Value&) = default;

  /// The codes from kFirstText up to kSmallestNumber are places of texts.
  static constexpr std::int64_t kFirstText = std::numeric_limits<std::int64_t>::min() + 2;
  static constexpr std::int64_t kSmallestNumber = kFirstText + (std::int64_t{1} << 32);
};

/// Nothing is there: EDN's and JSON's null.
inline constexpr Value kNil{std::numeric_limits<std::int64_t>::min()};
/// The client was not told what it read.
inline constexpr Value kUnseen{std::numeric_limits<std::int64_t>::min() + 1};

/// The values of a history that are not numbers, each once.
class ValueTexts {
 public:
  /// The value of that text: always the same one for the same text. The text "7" is not the number.
  Value text(std::string_view text);
  /// A number of any size.
  Value number(std::int64_t number);
  /// As people write it: 7, "seven" without quotes, nil, ?.
  std::string to_string(Value value) const;

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> places_;
};

/// Lists and sets of values that reads returned.
class Lists {
 public:
  ListId add(std::span<const Value> elements);
  /// The same for a list that grows, told by a number of its own: what begins as an earlier read of
  /// it, or is the beginning of one, takes no room of its own.
  ListId add_grown(std::size_t grown, std::span<const Value> elements);
  std::span<const Value> operator[](ListId list) const;
  std::size_t size() const { return places_.size(); }

 private:
  /// Of elements_.
  struct Place {
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  /// The longest read of a list that grows, and how long it may become where it stands.
  struct Room {
    Place longest;
    std::size_t most = 0;
    bool is_left = false;  // the last read began otherwise
  };

  std::vector<Value> elements_;
  std::vector<Place> places_;
  std::vector<Room> rooms_;  // by the number of the list that grows
};

/// Keys by name, numbered in the order in which they were first met.
class KeyNames {
 public:
  KeyId of(Value name);
  Value name(KeyId key) const { return names_[key.index()]; }
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<Value> names_;
  std::unordered_map<std::int64_t, std::uint32_t> places_;
};

/// When something happened, in any unit that grows: nanoseconds, or the number of the event in its
/// file. Only the order counts.
using Moment = std::int64_t;
inline constexpr Moment kNever = std::numeric_limits<Moment>::max();

/// What an operation of a transaction does to its key.
enum class KeyAction : std::uint8_t {
  read,       ///< of a register: `value`, or kUnseen
  write,      ///< of a register: `value`
  append,     ///< of a list: `value` is put at its end
  read_list,  ///< of a list: `list()`; the client that was not told has `value` kUnseen
};

/// "r", "w", "append", "r".
std::string_view to_string(KeyAction action);

/// One operation of a transaction, in 16 bytes.
struct KeyOperation {
  KeyId key;
  KeyAction action = KeyAction::read;
  Value value;

  /// REQUIRES: action is read_list and value is not kUnseen.
  ListId list() const { return ListId(static_cast<std::size_t>(value.code)); }
};

/// One transaction as its client saw it. Transactions of one session are in session order.
struct RecordedTransaction {
  std::uint32_t session = 0;
  TransactionOutcome outcome = TransactionOutcome::committed;
  std::uint32_t first = 0;  ///< its operations are [first, first + count)
  std::uint32_t count = 0;
  std::uint32_t line = 0;  ///< in the file it was read from, counted from 1; 0: unknown
  Moment began = 0;        ///< invocation; 0 where times are unknown
  Moment ended = kNever;   ///< completion; kNever where unknown
};

/// Sessions of transactions over keys.
struct TransactionHistory {
  std::vector<RecordedTransaction> transactions;
  std::vector<KeyOperation> operations;  ///< those of a transaction side by side, in program order
  KeyNames keys;
  ValueTexts texts;
  Lists lists;
  std::vector<std::string> sessions;  ///< names, where they have one; else sessions are s1, s2, ...
  /// What every register holds before it is written; none: whatever is read was written. Lists
  /// start empty.
  std::optional<Value> initial = kNil;
  bool has_times = false;  ///< whether `began` and `ended` mean something
  bool partial = false;    ///< whether others, too, may have written what was read

  /// In program order.
  std::span<const KeyOperation> operations_of(TransactionId id) const {
    const RecordedTransaction& txn = transactions[id.index()];
    return {operations.data() + txn.first, txn.count};
  }
};

/// What a call does to an object. Which functions go together is the model's business.
enum class ObjectFunction : std::uint8_t {
  read,   ///< result: the value, or a list (sets, banks as account, balance, account, ...)
  write,  ///< argument
  compare_and_set,  ///< argument, second: from, to; a failed one found another value
  get,              ///< of a key-value store; result
  put,              ///< argument
  append,           ///< argument is put at the end of the text
  add,              ///< to a counter or a set: argument
  remove,           ///< from a set: argument
  contains,         ///< argument; result 0 or 1
  enqueue,          ///< argument
  dequeue,          ///< result; kNil: it was empty
  push,             ///< argument
  pop,              ///< result; kNil: it was empty
  insert,           ///< into a priority queue: argument
  remove_minimum,   ///< result; kNil: it was empty
  acquire,          ///< a mutex or a semaphore
  release,
  transfer,  ///< of a bank: argument, second: from, to; result: the amount
};

/// "read", "compare-and-set" and so on.
std::string_view to_string(ObjectFunction function);

/// The kinds of objects that come with heddle.
enum class ObjectModel : std::uint8_t {
  cas_register,  ///< read, write, compare_and_set
  key_value,     ///< get, put, append; objects are keys
  counter,       ///< add, read
  set,           ///< add, remove, contains, read (the whole set, as a list)
  queue,         ///< enqueue, dequeue: first in, first out
  stack,         ///< push, pop
  priority_queue,
  mutex,      ///< acquire, release
  semaphore,  ///< acquire, release; as many permits as ObjectHistory::permits
  bank,       ///< transfer, read (all accounts)
};

/// "cas-register", "key-value" and so on.
std::string_view to_string(ObjectModel model);
std::optional<ObjectModel> find_object_model(std::string_view name);

/// `failed`: it certainly did not happen. `unknown`: it may have happened at any time since its
/// call, or may still happen, or never (a crashed client).
enum class CallOutcome : std::uint8_t { ok, failed, unknown };

/// One call as its client saw it.
struct ObjectCall {
  std::uint32_t process = 0;
  ObjectFunction function = ObjectFunction::read;
  CallOutcome outcome = CallOutcome::ok;
  KeyId object;
  std::uint32_t line = 0;  ///< of its invocation, counted from 1; 0: unknown
  Value argument = kNil;
  Value second = kNil;
  Value result = kUnseen;  ///< of a list: its ListId as a number
  bool result_is_list = false;
  Moment called = 0;
  Moment returned = kNever;  ///< kNever: it did not
};

/// Calls on objects of one kind; different objects are independent of each other.
struct ObjectHistory {
  ObjectModel model = ObjectModel::cas_register;
  std::vector<ObjectCall> calls;  ///< by `called`
  KeyNames objects;
  ValueTexts texts;
  Lists lists;
  Value initial = kNil;       ///< of registers, counters (as a number) and key-value stores
  std::uint32_t permits = 1;  ///< of a semaphore
};

/// What a file holds.
using RecordedHistory = std::variant<TransactionHistory, ObjectHistory>;

/// Adds one transaction to a history, operation by operation.
class TransactionBuilder {
 public:
  TransactionBuilder(TransactionHistory& history, std::uint32_t session, std::uint32_t line = 0);
  TransactionBuilder& read(KeyId key, Value value);
  TransactionBuilder& write(KeyId key, Value value);
  TransactionBuilder& append(KeyId key, Value value);
  TransactionBuilder& read_list(KeyId key, std::span<const Value> elements);
  TransactionBuilder& read_list_unseen(KeyId key);
  /// The transaction is in the history from here on.
  TransactionId end(TransactionOutcome outcome = TransactionOutcome::committed, Moment began = 0,
                    Moment ended = kNever);

 private:
  TransactionBuilder& add(KeyId key, KeyAction action, Value value);

  TransactionHistory& history_;
  RecordedTransaction txn_;
};

/// What makes the history unusable (operations out of range, times that run backwards, more than
/// 2^32 - 16 operations), or none when it is well formed. For histories read from files.
std::optional<std::string> find_flaw(const TransactionHistory& history);
std::optional<std::string> find_flaw(const ObjectHistory& history);

}  // namespace heddle
