// Transactions are added to the history as they are completed. Whether a key is a list or a
// register shows only at the end, so that reads are kept as they look (a vector: read_list; nil:
// read of kNil) and put right then. An invocation's value is read again, from its place in the
// file, only where the completion does not repeat it.
#include "frontend/history/jepsen_transactions.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "frontend/history/forms/byte_reader.h"
#include "frontend/history/forms/repeated_numbers.h"
#include "frontend/history/jepsen.h"
#include "frontend/history/jepsen_pairing.h"
#include "frontend/history/jepsen_values.h"

namespace heddle {

namespace {

struct MicroName {
  std::string_view name;
  KeyAction action;
};

constexpr std::array kMicroNames = {
    MicroName{"r", KeyAction::read},        MicroName{"w", KeyAction::write},
    MicroName{"append", KeyAction::append}, MicroName{"read", KeyAction::read},
    MicroName{"write", KeyAction::write},
};

std::optional<KeyAction> find_action(std::string_view name) {
  for (const MicroName& micro : kMicroNames) {
    if (micro.name == name) return micro.action;
  }
  return std::nullopt;
}

// [:r 3 nil] or the like, of any function.
bool looks_like_micro_operation(const FormNode& form) {
  if (form.kind != FormKind::vector || form.size < 3) return false;
  const FormNode& function = *(&form + 1);
  return function.kind == FormKind::word ||
         (function.kind == FormKind::text && find_action(function.text));
}

bool is_micro_operations(const Form& value) {
  if (value.is_empty() || value.nodes[0].kind != FormKind::vector) return false;
  const Inside<FormNode> operations(value.nodes[0]);
  return operations.begin() != operations.end() &&
         std::ranges::all_of(operations, looks_like_micro_operation);
}

// Of whom it is known what they read: of all; of those where it is not nil; of none.
enum class ReadsSeen : std::uint8_t { all, some, none };

constexpr std::size_t kMostOperations = std::numeric_limits<std::uint32_t>::max() - 16;

class TransactionReader {
 public:
  TransactionReader(OperationSource& source, const ReadHistoryOptions& options)
      : source_(source),
        memory_(options.memory),
        pairing_(source),
        values_(source.reader().bytes(), history_.texts) {
    if (options.initial) history_.initial = value_as_written(*options.initial, history_.texts);
  }

  Result<TransactionHistory> read() {
    JepsenOperation operation;
    operation.value.leaves_numbers = true;
    operation.takes_plain = true;
    while (const std::optional<PairedEvent> paired = pairing_.next(operation)) {
      if (paired->type == EventType::invoke) {
        has_times_ = true;
      } else if (!complete(*paired, operation)) {
        break;
      }
    }
    for (const Invocation& open : pairing_.still_open()) {
      if (!pairing_.trouble() && !trouble_) add_unfinished(open);
    }
    if (pairing_.trouble()) return *pairing_.trouble();
    if (!trouble_) decide_actions();
    if (trouble_) return *trouble_;
    decide_times();
    name_sessions();
    return std::move(history_);
  }

 private:
  // What happens to a key anywhere in the history.
  using KeyUse = JepsenMemory::KeyUse;

  bool fail(std::size_t at, std::string what, std::string what_to_do) {
    trouble_ = source_.reader().complaint(at, std::move(what), std::move(what_to_do));
    return false;
  }

  bool complete(const PairedEvent& paired, const JepsenOperation& operation) {
    const bool is_ok = paired.type == EventType::ok;
    const Invocation& begin = paired.invocation ? *paired.invocation : paired.event;
    TransactionBuilder txn(history_, paired.event.session, begin.line);
    if (!add_operations(txn, paired, operation)) return false;
    if (is_ok && !paired.invocation) has_times_of_all_ = false;
    const TransactionOutcome outcome = is_ok ? TransactionOutcome::committed
                                       : paired.type == EventType::fail
                                           ? TransactionOutcome::aborted
                                           : TransactionOutcome::unknown;
    txn.end(outcome, paired.invocation ? begin.moment : 0,
            outcome == TransactionOutcome::unknown ? kNever : paired.event.moment);
    return true;
  }

  bool add_operations(TransactionBuilder& txn, const PairedEvent& paired,
                      const JepsenOperation& operation) {
    const bool is_ok = paired.type == EventType::ok;
    if (operation.is_plain()) {
      return add_plain(txn, operation, is_ok ? ReadsSeen::all : ReadsSeen::some);
    }
    const Form& value = operation.value;
    const bool is_told = is_ok ? !value.is_nil() : is_micro_operations(value);
    if (is_told) return add(txn, value.nodes[0], is_ok ? ReadsSeen::all : ReadsSeen::some);
    return !paired.invocation || add_invoked(txn, *paired.invocation);
  }

  bool add_unfinished(const Invocation& open) {
    TransactionBuilder txn(history_, open.session, open.line);
    if (!add_invoked(txn, open)) return false;
    txn.end(TransactionOutcome::unknown, open.moment, kNever);
    return true;
  }

  bool add_invoked(TransactionBuilder& txn, const Invocation& invocation) {
    if (invocation.value_at == Invocation::kNoValue) return true;
    source_.read_again(invocation.value_at, scratch_);
    return scratch_.is_nil() || add(txn, scratch_.nodes[0], ReadsSeen::none);
  }

  bool add(TransactionBuilder& txn, const FormNode& value, ReadsSeen seen) {
    if (value.kind != FormKind::vector) {
      return fail(value.at, "the value of a transaction is no vector of micro-operations",
                  "write it as [[:r 1 nil] [:w 2 3] [:append 4 5]]");
    }
    for (const FormNode& operation : Inside(value)) {
      if (!add_operation(txn, operation, seen)) return false;
    }
    return true;
  }

  bool has_room(std::size_t at) {
    return history_.operations.size() < kMostOperations ||
           fail(at, "more than 2^32 - 16 operations", "split the history");
  }

  bool add_plain(TransactionBuilder& txn, const JepsenOperation& operation, ReadsSeen seen) {
    for (const PlainOperation& plain : operation.plain) {
      if (!has_room(operation.plain_at)) return false;
      const KeyId key = key_of(Value::number(plain.key));
      if (plain.action == KeyAction::write) {
        add_write(txn, key, Value::number(plain.number));
      } else if (plain.action == KeyAction::append) {
        add_append(txn, key, Value::number(plain.number));
      } else if (plain.kind == PlainOperation::Kind::number) {
        txn.read(key, Value::number(plain.number));
      } else if (plain.kind == PlainOperation::Kind::nil) {
        txn.read(key, seen == ReadsSeen::all ? kNil : kUnseen);
      } else {
        add_list_read(txn, key, elements_of(key, plain.numbers));
      }
    }
    return true;
  }

  void add_write(TransactionBuilder& txn, KeyId key, Value value) {
    uses_[key.index()].is_written = true;
    txn.write(key, value);
  }

  void add_append(TransactionBuilder& txn, KeyId key, Value value) {
    uses_[key.index()].is_appended = has_appends_ = true;
    txn.append(key, value);
  }

  void add_list_read(TransactionBuilder& txn, KeyId key, std::span<const Value> elements) {
    txn.read_list(key, elements);
    has_list_reads_ = true;
  }

  bool add_operation(TransactionBuilder& txn, const FormNode& operation, ReadsSeen seen) {
    if (!has_room(operation.at)) return false;
    std::array<const FormNode*, 3> parts{};
    std::size_t count = 0;
    if (operation.kind == FormKind::vector) {
      for (const FormNode& part : Inside(operation)) {
        if (count < parts.size()) parts[count] = &part;
        ++count;
      }
    }
    const auto action = count > 0 ? find_action(parts[0]->name()) : std::nullopt;
    if (!action || count < 2 || count > 3 || (count == 2 && *action != KeyAction::read)) {
      return fail(operation.at, "a micro-operation of a transaction that is not known",
                  "write [:r key value], [:w key value] or [:append key value]");
    }
    const KeyId key = key_of(values_.of(*whole(parts[1])));
    if (*action == KeyAction::read) {
      add_read(txn, key, parts[2], seen);
    } else if (*action == KeyAction::write) {
      add_write(txn, key, values_.of(*whole(parts[2])));
    } else {
      add_append(txn, key, values_.of(*whole(parts[2])));
    }
    return true;
  }

  // Cut into elements, until the next call.
  const FormNode* whole(const FormNode* form) {
    if (form->kind != FormKind::numbers) return form;
    source_.read_again(form->at, numbers_);
    return numbers_.nodes.data();
  }

  void add_read(TransactionBuilder& txn, KeyId key, const FormNode* result, ReadsSeen seen) {
    const bool is_nil = result == nullptr || result->kind == FormKind::nil;
    if (seen == ReadsSeen::none || (is_nil && seen == ReadsSeen::some)) {
      txn.read(key, kUnseen);
    } else if (is_nil) {
      txn.read(key, kNil);
    } else if (result->kind == FormKind::numbers || result->kind == FormKind::vector) {
      add_list_read(txn, key, elements_of(key, *result));
    } else {
      txn.read(key, values_.of(*result));
    }
  }

  // Of a vector that was read of the key; until the next call.
  std::span<const Value> elements_of(KeyId key, const FormNode& list) {
    if (list.kind == FormKind::numbers) return elements_of(key, list.text);
    return elements_of(list);
  }

  // Of a vector that was left as it stands.
  std::span<const Value> elements_of(KeyId key, std::string_view numbers) {
    if (key.index() >= numbers_of_key_.size()) numbers_of_key_.resize(key.index() + 1);
    if (const auto known = numbers_of_key_[key.index()].read(numbers)) return *known;
    const auto bracket = numbers.data() - source_.reader().bytes().data() - 1;
    source_.read_again(static_cast<std::size_t>(bracket), numbers_);
    return elements_of(numbers_.nodes[0]);
  }

  std::span<const Value> elements_of(const FormNode& vector) {
    elements_.clear();
    for (const FormNode& element : Inside(vector)) elements_.push_back(values_.of(element));
    return elements_;
  }

  KeyId key_of(Value name) {
    const KeyId key = keys_.of(name);
    if (key.index() >= uses_.size()) uses_.resize(history_.keys.size());
    return key;
  }

  // Makes what is known of earlier parts known here, and the other way round.
  void remember() {
    for (std::size_t key = 0; key < uses_.size(); ++key) {
      const Value name = history_.keys.name(KeyId(key));
      const char* const kind = name.is_number() ? "" : "\"";
      JepsenMemory::KeyUse& known = memory_->keys[kind + history_.texts.to_string(name)];
      known.is_appended = uses_[key].is_appended = uses_[key].is_appended || known.is_appended;
      known.is_written = uses_[key].is_written = uses_[key].is_written || known.is_written;
      memory_->has_writes = memory_->has_writes || known.is_written;
    }
    memory_->has_appends = has_appends_ = has_appends_ || memory_->has_appends;
    memory_->has_list_reads = has_list_reads_ = has_list_reads_ || memory_->has_list_reads;
  }

  void decide_actions() {
    if (memory_ != nullptr) remember();
    const bool has_writes = (memory_ != nullptr && memory_->has_writes) ||
                            std::ranges::any_of(uses_, &KeyUse::is_written);
    unwritten_is_list_ = has_appends_ || (has_list_reads_ && !has_writes);
    for (const RecordedTransaction& txn : history_.transactions) {
      for (std::size_t i = txn.first; i < std::size_t{txn.first} + txn.count; ++i) {
        if (!decide_action(txn, history_.operations[i])) return;
      }
    }
  }

  bool decide_action(const RecordedTransaction& txn, KeyOperation& operation) {
    const KeyUse use = uses_[operation.key.index()];
    if (use.is_appended && use.is_written) {
      return fail_at_line(txn, operation, "is both appended to and written",
                          "use different keys for lists and for registers");
    }
    const bool is_list = use.is_appended || (!use.is_written && unwritten_is_list_);
    if (operation.action == KeyAction::read_list && !is_list) {
      const auto elements = history_.lists[operation.list()];
      elements_.assign(elements.begin(), elements.end());
      operation.action = KeyAction::read;
      operation.value = values_.of_vector(elements_);
    } else if (operation.action == KeyAction::read && is_list) {
      operation.action = KeyAction::read_list;
      if (operation.value == kNil) {
        operation.value.code = static_cast<std::int64_t>(empty_list().index());
      } else if (operation.value != kUnseen) {
        return fail_at_line(txn, operation, "is a list, but was read as something else",
                            "let reads of lists return vectors, or nil for the empty one");
      }
    }
    return true;
  }

  ListId empty_list() {
    if (!empty_list_) empty_list_ = history_.lists.add({});
    return *empty_list_;
  }

  bool fail_at_line(const RecordedTransaction& txn, const KeyOperation& operation,
                    std::string_view what, std::string what_to_do) {
    const std::string key = history_.texts.to_string(history_.keys.name(operation.key));
    trouble_ = Diagnostic{.what = fmt::format("key {} {}", key, what),
                          .what_to_do = std::move(what_to_do),
                          .file = source_.reader().name(),
                          .position = {txn.line, 0}};
    return false;
  }

  // Without its invocation a transaction may have begun at any time.
  void decide_times() {
    history_.has_times = has_times_ && has_times_of_all_;
    if (history_.has_times) return;
    for (RecordedTransaction& txn : history_.transactions) {
      txn.began = 0;
      txn.ended = kNever;
    }
  }

  void name_sessions() {
    bool has_names = false;
    for (std::uint32_t i = 0; i < pairing_.session_count(); ++i) {
      const Value process = pairing_.process(i);
      has_names = has_names || process != kNil;
      history_.sessions.push_back(process == kNil ? fmt::format("s{}", i + 1)
                                                  : pairing_.process_names().to_string(process));
    }
    if (!has_names) history_.sessions.clear();
  }

  OperationSource& source_;
  JepsenMemory* memory_;
  EventPairing pairing_;
  TransactionHistory history_;
  FormValues values_;
  KeyTable keys_{history_.keys};
  std::vector<KeyUse> uses_;  // by key
  std::vector<RepeatedNumbers> numbers_of_key_;
  std::vector<Value> elements_;
  Form scratch_;
  Form numbers_;  // of a vector that was left as it stands
  std::optional<ListId> empty_list_;
  std::optional<Diagnostic> trouble_;
  bool has_appends_ = false;
  bool has_list_reads_ = false;
  bool unwritten_is_list_ = false;  // a key that is only read
  bool has_times_ = false;          // some invocation is in the file
  bool has_times_of_all_ = true;    // those of all committed transactions are
};

}  // namespace

bool is_transaction(const JepsenOperation& operation) {
  if (is_micro_operations(operation.value)) return true;
  return !operation.function.is_empty() && operation.function.nodes[0].name() == "txn";
}

Result<TransactionHistory> read_jepsen_transactions(OperationSource& source,
                                                    const ReadHistoryOptions& options) {
  return TransactionReader(source, options).read();
}

}  // namespace heddle
