// Transactions are numbered from 1. Where times are known, a transaction begins at its b and ends
// with its c or a, and its operations stand right in front of its end; else one transaction follows
// the other, and the text says that this means nothing.

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "frontend/history/textbook_token.h"
#include "frontend/history/write/write_formats.h"

namespace heddle {

namespace {

// A transaction begins or ends.
struct BeginOrEnd {
  Moment moment = 0;
  bool is_end = false;
  std::uint32_t transaction = 0;

  friend auto operator<=>(const BeginOrEnd&, const BeginOrEnd&) = default;
};

// What happens at one moment is not ordered by time, which is so if begins come first.
std::vector<BeginOrEnd> order_events(const TransactionHistory& history) {
  std::vector<BeginOrEnd> events;
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    const RecordedTransaction& txn = history.transactions[i];
    const auto number = static_cast<std::uint32_t>(i);
    const bool has_ended = txn.outcome != TransactionOutcome::unknown;
    events.push_back({history.has_times ? txn.began : 0, false, number});
    events.push_back({history.has_times && has_ended ? txn.ended : kNever, true, number});
  }
  if (history.has_times) std::ranges::sort(events);
  return events;
}

class TextbookWriter {
 public:
  explicit TextbookWriter(const TransactionHistory& history) : history_(history) {}

  Result<std::string> write() {
    if (auto obstacle = find_obstacle()) return std::move(*obstacle);
    write_directives();
    const std::vector<BeginOrEnd> events = order_events(history_);
    for (std::size_t i = 0; i < events.size(); ++i) {
      const BeginOrEnd& event = events[i];
      if (event.is_end) {
        write_end(event.transaction);
      } else if (i + 1 == events.size() || events[i + 1].transaction != event.transaction ||
                 history_.transactions[event.transaction].count == 0) {
        // The operations that follow at once would show the beginning.
        add(fmt::format("b{}", event.transaction + 1));
      }
    }
    if (!line_.empty()) end_line();
    return std::move(out_);
  }

 private:
  std::optional<Diagnostic> find_obstacle() const {
    for (std::size_t i = 0; i < history_.transactions.size(); ++i) {
      for (const KeyOperation& operation : history_.operations_of(TransactionId(i))) {
        if (!is_expressible(operation)) {
          return cannot_write(HistoryFormat::textbook,
                              describe_transaction(history_, i) + " writes or reads \"?\"");
        }
      }
    }
    return std::nullopt;
  }

  bool is_expressible(const KeyOperation& operation) const {
    if (history_.keys.name(operation.key) == kUnseen) return false;
    if (operation.action == KeyAction::read || operation.value != kUnseen) {
      if (operation.action != KeyAction::read_list) return true;
      return std::ranges::find(history_.lists[operation.list()], kUnseen) ==
             history_.lists[operation.list()].end();
    }
    return operation.action == KeyAction::read_list;
  }

  void write_directives() {
    out_ += "initial: ";
    if (!history_.initial) {
      out_ += "none";
    } else if (*history_.initial == kUnseen) {
      out_ += "nil";
    } else {
      append_value(*history_.initial);
    }
    out_ += '\n';
    if (!history_.has_times) out_ += "times: none\n";
    const auto sessions = group_by_session(history_);
    const bool each_is_one =
        history_.sessions.empty() &&
        std::ranges::all_of(sessions, [](const auto& session) { return session.size() == 1; });
    if (each_is_one) return;
    for (std::size_t s = 0; s < sessions.size(); ++s) {
      out_ += "session ";
      append_textbook_text(out_, session_name(history_, static_cast<std::uint32_t>(s)));
      out_ += ':';
      for (const std::uint32_t index : sessions[s]) {
        fmt::format_to(std::back_inserter(out_), " {}", index + 1);
      }
      out_ += '\n';
    }
  }

  // The text "none" would say that there is no initial value.
  void append_value(Value value) {
    const std::size_t begin = out_.size();
    append_textbook_value(out_, value, history_.texts);
    if (out_.substr(begin) == "none") out_.replace(begin, std::string::npos, "\"none\"");
  }

  void write_end(std::uint32_t index) {
    for (const KeyOperation& operation : history_.operations_of(TransactionId(index))) {
      add(operation_text(index, operation));
    }
    const TransactionOutcome outcome = history_.transactions[index].outcome;
    if (outcome == TransactionOutcome::unknown) return;
    add(fmt::format("{}{}", outcome == TransactionOutcome::committed ? 'c' : 'a', index + 1));
  }

  std::string operation_text(std::uint32_t index, const KeyOperation& operation) const {
    std::string text = fmt::format("{}{}[", to_string(operation.action), index + 1);
    append_textbook_value(text, history_.keys.name(operation.key), history_.texts);
    text += '=';
    if (operation.action != KeyAction::read_list) {
      append_textbook_value(text, operation.value, history_.texts);
      return text + ']';
    }
    if (operation.value == kUnseen) return text + "[?]]";
    text += '[';
    const char* separator = "";
    for (const Value element : history_.lists[operation.list()]) {
      text += separator;
      append_textbook_value(text, element, history_.texts);
      separator = " ";
    }
    return text + "]]";
  }

  void add(const std::string& step) {
    constexpr std::size_t kLineWidth = 100;
    if (!line_.empty() && line_.size() + 1 + step.size() > kLineWidth) end_line();
    if (!line_.empty()) line_ += ' ';
    line_ += step;
  }

  void end_line() {
    out_ += line_ + '\n';
    line_.clear();
  }

  const TransactionHistory& history_;
  std::string out_;
  std::string line_;
};

}  // namespace

Result<std::string> write_textbook(const TransactionHistory& history) {
  return TextbookWriter(history).write();
}

}  // namespace heddle
