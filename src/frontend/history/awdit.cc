// AWDIT's text format for tests. It knows neither aborted transactions nor initial values: whatever
// is read was written. As in AWDIT, a separator is one or more '-' or '=', and where nothing stands
// between two of them there is no transaction.

#include "frontend/history/awdit.h"

#include <fmt/format.h>

#include "base/interrupt.h"
#include "frontend/history/forms/byte_reader.h"

namespace heddle {

namespace {

class AwditReader {
 public:
  AwditReader(std::string_view bytes, const std::string& name)
      : cursor_(bytes, name), key_table_(history_.keys) {
    history_.initial.reset();
    history_.operations.reserve(count_lines(bytes, /*shortest=*/5));
  }

  Result<TransactionHistory> read() {
    for (cursor_.skip_white_space(); !cursor_.at_end() && !interrupted();
         cursor_.skip_white_space()) {
      const char c = cursor_.peek();
      const bool good = c == '-' || c == '=' ? read_separator(c) : read_operation();
      if (!good) return *trouble_;
    }
    end_transaction();
    return std::move(history_);
  }

 private:
  bool read_separator(char c) {
    end_transaction();
    if (c == '=') end_session();
    while (cursor_.peek() == c) cursor_.pass(1);
    return end_line();
  }

  bool read_operation() {
    const char kind = cursor_.peek();
    if (kind != 'r' && kind != 'w') return fail("expected r, w, ----- or =====");
    if (history_.operations.size() >= kMostOperations) {
      return fail("more operations than 2^32 - 16");
    }
    if (txn_.count == 0) txn_.line = cursor_.line();
    cursor_.pass(1);
    TextCursor::Number key;
    TextCursor::Number value;
    if (!number(key, "key") || !number(value, "value") || !end_line()) return false;
    history_.operations.push_back({key_table_.of(number_value(history_.texts, key)),
                                   kind == 'r' ? KeyAction::read : KeyAction::write,
                                   number_value(history_.texts, value)});
    ++txn_.count;
    return true;
  }

  bool number(TextCursor::Number& number, const char* what) {
    if (cursor_.peek() != ' ' && cursor_.peek() != '\t') return fail("expected a blank");
    cursor_.skip_blanks();
    return cursor_.take_number(number) || fail(fmt::format("expected the {}, a number", what));
  }

  bool end_line() {
    cursor_.skip_blanks();
    return cursor_.at_end() || cursor_.peek() == '\n' || fail("expected the end of the line");
  }

  void end_transaction() {
    if (txn_.count == 0) return;
    history_.transactions.push_back(txn_);
    session_is_empty_ = false;
    txn_.first += txn_.count;
    txn_.count = 0;
  }

  void end_session() {
    if (!session_is_empty_) ++txn_.session;
    session_is_empty_ = true;
  }

  bool fail(std::string what) {
    trouble_ = cursor_.error(std::move(what), "a line looks like \"r 3 17\", \"w 3 18\"");
    return false;
  }

  TransactionHistory history_;
  TextCursor cursor_;
  KeyTable key_table_;
  RecordedTransaction txn_;
  bool session_is_empty_ = true;
  std::optional<Diagnostic> trouble_;
};

}  // namespace

Result<TransactionHistory> read_awdit(std::string_view bytes, const std::string& name) {
  return AwditReader(bytes, name).read();
}

}  // namespace heddle
