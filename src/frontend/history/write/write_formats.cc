#include "frontend/history/write/write_formats.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include <fmt/format.h>

#include "frontend/history/plume_zero.h"

namespace heddle {

namespace {

constexpr Value kZero = Value::number(0);

// Digits as they would be written, of at most 64 bits.
std::optional<std::uint64_t> parse_digits(std::string_view text) {
  if (text.empty() || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Diagnostic cannot_write(HistoryFormat format, const std::string& why) {
  return {fmt::format("the {} format cannot express this history: {}", to_string(format), why),
          "heddle's own format can express every history"};
}

std::string session_name(const TransactionHistory& history, std::uint32_t session) {
  return session < history.sessions.size() ? history.sessions[session]
                                           : fmt::format("s{}", session + 1);
}

std::string describe_transaction(const TransactionHistory& history, std::size_t index) {
  const std::uint32_t session = history.transactions[index].session;
  const auto begin = history.transactions.begin();
  const auto place =
      std::count_if(begin, begin + static_cast<std::ptrdiff_t>(index) + 1,
                    [&](const RecordedTransaction& txn) { return txn.session == session; });
  return fmt::format("transaction {} of session {}", place, session_name(history, session));
}

std::vector<std::vector<std::uint32_t>> group_by_session(const TransactionHistory& history) {
  std::vector<std::vector<std::uint32_t>> groups(history.sessions.size());
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    const std::uint32_t session = history.transactions[i].session;
    if (session >= groups.size()) groups.resize(session + std::size_t{1});
    groups[session].push_back(static_cast<std::uint32_t>(i));
  }
  return groups;
}

std::vector<std::string> session_numbers(const TransactionHistory& history) {
  const std::size_t count = group_by_session(history).size();
  std::unordered_set<std::string> names;
  for (const std::string& name : history.sessions) {
    const std::optional<std::uint64_t> number = parse_digits(name);
    if (number && *number <= std::numeric_limits<std::int64_t>::max()) names.insert(name);
  }
  if (names.size() == count && history.sessions.size() == count) return history.sessions;
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(fmt::to_string(i));
  return numbers;
}

std::optional<Diagnostic> NumericHistory::prepare() {
  number_keys();
  for (std::size_t i = 0; i < history_.transactions.size(); ++i) {
    std::optional<std::string> obstacle;
    if (history_.transactions[i].outcome == TransactionOutcome::unknown) {
      obstacle = "nobody knows whether it committed";
    }
    for (const KeyOperation& operation : history_.operations_of(TransactionId(i))) {
      if (!obstacle) obstacle = find_obstacle(operation);
    }
    if (obstacle) {
      return cannot_write(format_, describe_transaction(history_, i) + ": " + *obstacle);
    }
  }
  if (const auto obstacle = find_obstacle_of_initial()) return cannot_write(format_, *obstacle);
  return std::nullopt;
}

std::uint64_t NumericHistory::value(const KeyOperation& operation) const {
  const bool is_initial = history_.initial && operation.value == *history_.initial;
  if (is_initial && initial_is_zero_ && !is_write(operation)) return 0;
  return number_of(operation.value).value_or(0);
}

// A text is only taken for a number where reading that number would give the text again.
std::optional<std::uint64_t> NumericHistory::number_of(Value value) const {
  if (value == kNil || value == kUnseen) return std::nullopt;
  if (value.is_number()) {
    if (value.code < 0) return std::nullopt;
    return static_cast<std::uint64_t>(value.code);
  }
  const std::optional<std::uint64_t> number = parse_digits(history_.texts.to_string(value));
  if (!number || *number <= std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return number;
}

void NumericHistory::number_keys() {
  for (std::size_t i = 0; i < history_.keys.size(); ++i) {
    const std::optional<std::uint64_t> number = number_of(history_.keys.name(KeyId(i)));
    if (!number) break;
    keys_.push_back(*number);
  }
  if (keys_.size() == history_.keys.size()) return;
  keys_.clear();
  for (std::size_t i = 0; i < history_.keys.size(); ++i) keys_.push_back(i);
}

std::optional<std::string> NumericHistory::find_obstacle(const KeyOperation& operation) const {
  if (operation.action == KeyAction::append || operation.action == KeyAction::read_list) {
    return "it uses lists";
  }
  if (!is_seen(operation) && !is_write(operation)) return std::nullopt;
  const bool is_initial_read =
      history_.initial && operation.value == *history_.initial && !is_write(operation);
  if (is_initial_read && !initial_is_zero_) return "it reads the initial value of a key";
  if (is_initial_read || number_of(operation.value)) return std::nullopt;
  return fmt::format("its value {} is no number from 0 on",
                     history_.texts.to_string(operation.value));
}

std::optional<std::string> NumericHistory::find_obstacle_of_initial() const {
  if (!initial_is_zero_) return std::nullopt;
  if (history_.initial) {
    const bool is_ambiguous =
        std::ranges::any_of(history_.operations, [&](const KeyOperation& operation) {
          return operation.value == kZero && (is_write(operation) || *history_.initial != kZero);
        });
    if (is_ambiguous) return "0 is the initial value there, but here also another one";
    return std::nullopt;
  }
  const bool reads_zero =
      std::ranges::any_of(history_.operations, [](const KeyOperation& operation) {
        return operation.action == KeyAction::read && operation.value == kZero;
      });
  if (has_initial_sessions(history_) || (reads_zero && !zeros_are_written(history_))) {
    return "0 is the initial value there, but here it is not";
  }
  return std::nullopt;
}

}  // namespace heddle
