// The formats whose histories are nothing but numbers. Transactions without operations that can be
// written are left out of the lines of Plume and AWDIT, which have no place for them.

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "frontend/history/write/write_formats.h"

namespace heddle {

namespace {

void append_line(std::string& out, std::string_view form, const NumericHistory& numbers,
                 const KeyOperation& operation) {
  fmt::format_to(std::back_inserter(out), fmt::runtime(form),
                 NumericHistory::is_write(operation) ? 'w' : 'r', numbers.key(operation),
                 numbers.value(operation));
}

void append_little_endian(std::string& out, std::uint64_t number) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>(number >> (8 * i) & 0xFF);
}

struct DbcopParameters {
  std::uint64_t sessions = 0;
  std::uint64_t keys = 0;
  std::uint64_t transactions = 0;  // the most in a session
  std::uint64_t events = 0;        // the most in a transaction
};

DbcopParameters find_parameters(const TransactionHistory& history,
                                const std::vector<std::vector<std::uint32_t>>& sessions) {
  DbcopParameters parameters;
  parameters.sessions = sessions.size();
  parameters.keys = history.keys.size();
  for (const auto& session : sessions) {
    parameters.transactions = std::max<std::uint64_t>(parameters.transactions, session.size());
  }
  for (const RecordedTransaction& txn : history.transactions) {
    parameters.events = std::max<std::uint64_t>(parameters.events, txn.count);
  }
  return parameters;
}

// dbcop wants to know when the history was recorded; the model does not.
constexpr std::string_view kOrigin = "written by heddle";
constexpr std::string_view kTime = "1970-01-01T00:00:00+00:00";

void append_json_event(std::string& out, const NumericHistory& numbers,
                       const KeyOperation& operation) {
  fmt::format_to(std::back_inserter(out), R"({{"{}": {{"variable": {}, "version": {}}}}})",
                 NumericHistory::is_write(operation) ? "Write" : "Read", numbers.key(operation),
                 numbers.value(operation));
}

}  // namespace

Result<std::string> write_plume(const TransactionHistory& history) {
  NumericHistory numbers(history, HistoryFormat::plume, /*initial_is_zero=*/true);
  if (const auto trouble = numbers.prepare()) return *trouble;
  const std::vector<std::string> sessions = session_numbers(history);
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    const RecordedTransaction& txn = history.transactions[i];
    const bool aborted = txn.outcome == TransactionOutcome::aborted;
    const std::string number = aborted ? "-1" : fmt::to_string(next++);
    for (const KeyOperation& operation : history.operations_of(TransactionId(i))) {
      if (!NumericHistory::is_seen(operation)) continue;
      append_line(out, "{}({},{}", numbers, operation);
      fmt::format_to(std::back_inserter(out), ",{},{})\n", sessions[txn.session], number);
    }
  }
  return out;
}

Result<std::string> write_awdit(const TransactionHistory& history) {
  NumericHistory numbers(history, HistoryFormat::awdit, /*initial_is_zero=*/false);
  if (const auto trouble = numbers.prepare()) return *trouble;
  std::string out;
  std::string_view session_separator;
  for (const auto& session : group_by_session(history)) {
    std::string_view separator = session_separator;
    for (const std::uint32_t index : session) {
      if (history.transactions[index].outcome == TransactionOutcome::aborted) {
        return cannot_write(HistoryFormat::awdit,
                            describe_transaction(history, index) + " did not commit");
      }
      for (const KeyOperation& operation : history.operations_of(TransactionId(index))) {
        if (!NumericHistory::is_seen(operation)) continue;
        out += separator;
        append_line(out, "{} {} {}\n", numbers, operation);
        separator = "";
        session_separator = "=====\n";
      }
      if (separator.empty() && !out.empty()) separator = "-----\n";
    }
  }
  return out;
}

Result<std::string> write_dbcop_bincode(const TransactionHistory& history) {
  NumericHistory numbers(history, HistoryFormat::dbcop_bincode, /*initial_is_zero=*/true);
  if (const auto trouble = numbers.prepare()) return *trouble;
  const auto sessions = group_by_session(history);
  const DbcopParameters parameters = find_parameters(history, sessions);
  std::string out;
  for (const std::uint64_t number : {std::uint64_t{0}, parameters.sessions, parameters.keys,
                                     parameters.transactions, parameters.events}) {
    append_little_endian(out, number);
  }
  for (const std::string_view text : {kOrigin, kTime, kTime}) {
    append_little_endian(out, text.size());
    out += text;
  }
  append_little_endian(out, sessions.size());
  for (const auto& session : sessions) {
    append_little_endian(out, session.size());
    for (const std::uint32_t index : session) {
      const RecordedTransaction& txn = history.transactions[index];
      append_little_endian(out, txn.count);
      for (const KeyOperation& operation : history.operations_of(TransactionId(index))) {
        out += static_cast<char>(NumericHistory::is_write(operation));
        append_little_endian(out, numbers.key(operation));
        append_little_endian(out, numbers.value(operation));
        out += static_cast<char>(NumericHistory::is_seen(operation));
      }
      out += static_cast<char>(txn.outcome == TransactionOutcome::committed);
    }
  }
  return out;
}

Result<std::string> write_dbcop_json(const TransactionHistory& history) {
  NumericHistory numbers(history, HistoryFormat::dbcop_json, /*initial_is_zero=*/true);
  if (const auto trouble = numbers.prepare()) return *trouble;
  const auto sessions = group_by_session(history);
  const DbcopParameters parameters = find_parameters(history, sessions);
  std::string out = fmt::format(
      R"({{"params": {{"id": 0, "n_node": {}, "n_variable": {}, "n_transaction": {}, "n_event": {}}},
"info": "{}", "start": "{}", "end": "{}",
"data": [)",
      parameters.sessions, parameters.keys, parameters.transactions, parameters.events, kOrigin,
      kTime, kTime);
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    out += s == 0 ? "\n[" : ",\n[";
    for (std::size_t i = 0; i < sessions[s].size(); ++i) {
      const std::uint32_t index = sessions[s][i];
      out += i == 0 ? "{\"events\": [" : ",\n {\"events\": [";
      const char* separator = "";
      for (const KeyOperation& operation : history.operations_of(TransactionId(index))) {
        if (!NumericHistory::is_seen(operation)) continue;
        out += separator;
        append_json_event(out, numbers, operation);
        separator = ", ";
      }
      const bool committed = history.transactions[index].outcome == TransactionOutcome::committed;
      out += committed ? "], \"committed\": true}" : "], \"committed\": false}";
    }
    out += "]";
  }
  return out + "]}\n";
}

}  // namespace heddle
