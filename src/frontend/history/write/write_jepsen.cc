// Transactions as Jepsen writes them. Where times are known, every transaction is invoked and
// completed at its moments. Where they are not, there are completions only, from which no reader
// can conclude what happened before what.

#include <algorithm>

#include <fmt/format.h>

#include "frontend/history/write/write_formats.h"
#include "frontend/history/write/write_jepsen_events.h"

namespace heddle {

namespace {

// How a reader without further knowledge tells lists from registers (jepsen.h).
class ListKeys {
 public:
  explicit ListKeys(const TransactionHistory& history)
      : is_appended_(history.keys.size(), false), is_written_(history.keys.size(), false) {
    for (const KeyOperation& operation : history.operations) {
      if (operation.action == KeyAction::append) is_appended_[operation.key.index()] = true;
      if (operation.action == KeyAction::write) is_written_[operation.key.index()] = true;
      reads_lists_ =
          reads_lists_ || (operation.action == KeyAction::read_list && operation.value != kUnseen);
    }
    has_appends_ = std::ranges::find(is_appended_, true) != is_appended_.end();
    has_writes_ = std::ranges::find(is_written_, true) != is_written_.end();
  }

  // Whether the reader takes the key for what this operation takes it for.
  bool fits(const KeyOperation& operation) const {
    const bool is_appended = is_appended_[operation.key.index()];
    const bool is_written = is_written_[operation.key.index()];
    if (is_appended && is_written) return false;
    const bool is_list =
        is_appended || (!is_written && (has_appends_ || (reads_lists_ && !has_writes_)));
    const bool uses_list =
        operation.action == KeyAction::append || operation.action == KeyAction::read_list;
    return is_list == uses_list || operation.value == kUnseen;
  }

 private:
  std::vector<bool> is_appended_;
  std::vector<bool> is_written_;
  bool reads_lists_ = false;
  bool has_appends_ = false;
  bool has_writes_ = false;
};

class JepsenTransactionWriter {
 public:
  JepsenTransactionWriter(const TransactionHistory& history, HistoryFormat format)
      : history_(history), format_(format), syntax_(format, history.texts) {}

  Result<std::string> write() {
    if (auto obstacle = find_obstacle()) return std::move(*obstacle);
    const std::vector<std::string> processes = session_numbers(history_);
    std::optional<std::vector<JepsenEvent>> events = order_events();
    if (!events) {
      return cannot_write(format_, "a session has two transactions at the same time");
    }
    std::string out;
    for (std::size_t i = 0; i < events->size(); ++i) {
      const JepsenEvent& event = (*events)[i];
      const RecordedTransaction& txn = history_.transactions[event.span];
      const std::string_view type = event.is_completion ? completion(txn.outcome) : "invoke";
      syntax_.begin_event(out, i, processes[txn.session], type, "txn");
      syntax_.member(out, "value");
      write_operations(out, event);
      syntax_.end_event(out);
    }
    return out;
  }

 private:
  static std::string_view completion(TransactionOutcome outcome) {
    switch (outcome) {
      case TransactionOutcome::committed:
        return "ok";
      case TransactionOutcome::aborted:
        return "fail";
      default:
        return "info";
    }
  }

  std::optional<std::vector<JepsenEvent>> order_events() const {
    if (!history_.has_times) {
      std::vector<JepsenEvent> events;
      for (std::uint32_t i = 0; i < history_.transactions.size(); ++i) events.push_back({i, true});
      return events;
    }
    std::vector<JepsenSpan> spans;
    for (const RecordedTransaction& txn : history_.transactions) {
      spans.push_back(
          {txn.session, txn.began, txn.ended, txn.outcome != TransactionOutcome::unknown});
    }
    return order_jepsen_events(spans);
  }

  void write_operations(std::string& out, const JepsenEvent& event) const {
    out += '[';
    std::string_view before;
    for (const KeyOperation& operation : history_.operations_of(TransactionId(event.span))) {
      out += before;
      out += '[';
      syntax_.word(out, to_string(operation.action));
      out += syntax_.separator();
      syntax_.value(out, history_.keys.name(operation.key));
      out += syntax_.separator();
      write_value(out, operation, event.is_completion);
      out += ']';
      before = syntax_.separator();
    }
    out += ']';
  }

  void write_value(std::string& out, const KeyOperation& operation, bool is_completion) const {
    const bool is_read =
        operation.action == KeyAction::read || operation.action == KeyAction::read_list;
    if (is_read && (!is_completion || operation.value == kUnseen || is_initial(operation))) {
      syntax_.value(out, kNil);
    } else if (operation.action == KeyAction::read_list) {
      syntax_.list(out, history_.lists[operation.list()]);
    } else {
      syntax_.value(out, operation.value);
    }
  }

  bool is_initial(const KeyOperation& operation) const {
    return operation.action == KeyAction::read && history_.initial &&
           operation.value == *history_.initial;
  }

  std::optional<Diagnostic> find_obstacle() const {
    if (history_.transactions.empty()) return cannot_write(format_, "nothing happens in it");
    const ListKeys lists(history_);
    for (std::size_t i = 0; i < history_.transactions.size(); ++i) {
      const bool committed = history_.transactions[i].outcome == TransactionOutcome::committed;
      for (const KeyOperation& operation : history_.operations_of(TransactionId(i))) {
        std::optional<std::string> obstacle = find_obstacle(operation, committed);
        if (!lists.fits(operation)) obstacle = "lists cannot be told from registers";
        if (!obstacle) continue;
        return cannot_write(format_, describe_transaction(history_, i) + ": " + *obstacle);
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> find_obstacle(const KeyOperation& operation, bool committed) const {
    const bool is_read =
        operation.action == KeyAction::read || operation.action == KeyAction::read_list;
    if (!syntax_.is_expressible(history_.keys.name(operation.key))) return "a key that is no text";
    if (is_read && operation.value == kUnseen) {
      if (!committed) return std::nullopt;
      return "it committed without being told what it read";
    }
    if (operation.action == KeyAction::read_list) {
      const auto elements = history_.lists[operation.list()];
      const bool good = std::ranges::all_of(
          elements, [&](Value element) { return syntax_.is_expressible(element); });
      return good ? std::nullopt : std::optional<std::string>("an element that is no text");
    }
    if (!syntax_.is_expressible(operation.value)) return "a value that is no text";
    return find_obstacle_of_initial(operation);
  }

  // Registers are nil at first, so another initial value is written as nil, which therefore must
  // not be there with another meaning.
  std::optional<std::string> find_obstacle_of_initial(const KeyOperation& operation) const {
    if (history_.initial == kNil || operation.action == KeyAction::append) return std::nullopt;
    const bool is_write = operation.action == KeyAction::write;
    if (operation.value == kNil || (is_write && operation.value == history_.initial)) {
      return "nil is the initial value there, but here also another one";
    }
    return std::nullopt;
  }

  const TransactionHistory& history_;
  HistoryFormat format_;
  JepsenSyntax syntax_;
};

}  // namespace

Result<std::string> write_jepsen(const TransactionHistory& history, HistoryFormat format) {
  return JepsenTransactionWriter(history, format).write();
}

}  // namespace heddle
