#include "format/trace/line_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/utf8.h"

namespace heddle {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
// Most lines are shorter.
constexpr std::size_t kUsualLine = 1024;

// Whether the byte stands in a string as it is.
constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> is_plain{};
  for (std::size_t code = 0x20; code < is_plain.size(); ++code) is_plain[code] = code != 0x7f;
  is_plain['"'] = is_plain['\\'] = false;
  return is_plain;
}();

void append_number(std::string& line, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  line.append(digits.data(), end);
}

void append_hex(std::string& line, std::string_view bytes) {
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    line += kHexDigits[code >> 4];
    line += kHexDigits[code & 15];
  }
}

// As JsonReader reads what is no UTF-8.
void append_bytes(std::string& line, std::string_view bytes) {
  line += "{\"hex\":\"";
  append_hex(line, bytes);
  line += "\"}";
}

void append_special(std::string& line, char c) {
  if (c == '\n') {
    line += "\\n";
  } else if (c == '"' || c == '\\') {
    line += '\\';
    line += c;
  } else {
    line += "\\u00";
    append_hex(line, {&c, 1});
  }
}

// REQUIRES: the text is UTF-8.
void append_string(std::string& line, std::string_view text) {
  const auto is_special = [](char c) { return !kIsPlain[static_cast<unsigned char>(c)]; };
  line += '"';
  while (!text.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::ranges::find_if(text, is_special) - text.begin());
    line += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    append_special(line, text.front());
    text.remove_prefix(1);
  }
  line += '"';
}

}  // namespace

LineWriter::LineWriter() {
  line_.reserve(kUsualLine);
  line_ += '{';
}

void LineWriter::comma() {
  const char last = line_.back();
  if (last != '{' && last != '[') line_ += ',';
}

void LineWriter::key(std::string_view key) {
  comma();
  line_ += '"';
  line_ += key;
  line_ += "\":";
}

void LineWriter::value(std::string_view text) {
  if (is_utf8(text)) {
    append_string(line_, text);
    return;
  }
  append_bytes(line_, text);
}

LineWriter& LineWriter::text(std::string_view name, std::string_view text) {
  key(name);
  value(text);
  return *this;
}

LineWriter& LineWriter::hex(std::string_view name, std::string_view bytes) {
  key(name);
  append_bytes(line_, bytes);
  return *this;
}

LineWriter& LineWriter::number(std::string_view name, std::uint64_t number) {
  key(name);
  append_number(line_, number);
  return *this;
}

LineWriter& LineWriter::flag(std::string_view name, bool is_set) {
  key(name);
  line_ += is_set ? "true" : "false";
  return *this;
}

LineWriter& LineWriter::begin_list(std::string_view name) {
  key(name);
  line_ += '[';
  return *this;
}

LineWriter& LineWriter::begin_object(std::string_view name) {
  key(name);
  line_ += '{';
  return *this;
}

LineWriter& LineWriter::end_list() {
  line_ += ']';
  return *this;
}

LineWriter& LineWriter::end_object() {
  line_ += '}';
  return *this;
}

LineWriter& LineWriter::item(std::string_view text) {
  comma();
  value(text);
  return *this;
}

LineWriter& LineWriter::item(std::uint64_t number) {
  comma();
  append_number(line_, number);
  return *this;
}

LineWriter& LineWriter::null_item() {
  comma();
  line_ += "null";
  return *this;
}

LineWriter& LineWriter::begin_item_list() {
  comma();
  line_ += '[';
  return *this;
}

LineWriter& LineWriter::begin_item_object() {
  comma();
  line_ += '{';
  return *this;
}

std::string LineWriter::finish() {
  line_ += "}\n";
  return std::exchange(line_, "{");
}

}  // namespace heddle
