// The tokens of textbook notation (docs/formats/history.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/history/forms/byte_reader.h"
#include "heddle/recorded_history.h"

namespace heddle {

// A key, a value or a name as it is written: number, bare word or text in double quotes.
void append_textbook_value(std::string& out, Value value, const ValueTexts& texts);
void append_textbook_text(std::string& out, std::string_view text);

struct TextbookStep {
  enum class Kind : std::uint8_t { begin, commit, abort, read, write, append };

  Kind kind = Kind::begin;
  std::uint64_t transaction = 0;
  Value key;
  std::optional<Value> value;                  // none: a read that was not seen
  std::optional<std::vector<Value>> elements;  // a list that was read
  bool list_is_unseen = false;                 // r1[x=[?]]
  SourcePosition position;
};

// Hands out words one by one. Functions return false after trouble, which is then in trouble().
class TextbookScanner {
 public:
  // `text`, `name` and `texts` must outlive it; texts of values are put into `texts`.
  TextbookScanner(std::string_view text, const std::string& name, ValueTexts& texts)
      : cursor_(text, name), texts_(texts) {}

  const std::optional<Diagnostic>& trouble() const { return trouble_; }
  // Skips white space and comments.
  bool at_end();
  bool at_end_of_line();
  SourcePosition position() const { return cursor_.position(); }

  // "session", "initial" or "times" if the next word is that, which is passed with its blanks.
  std::string_view take_directive();
  bool take_colon();
  // The word `none`, which as a text needs quotes here.
  bool take_none();
  bool number(std::uint64_t& number);
  // A number, a word or a quoted text; `nil` is kNil.
  bool value(Value& value) { return value_in(texts_, value); }
  // The same where a name is wanted: a number is its digits.
  bool name(std::string& name);
  bool step(TextbookStep& step);

  bool fail(std::string what, std::string what_to_do = "");

 private:
  void skip(bool lines);
  bool value_in(ValueTexts& texts, Value& value);
  std::string_view word() const;
  bool quoted(std::string& text);
  bool brackets(TextbookStep& step);
  bool result(TextbookStep& step);
  bool list(TextbookStep& step);

  TextCursor cursor_;
  ValueTexts& texts_;
  std::optional<Diagnostic> trouble_;
};

}  // namespace heddle
