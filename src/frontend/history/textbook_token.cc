#include "frontend/history/textbook_token.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/history/lines_json.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 3> kDirectives = {"session", "initial", "times"};

bool starts_name(char c) { return is_letter(c) || c == '_'; }

bool is_bare_word(std::string_view text) {
  return !text.empty() && starts_name(text[0]) && text != "nil" &&
         std::ranges::all_of(
             text, [](char c) { return starts_name(c) || is_digit(c) || c == '.' || c == '-'; });
}

}  // namespace

void append_textbook_text(std::string& out, std::string_view text) {
  if (is_bare_word(text)) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_textbook_value(std::string& out, Value value, const ValueTexts& texts) {
  if (value == kNil || value == kUnseen || value.is_number()) {
    out += texts.to_string(value);
  } else {
    append_textbook_text(out, texts.to_string(value));
  }
}

bool TextbookScanner::fail(std::string what, std::string what_to_do) {
  if (!trouble_) trouble_ = cursor_.error(std::move(what), std::move(what_to_do));
  return false;
}

void TextbookScanner::skip(bool lines) {
  for (;;) {
    if (lines) {
      cursor_.skip_white_space();
    } else {
      cursor_.skip_blanks();
    }
    if (cursor_.peek() != '#') return;
    while (!cursor_.at_end() && cursor_.peek() != '\n') cursor_.pass(1);
  }
}

bool TextbookScanner::at_end() {
  skip(/*lines=*/true);
  return cursor_.at_end();
}

bool TextbookScanner::at_end_of_line() {
  skip(/*lines=*/false);
  return cursor_.at_end() || cursor_.peek() == '\n';
}

std::string_view TextbookScanner::word() const {
  const std::string_view rest = cursor_.rest();
  std::size_t size = 0;
  while (size < rest.size() && starts_name(rest[size])) ++size;
  return rest.substr(0, size);
}

std::string_view TextbookScanner::take_directive() {
  const auto* const found = std::ranges::find(kDirectives, word());
  if (found == kDirectives.end()) return {};
  cursor_.pass(found->size());
  cursor_.skip_blanks();
  return *found;
}

bool TextbookScanner::take_colon() {
  cursor_.skip_blanks();
  return cursor_.take(':') || fail("expected ':'");
}

bool TextbookScanner::take_none() {
  cursor_.skip_blanks();
  if (word() != "none") return false;
  cursor_.pass(4);
  return true;
}

bool TextbookScanner::number(std::uint64_t& number) {
  TextCursor::Number digits;
  if (!is_digit(cursor_.peek()) || !cursor_.take_number(digits)) {
    return fail("expected the number of a transaction");
  }
  number = static_cast<std::uint64_t>(digits.value);
  return digits.fits || fail("the number of the transaction is too large");
}

bool TextbookScanner::value_in(ValueTexts& texts, Value& value) {
  TextCursor::Number number;
  if (cursor_.peek() == '"') {
    std::string text;
    if (!quoted(text)) return false;
    value = texts.text(text);
    return true;
  }
  if (cursor_.take_number(number)) {
    value = number_value(texts, number);
    return true;
  }
  const std::string_view rest = cursor_.rest();
  std::size_t size = 0;
  while (size < rest.size() && (starts_name(rest[size]) || is_digit(rest[size]) ||
                                rest[size] == '.' || rest[size] == '-')) {
    ++size;
  }
  const std::string_view text = rest.substr(0, size);
  if (text.empty() || !starts_name(text[0])) {
    return fail("expected a number, a word or a text in double quotes");
  }
  value = text == "nil" ? kNil : texts.text(text);
  cursor_.pass(size);
  return true;
}

bool TextbookScanner::name(std::string& name) {
  ValueTexts texts;
  Value text;
  if (!value_in(texts, text)) return false;
  name = texts.to_string(text);
  return true;
}

bool TextbookScanner::quoted(std::string& text) {
  cursor_.pass(1);
  while (cursor_.peek() != '"') {
    const char c = cursor_.peek();
    if (cursor_.at_end() || c == '\n') return fail("the text does not end on this line");
    cursor_.pass(1);
    if (c != '\\') {
      text += c;
      continue;
    }
    const std::string_view rest = cursor_.rest();
    const std::optional<std::string> byte =
        rest.starts_with('x') && rest.size() >= 3 ? decode_hex(rest.substr(1, 2)) : std::nullopt;
    if (byte) {
      text += *byte;
      cursor_.pass(3);
    } else if (rest.starts_with('"') || rest.starts_with('\\')) {
      text += rest[0];
      cursor_.pass(1);
    } else {
      return fail(R"(expected \", \\ or two hexadecimal digits as in \x0a)");
    }
  }
  cursor_.pass(1);
  return true;
}

bool TextbookScanner::step(TextbookStep& step) {
  using Kind = TextbookStep::Kind;
  struct Spelling {
    std::string_view word;
    Kind kind;
  };
  static constexpr std::array<Spelling, 6> kSpellings = {
      Spelling{"b", Kind::begin}, Spelling{"c", Kind::commit}, Spelling{"a", Kind::abort},
      Spelling{"r", Kind::read},  Spelling{"w", Kind::write},  Spelling{"append", Kind::append}};
  step = TextbookStep();
  step.position = position();
  const auto* const found = std::ranges::find(kSpellings, word(), &Spelling::word);
  if (found == kSpellings.end()) {
    return fail("expected a step", "steps look like b1 r1[x=0] w1[x=1] append1[y=2] c1 a1");
  }
  step.kind = found->kind;
  cursor_.pass(found->word.size());
  if (!number(step.transaction)) return false;
  const bool has_key =
      step.kind == Kind::read || step.kind == Kind::write || step.kind == Kind::append;
  if (has_key && !brackets(step)) return false;
  const char after = cursor_.peek();
  const bool separated = cursor_.at_end() || after == ' ' || after == '\t' || after == '\r' ||
                         after == '\n' || after == '#';
  return separated || fail("expected a blank");
}

bool TextbookScanner::brackets(TextbookStep& step) {
  if (!cursor_.take('[')) return fail("expected '['", "an operation looks like r1[x=0]");
  if (!value(step.key)) return false;
  if (cursor_.take('=') && !result(step)) return false;
  const bool is_read = step.kind == TextbookStep::Kind::read;
  if (!is_read && !step.value) return fail("expected '=' and what is written");
  return cursor_.take(']') || fail("expected ']'");
}

bool TextbookScanner::result(TextbookStep& step) {
  const bool is_read = step.kind == TextbookStep::Kind::read;
  if (is_read && cursor_.take('?')) return true;
  if (is_read && cursor_.take('[')) return list(step);
  return value(step.value.emplace());
}

bool TextbookScanner::list(TextbookStep& step) {
  if (cursor_.take('?')) {
    step.list_is_unseen = true;
  } else {
    step.elements.emplace();
    for (cursor_.skip_blanks(); cursor_.peek() != ']'; cursor_.skip_blanks()) {
      if (!value(step.elements->emplace_back())) return false;
    }
  }
  return cursor_.take(']') || fail("expected ']'");
}

}  // namespace heddle
