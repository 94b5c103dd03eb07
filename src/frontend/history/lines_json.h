// JSON read front to back, value by value, without building a document: for histories of hundreds
// of megabytes.
//
//   JsonCursor json(text, name);
//   json.each_member([&](std::string_view key) {
//     if (key == "session") session = json.integer();
//     else json.skip_value();
//   });
//   if (json.trouble()) return *json.trouble();
//
// The first thing that is not as expected is remembered; from then on every function returns an
// empty value and every loop ends. A callback must read exactly one value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/history/forms/byte_reader.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

class JsonCursor {
 public:
  // `text` and `name` must outlive it.
  JsonCursor(std::string_view text, const std::string& name) : cursor_(text, name) {}

  const std::optional<Diagnostic>& trouble() const { return trouble_; }
  // Whether nothing but white space follows.
  bool at_end();
  std::uint32_t line() const { return cursor_.line(); }
  // The first character of the next value: '{', '[', '"', a digit, 't', 'f', 'n'; '\0' at the end.
  char peek();

  std::int64_t integer();
  bool boolean();
  // Lives until the next text is read.
  std::string_view text();
  // Passes null if it is next.
  bool take_null();
  // A number of any size, a text, null, {"hex": "ff00"}: a text of any bytes, or {"unseen": true}.
  Value value(ValueTexts& texts);
  void skip_value();

  template <class Read>
  void each_element(const Read& read) {
    if (!open('[', "expected a list")) return;
    for (bool first = true; !closes(']', first); first = false) read();
  }
  // The key lives until the next text is read.
  template <class Read>
  void each_member(const Read& read) {
    if (!open('{', "expected an object")) return;
    for (bool first = true; !closes('}', first); first = false) {
      const std::string_view key = text();
      if (expect(':')) read(key);
    }
  }

  // Remembers what is wrong here. The second form is for what began at `position`.
  void fail(std::string what, std::string what_to_do = "");
  void fail_at(SourcePosition position, std::string what, std::string what_to_do = "");
  SourcePosition position();

 private:
  bool open(char bracket, const char* expectation);
  bool expect(char c);
  void skip_scalar();
  // Passes the comma in front of the next element; true when there is none, or after trouble.
  bool closes(char bracket, bool first);
  void read_escape();
  std::uint32_t hex_digits();
  Value special_value(ValueTexts& texts);

  TextCursor cursor_;
  std::string unescaped_;
  std::optional<Diagnostic> trouble_;
};

// The bytes that pairs of hexadecimal digits stand for, or none.
std::optional<std::string> decode_hex(std::string_view digits);

// The other direction.
void append_json_text(std::string& out, std::string_view text);
void append_json_value(std::string& out, Value value, const ValueTexts& texts);

}  // namespace heddle
