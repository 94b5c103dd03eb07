// Histories in a few lines of text, for tests: one line for each transaction or call.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "frontend/history/jepsen.h"
#include "heddle/recorded_history.h"

namespace heddle {

inline std::string dump_moment(Moment moment) {
  return moment == kNever ? "never" : fmt::to_string(moment);
}

template <class History>
std::string dump_list(const History& history, ListId list) {
  std::string text;
  for (const Value element : history.lists[list]) {
    text += (text.empty() ? "" : " ") + history.texts.to_string(element);
  }
  return "[" + text + "]";
}

inline std::string dump_operation(const TransactionHistory& history,
                                  const KeyOperation& operation) {
  const bool has_list = operation.action == KeyAction::read_list && operation.value != kUnseen;
  return fmt::format("{} {} {}", to_string(operation.action),
                     history.texts.to_string(history.keys.name(operation.key)),
                     has_list ? dump_list(history, operation.list())
                     : operation.action == KeyAction::read_list
                         ? "list?"
                         : history.texts.to_string(operation.value));
}

// "0 committed 1-2: r x nil, w y 3"; times only where the history has them.
inline std::string dump_history(const TransactionHistory& history) {
  std::string text;
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    const RecordedTransaction& txn = history.transactions[i];
    text += history.sessions.empty() ? fmt::format("s{}", txn.session + 1)
                                     : history.sessions[txn.session];
    text += fmt::format(" {}", to_string(txn.outcome));
    if (history.has_times) {
      text += fmt::format(" {}-{}", dump_moment(txn.began), dump_moment(txn.ended));
    }
    const char* separator = ":";
    for (const KeyOperation& operation : history.operations_of(TransactionId(i))) {
      text += fmt::format("{} {}", separator, dump_operation(history, operation));
      separator = ",";
    }
    text += "\n";
  }
  return text;
}

// "0 read -> 3 1-2", "1 write 4 failed 3-5"; the model in front.
inline std::string dump_history(const ObjectHistory& history) {
  std::string text = fmt::format("{} initially {}\n", to_string(history.model),
                                 history.texts.to_string(history.initial));
  for (const ObjectCall& call : history.calls) {
    text += fmt::format("{} {}", call.process, to_string(call.function));
    const Value object = history.objects.name(call.object);
    if (object != kNil) text += " of " + history.texts.to_string(object);
    if (call.argument != kNil) text += " " + history.texts.to_string(call.argument);
    if (call.second != kNil) text += " " + history.texts.to_string(call.second);
    if (call.result_is_list) {
      text += " -> " + dump_list(history, ListId(static_cast<std::size_t>(call.result.code)));
    } else if (call.result != kUnseen) {
      text += " -> " + history.texts.to_string(call.result);
    }
    if (call.outcome != CallOutcome::ok) {
      text += call.outcome == CallOutcome::failed ? " failed" : " unknown";
    }
    text += fmt::format(" {}-{}\n", dump_moment(call.called), dump_moment(call.returned));
  }
  return text;
}

inline std::string dump_history(const RecordedHistory& history) {
  return std::visit([](const auto& either) { return dump_history(either); }, history);
}

// What a test reads, or the complaint, or what is not well formed about it.
inline std::string dump_read(std::string_view text, HistoryFormat format,
                             const ReadHistoryOptions& options) {
  const Result<RecordedHistory> history = read_jepsen(text, "file", format, options);
  if (!history) return to_string(history.error());
  const auto flaw = std::visit([](const auto& either) { return find_flaw(either); }, *history);
  return flaw ? "flaw: " + *flaw : dump_history(*history);
}

}  // namespace heddle
