// For tests and fuzzers: everything a recorded history says, as text that reads like an outline.
// Keys, values and sessions appear by name, lists by their elements, so that two histories have the
// same text if and only if they say the same. Lines are left out.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "frontend/history/lines_json.h"
#include "heddle/recorded_history.h"

namespace heddle {

inline std::string spell_value(Value value, const ValueTexts& texts) {
  std::string out;
  append_json_value(out, value, texts);
  return out;
}

inline std::string spell_list(std::span<const Value> elements, const ValueTexts& texts) {
  std::string out = "[";
  for (const Value element : elements) out += spell_value(element, texts) + " ";
  return out + "]";
}

inline std::string spell_operation(const TransactionHistory& history,
                                   const KeyOperation& operation) {
  const bool has_list = operation.action == KeyAction::read_list && operation.value != kUnseen;
  return fmt::format(" {}{}({})={}", to_string(operation.action),
                     operation.action == KeyAction::read_list ? "-list" : "",
                     spell_value(history.keys.name(operation.key), history.texts),
                     has_list ? spell_list(history.lists[operation.list()], history.texts)
                              : spell_value(operation.value, history.texts));
}

inline std::string spell_session(const TransactionHistory& history, std::uint32_t session) {
  return session < history.sessions.size() ? history.sessions[session]
                                           : fmt::format("#{}", session);
}

inline std::string spell_transaction(const TransactionHistory& history, std::size_t index) {
  const RecordedTransaction& txn = history.transactions[index];
  std::string out =
      fmt::format("{} {}", spell_session(history, txn.session), to_string(txn.outcome));
  if (history.has_times) out += fmt::format(" [{}, {}]", txn.began, txn.ended);
  for (const KeyOperation& operation : history.operations_of(TransactionId(index))) {
    out += spell_operation(history, operation);
  }
  return out + "\n";
}

inline std::string spell_history(const TransactionHistory& history) {
  std::string out = fmt::format(
      "initial {}{}\n", history.initial ? spell_value(*history.initial, history.texts) : "none",
      history.has_times ? ", times" : "");
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    out += spell_transaction(history, i);
  }
  return out;
}

inline std::string spell_history(const ObjectHistory& history) {
  std::string out = fmt::format("{} initial {} permits {}\n", to_string(history.model),
                                spell_value(history.initial, history.texts), history.permits);
  for (const ObjectCall& call : history.calls) {
    const auto value = [&](Value some) { return spell_value(some, history.texts); };
    const std::string result =
        call.result_is_list
            ? spell_list(history.lists[ListId(static_cast<std::size_t>(call.result.code))],
                         history.texts)
            : value(call.result);
    out += fmt::format("{} {}({}, {}, {})={} {} [{}, {}]\n", call.process, to_string(call.function),
                       value(history.objects.name(call.object)), value(call.argument),
                       value(call.second), result, static_cast<int>(call.outcome), call.called,
                       call.returned);
  }
  return out;
}

inline std::string spell_history(const RecordedHistory& history) {
  return std::visit([](const auto& shape) { return spell_history(shape); }, history);
}

}  // namespace heddle
