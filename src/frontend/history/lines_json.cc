#include "frontend/history/lines_json.h"

#include <iterator>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/utf8.h"

namespace heddle {

namespace {

// Brackets inside of each other in a value that nobody is interested in.
constexpr std::size_t kDeepest = 1000;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool JsonCursor::at_end() {
  cursor_.skip_white_space();
  return trouble_ || cursor_.at_end() || interrupted();
}

char JsonCursor::peek() {
  cursor_.skip_white_space();
  return trouble_ ? '\0' : cursor_.peek();
}

SourcePosition JsonCursor::position() {
  cursor_.skip_white_space();
  return cursor_.position();
}

void JsonCursor::fail(std::string what, std::string what_to_do) {
  if (!trouble_) trouble_ = cursor_.error(std::move(what), std::move(what_to_do));
}

void JsonCursor::fail_at(SourcePosition position, std::string what, std::string what_to_do) {
  if (trouble_) return;
  fail(std::move(what), std::move(what_to_do));
  trouble_->position = position;
}

bool JsonCursor::open(char bracket, const char* expectation) {
  if (peek() != bracket) {
    fail(expectation);
    return false;
  }
  cursor_.pass(1);
  return true;
}

bool JsonCursor::expect(char c) {
  if (peek() != c) {
    fail(fmt::format("expected '{}'", c));
    return false;
  }
  cursor_.pass(1);
  return true;
}

bool JsonCursor::closes(char bracket, bool first) {
  if (interrupted()) fail("the list has no end yet");
  if (peek() == bracket) {
    cursor_.pass(1);
    return true;
  }
  if (!first) expect(',');
  return trouble_.has_value();
}

std::int64_t JsonCursor::integer() {
  const char c = peek();
  TextCursor::Number number;
  if ((c != '-' && (c < '0' || c > '9')) || !cursor_.take_number(number) || !number.fits) {
    fail("expected a whole number of at most 64 bits");
    return 0;
  }
  const char after = cursor_.peek();
  if (after == '.' || after == 'e' || after == 'E') fail("expected a whole number");
  return trouble_ ? 0 : number.value;
}

bool JsonCursor::boolean() {
  const char c = peek();
  const std::string_view word = c == 't' ? "true" : "false";
  if (!trouble_ && cursor_.rest().starts_with(word)) {
    cursor_.pass(word.size());
    return c == 't';
  }
  fail("expected true or false");
  return false;
}

bool JsonCursor::take_null() {
  if (peek() != 'n' || !cursor_.rest().starts_with("null")) return false;
  cursor_.pass(4);
  return true;
}

std::string_view JsonCursor::text() {
  if (peek() != '"') {
    fail("expected a text in double quotes");
    return {};
  }
  cursor_.pass(1);
  // Most texts have no escapes and can be looked at where they stand.
  const std::string_view rest = cursor_.rest();
  std::size_t size = 0;
  while (size < rest.size() && rest[size] != '"' && rest[size] != '\\' &&
         static_cast<unsigned char>(rest[size]) >= 0x20) {
    ++size;
  }
  cursor_.pass(size);
  if (cursor_.peek() == '"') {
    cursor_.pass(1);
    return rest.substr(0, size);
  }
  unescaped_.assign(rest, 0, size);
  while (!trouble_ && cursor_.peek() != '"') {
    const char c = cursor_.peek();
    if (static_cast<unsigned char>(c) < 0x20) {
      fail(cursor_.at_end() ? "the text does not end" : "a control character inside of a text");
    } else if (c == '\\') {
      read_escape();
    } else {
      unescaped_ += cursor_.next();
    }
  }
  if (trouble_) return {};
  cursor_.pass(1);
  return unescaped_;
}

void JsonCursor::read_escape() {
  cursor_.pass(1);
  static constexpr std::string_view kEscapes = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char c = cursor_.peek();
  const std::size_t simple = cursor_.at_end() ? std::string_view::npos : kEscapes.find(c);
  if (simple != std::string_view::npos) {
    cursor_.pass(1);
    unescaped_ += kMeanings[simple];
    return;
  }
  if (c != 'u') return fail("no escape of JSON");
  cursor_.pass(1);
  std::uint32_t code = hex_digits();
  if (code >= 0xD800 && code < 0xDC00 && cursor_.rest().starts_with("\\u")) {
    cursor_.pass(2);
    const std::uint32_t low = hex_digits();
    if (low < 0xDC00 || low > 0xDFFF) return fail("half of a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code >= 0xD800 && code <= 0xDFFF) return fail("half of a surrogate pair");
  append_utf8(unescaped_, code);
}

std::uint32_t JsonCursor::hex_digits() {
  std::uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(cursor_.peek());
    if (digit < 0) {
      fail("expected four hexadecimal digits");
      return 0;
    }
    cursor_.pass(1);
    code = code << 4 | static_cast<std::uint32_t>(digit);
  }
  return code;
}

Value JsonCursor::value(ValueTexts& texts) {
  switch (peek()) {
    case '"':
      return texts.text(text());
    case 'n':
      if (take_null()) return kNil;
      break;
    case '{':
      return special_value(texts);
    default:
      break;
  }
  TextCursor::Number number;
  if (trouble_ || !cursor_.take_number(number)) {
    fail("expected a number, a text or null");
    return kNil;
  }
  const char after = cursor_.peek();
  if (after == '.' || after == 'e' || after == 'E') {
    fail("expected a whole number", "write other numbers as texts");
  }
  return number_value(texts, number);
}

Value JsonCursor::special_value(ValueTexts& texts) {
  std::optional<Value> value;
  each_member([&](std::string_view key) {
    if (key == "hex") {
      const std::optional<std::string> bytes = decode_hex(text());
      if (!bytes) return fail("expected pairs of hexadecimal digits");
      value = texts.text(*bytes);
    } else if (key == "unseen") {
      if (boolean()) value = kUnseen;
    } else {
      fail("expected {\"hex\": ...} or {\"unseen\": true}");
    }
  });
  if (!value) fail("expected {\"hex\": ...} or {\"unseen\": true}");
  return value.value_or(kNil);
}

// A string, a number, a word; brackets are skip_value()'s.
void JsonCursor::skip_scalar() {
  const char c = peek();
  if (c == '"') {
    text();
  } else if (c == 't' || c == 'f') {
    boolean();
  } else if (!take_null()) {
    const std::size_t size = cursor_.rest().find_first_not_of("+-.0123456789eE");
    if (trouble_ || size == 0 || cursor_.at_end()) return fail("expected a value");
    cursor_.pass(std::min(size, cursor_.rest().size()));
  }
}

void JsonCursor::skip_value() {
  std::string closers;    // of the brackets that are open
  bool is_first = false;  // nothing has come yet after the last one opened
  do {
    const char c = peek();
    if (is_first && c == closers.back()) {
      cursor_.pass(1);
      closers.pop_back();
    } else {
      if (!closers.empty() && closers.back() == '}') {
        text();
        if (trouble_ || !expect(':')) return;
      }
      const char opener = peek();
      if (opener == '{' || opener == '[') {
        cursor_.pass(1);
        closers += opener == '{' ? '}' : ']';
        if (closers.size() > kDeepest) fail("more than 1000 brackets inside of each other");
        is_first = true;
        continue;
      }
      skip_scalar();
    }
    is_first = false;
    while (!trouble_ && !closers.empty() && peek() == closers.back()) {
      cursor_.pass(1);
      closers.pop_back();
    }
    if (!closers.empty() && !expect(',')) return;
  } while (!closers.empty() && !trouble_);
}

std::optional<std::string> decode_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]);
    const int low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

void append_json_text(std::string& out, std::string_view text) {
  if (!is_utf8(text)) {
    out += "{\"hex\": \"";
    for (const char c : text) {
      fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned char>(c));
    }
    out += "\"}";
    return;
  }
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view character = text.substr(at, utf8_length(text, at));
    const std::uint32_t code = code_point(character);
    if (code == '"' || code == '\\') {
      out += '\\';
      out += character;
    } else if (code == '\n') {
      out += "\\n";
    } else if (is_unprintable(code)) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
    } else {
      out += character;
    }
    at += character.size();
  }
  out += '"';
}

void append_json_value(std::string& out, Value value, const ValueTexts& texts) {
  if (value == kNil) {
    out += "null";
  } else if (value == kUnseen) {
    out += "{\"unseen\": true}";
  } else if (value.is_number()) {
    fmt::format_to(std::back_inserter(out), "{}", value.code);
  } else {
    append_json_text(out, texts.to_string(value));
  }
}

}  // namespace heddle
