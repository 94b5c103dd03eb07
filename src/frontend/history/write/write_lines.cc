#include <array>
#include <iterator>

#include <fmt/format.h>

#include "frontend/history/lines.h"
#include "frontend/history/lines_json.h"
#include "frontend/history/write/write_formats.h"

namespace heddle {

namespace {

template <class Elements>
void append_list(std::string& out, const Elements& elements, const ValueTexts& texts) {
  out += '[';
  const char* separator = "";
  for (const Value element : elements) {
    out += separator;
    append_json_value(out, element, texts);
    separator = ", ";
  }
  out += ']';
}

void append_member(std::string& out, std::string_view name, Value value, const ValueTexts& texts) {
  fmt::format_to(std::back_inserter(out), ", \"{}\": ", name);
  append_json_value(out, value, texts);
}

void append_member(std::string& out, std::string_view name, Moment moment) {
  fmt::format_to(std::back_inserter(out), ", \"{}\": {}", name, moment);
}

void append_operation(std::string& out, const TransactionHistory& history,
                      const KeyOperation& operation) {
  const bool is_list = operation.action == KeyAction::read_list;
  const bool is_unseen = operation.value == kUnseen;
  out += "[\"";
  out += is_list && is_unseen ? "r-list" : to_string(operation.action);
  out += "\", ";
  append_json_value(out, history.keys.name(operation.key), history.texts);
  if (is_list && !is_unseen) {
    out += ", ";
    append_list(out, history.lists[operation.list()], history.texts);
  } else if (!is_unseen || !(is_list || operation.action == KeyAction::read)) {
    out += ", ";
    append_json_value(out, operation.value, history.texts);
  }
  out += ']';
}

void append_header(std::string& out, const TransactionHistory& history) {
  out += R"({"heddle": "history/1", "shape": "transactions")";
  if (history.initial) append_member(out, "initial", *history.initial, history.texts);
  if (history.has_times) out += ", \"times\": true";
  if (!history.sessions.empty()) {
    out += ", \"sessions\": [";
    const char* separator = "";
    for (const std::string& name : history.sessions) {
      out += separator;
      append_json_text(out, name);
      separator = ", ";
    }
    out += ']';
  }
  out += "}\n";
}

void append_call(std::string& out, const ObjectHistory& history, const ObjectCall& call) {
  fmt::format_to(std::back_inserter(out), R"({{"process": {}, "function": "{}")", call.process,
                 to_string(call.function));
  const Value object = history.objects.name(call.object);
  if (object != kNil) append_member(out, "object", object, history.texts);
  if (call.argument != kNil) append_member(out, "argument", call.argument, history.texts);
  if (call.second != kNil) append_member(out, "second", call.second, history.texts);
  if (call.result_is_list) {
    out += ", \"result\": ";
    append_list(out, history.lists[ListId(static_cast<std::size_t>(call.result.code))],
                history.texts);
  } else if (call.result != kUnseen) {
    append_member(out, "result", call.result, history.texts);
  }
  if (call.outcome != CallOutcome::ok) {
    fmt::format_to(std::back_inserter(out), ", \"outcome\": \"{}\"",
                   kCallOutcomes[static_cast<std::size_t>(call.outcome)]);
  }
  append_member(out, "called", call.called);
  if (call.returned != kNever) append_member(out, "returned", call.returned);
  out += "}\n";
}

}  // namespace

std::string write_heddle_lines(const TransactionHistory& history) {
  std::string out;
  append_header(out, history);
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    const RecordedTransaction& txn = history.transactions[i];
    fmt::format_to(std::back_inserter(out), "{{\"session\": {}", txn.session);
    if (txn.outcome != TransactionOutcome::committed) {
      fmt::format_to(std::back_inserter(out), ", \"outcome\": \"{}\"", to_string(txn.outcome));
    }
    if (history.has_times) append_member(out, "began", txn.began);
    if (history.has_times && txn.ended != kNever) append_member(out, "ended", txn.ended);
    out += ", \"ops\": [";
    const char* separator = "";
    for (const KeyOperation& operation : history.operations_of(TransactionId(i))) {
      out += separator;
      append_operation(out, history, operation);
      separator = ", ";
    }
    out += "]}\n";
  }
  return out;
}

std::string write_heddle_lines(const ObjectHistory& history) {
  std::string out = fmt::format(R"({{"heddle": "history/1", "shape": "calls", "model": "{}")",
                                to_string(history.model));
  append_member(out, "initial", history.initial, history.texts);
  if (history.permits != 1) append_member(out, "permits", Moment{history.permits});
  out += "}\n";
  for (const ObjectCall& call : history.calls) append_call(out, history, call);
  return out;
}

}  // namespace heddle
