// Each line is one operation and names its session and its transaction, so the lines of several
// transactions may be mixed. While they are not, operations are stored where they will stay; a
// transaction that comes back after another one makes a second run, and then all runs are put in
// order once at the end.
//
// Transaction -1 is what Plume and IsoVista call the writes of aborted transactions, without saying
// of which: neighbouring lines of one session count as one transaction. PolySI gives its initial
// transaction the number -1 in session -1; that one is committed. See also plume_zero.h.

#include "frontend/history/plume.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "frontend/history/forms/byte_reader.h"
#include "frontend/history/plume_zero.h"

namespace heddle {

namespace {

struct TransactionName {
  std::int64_t session = 0;
  std::int64_t number = 0;

  bool operator==(const TransactionName&) const = default;
  bool is_aborted() const { return number == -1 && session != -1; }
};

struct TransactionNameHash {
  std::size_t operator()(const TransactionName& name) const {
    const auto mixed = static_cast<std::uint64_t>(name.number) * 0x9E3779B97F4A7C15U +
                       static_cast<std::uint64_t>(name.session) * 0xC2B2AE3D27D4EB4FU;
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
  }
};

class PlumeReader {
 public:
  PlumeReader(std::string_view bytes, const std::string& name)
      : cursor_(bytes, name), key_table_(history_.keys) {
    const std::size_t lines = count_lines(bytes, /*shortest=*/10);
    history_.operations.reserve(lines);
    table_limit_ = 4 * lines;
  }

  Result<TransactionHistory> read() {
    for (cursor_.skip_white_space(); !cursor_.at_end() && !interrupted();
         cursor_.skip_white_space()) {
      const std::uint32_t line = cursor_.line();
      KeyOperation operation;
      TransactionName name;
      if (!read_operation(operation, name)) return *trouble_;
      if (history_.operations.size() >= kMostOperations) {
        return cursor_.error("more operations than 2^32 - 16");
      }
      if (runs_.empty() || name != current_) enter(name, line);
      history_.operations.push_back(operation);
      ++history_.transactions[runs_.back().transaction].count;
    }
    put_runs_in_order();
    drop_initial_sessions(history_);
    settle_zeros(history_);
    return std::move(history_);
  }

 private:
  struct Entry {
    std::int64_t session = 0;
    std::uint32_t place = 0;
    bool is_taken = false;
  };
  struct Run {
    std::uint32_t transaction = 0;
    std::uint32_t first = 0;
  };

  bool read_operation(KeyOperation& operation, TransactionName& name) {
    const char kind = cursor_.peek();
    if (kind != 'r' && kind != 'w') {
      return fail("expected r(key,value,session,transaction) or w(...)");
    }
    operation.action = kind == 'r' ? KeyAction::read : KeyAction::write;
    if (std::array<std::int64_t, 4> numbers{}; take_plain_line(numbers)) {
      operation.key = key_table_.of(Value::number(numbers[0]));
      operation.value = Value::number(numbers[1]);
      name = {numbers[2], numbers[3]};
      return true;
    }
    cursor_.pass(1);
    TextCursor::Number key;
    TextCursor::Number value;
    if (!punctuation('(') || !number(key, "key") || !punctuation(',') || !number(value, "value") ||
        !punctuation(',') || !id(name.session, "session") || !punctuation(',') ||
        !id(name.number, "transaction") || !punctuation(')')) {
      return false;
    }
    operation.key = key_table_.of(number_value(history_.texts, key));
    operation.value = number_value(history_.texts, value);
    cursor_.skip_blanks();
    if (!cursor_.at_end() && cursor_.peek() != '\n') return fail("expected the end of the line");
    return true;
  }

  // The numbers of a line without blanks, as nearly all are. False: it has some, or anything else.
  bool take_plain_line(std::array<std::int64_t, 4>& numbers) {
    constexpr std::ptrdiff_t kFitting = 18;
    const std::string_view rest = cursor_.rest();
    const char* const end = rest.data() + rest.size();
    const char* at = rest.data() + 1;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (at == end || *at != (i == 0 ? '(' : ',')) return false;
      ++at;
      const bool is_negative = at != end && *at == '-';
      if (is_negative) ++at;
      const char* const first = at;
      std::int64_t number = 0;
      for (; at != end && is_digit(*at); ++at) {
        if (at - first == kFitting) return false;
        number = 10 * number + (*at - '0');
      }
      if (at == first) return false;
      numbers[i] = is_negative ? -number : number;
    }
    if (at == end || *at != ')') return false;
    ++at;
    if (at != end && *at != '\n') return false;
    cursor_.pass(static_cast<std::size_t>(at - rest.data()));
    return true;
  }

  bool punctuation(char c) {
    cursor_.skip_blanks();
    if (cursor_.peek() != c) return fail(fmt::format("expected '{}'", c));
    cursor_.pass(1);
    return true;
  }

  bool number(TextCursor::Number& number, const char* what) {
    cursor_.skip_blanks();
    return cursor_.take_number(number) || fail(fmt::format("expected the {}, a number", what));
  }

  bool id(std::int64_t& id, const char* what) {
    TextCursor::Number digits;
    if (!number(digits, what)) return false;
    id = digits.value;
    return digits.fits || fail(fmt::format("the number of the {} is too large", what));
  }

  bool fail(std::string what) {
    trouble_ = cursor_.error(std::move(what), "a line looks like r(3,17,0,12)");
    return false;
  }

  // The next operation belongs to another transaction than the last one.
  void enter(const TransactionName& name, std::uint32_t line) {
    current_ = name;
    const auto next = static_cast<std::uint32_t>(history_.transactions.size());
    const auto first = static_cast<std::uint32_t>(history_.operations.size());
    const std::uint32_t place = name.is_aborted() ? next : place_of(name, next);
    runs_.push_back({place, first});
    if (place != next) return;
    RecordedTransaction txn;
    txn.session = session_of(name.session);
    txn.outcome = name.is_aborted() ? TransactionOutcome::aborted : TransactionOutcome::committed;
    txn.first = first;
    txn.line = line;
    history_.transactions.push_back(txn);
  }

  // Where the transaction is, or `next`, which is remembered, when it is new. Most numbers are
  // small and belong to one session only: these are in a table.
  std::uint32_t place_of(const TransactionName& name, std::uint32_t next) {
    const auto number = static_cast<std::uint64_t>(name.number);
    if (number >= table_limit_) return transactions_.try_emplace(name, next).first->second;
    if (number >= table_.size()) {
      table_.resize(std::min(std::max(number + 1, 2 * table_.size()), table_limit_));
    }
    Entry& entry = table_[number];
    if (!entry.is_taken) entry = {name.session, next, true};
    if (entry.session == name.session) return entry.place;
    return transactions_.try_emplace(name, next).first->second;
  }

  std::uint32_t session_of(std::int64_t number) {
    const auto [place, is_new] =
        sessions_.try_emplace(number, static_cast<std::uint32_t>(history_.sessions.size()));
    if (is_new) history_.sessions.push_back(fmt::to_string(number));
    return place->second;
  }

  void put_runs_in_order() {
    if (runs_.size() == history_.transactions.size()) return;
    std::uint32_t first = 0;
    for (RecordedTransaction& txn : history_.transactions) {
      txn.first = first;
      first += txn.count;
    }
    std::vector<std::uint32_t> places;
    places.reserve(history_.transactions.size());
    for (const RecordedTransaction& txn : history_.transactions) places.push_back(txn.first);
    std::vector<KeyOperation> operations(history_.operations.size());
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const std::size_t end =
          i + 1 < runs_.size() ? runs_[i + 1].first : history_.operations.size();
      std::uint32_t& place = places[runs_[i].transaction];
      for (std::size_t at = runs_[i].first; at < end; ++at) {
        operations[place++] = history_.operations[at];
      }
    }
    history_.operations = std::move(operations);
  }

  TransactionHistory history_;
  TextCursor cursor_;
  KeyTable key_table_;
  TransactionName current_;
  std::vector<Run> runs_;
  std::uint64_t table_limit_ = 0;
  std::vector<Entry> table_;  // by number
  std::unordered_map<TransactionName, std::uint32_t, TransactionNameHash> transactions_;
  std::unordered_map<std::int64_t, std::uint32_t> sessions_;
  std::optional<Diagnostic> trouble_;
};

}  // namespace

Result<TransactionHistory> read_plume(std::string_view bytes, const std::string& name) {
  return PlumeReader(bytes, name).read();
}

}  // namespace heddle
