#include "format/json/json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "base/printable.h"
#include "base/utf8.h"

namespace heddle {

namespace {

constexpr std::size_t kLineWidth = 100;

std::string print_line(const Json& value);

// The elements of a list or an object with the text before each: nothing, or its key.
template <class Visit>
void for_each_element(const Json& value, const Visit& visit) {
  for (auto element = value.begin(); element != value.end(); ++element) {
    visit(value.is_object() ? Json(element.key()).dump() + ": " : std::string(), *element);
  }
}

std::string print_line(const Json& value) {
  if (!value.is_structured()) return value.dump();
  std::string text(1, value.is_object() ? '{' : '[');
  for_each_element(value, [&](const std::string& key, const Json& element) {
    if (text.size() > 1) text += ", ";
    text += key + print_line(element);
  });
  text += value.is_object() ? '}' : ']';
  return text;
}

// The depth of heddle's own documents is fixed by their format, so the recursion is bounded.
std::string print_at(const Json& value, std::size_t indent, std::size_t used) {
  std::string line = print_line(value);
  const bool document = indent == 0;
  if (!value.is_structured() || value.empty() || (!document && used + line.size() <= kLineWidth)) {
    return line;
  }
  const std::string margin(indent + 2, ' ');
  std::string text(1, value.is_object() ? '{' : '[');
  bool first = true;
  for_each_element(value, [&](const std::string& key, const Json& element) {
    text += first ? "\n" : ",\n";
    text += margin + key + print_at(element, indent + 2, margin.size() + key.size() + 1);
    first = false;
  });
  text += "\n" + std::string(indent, ' ');
  text += value.is_object() ? '}' : ']';
  return text;
}

// What would not print as itself as JSON's own escapes: the JSON library writes only those below a
// blank. Outside of strings there is nothing of that kind, and everything is UTF-8.
std::string with_escapes(std::string_view json) {
  std::string text;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(json, at), 1);
    const std::string_view character = json.substr(at, length);
    const std::uint32_t code = code_point(character);
    const bool is_escaped = code >= 0x7f && is_unprintable(code);
    text += is_escaped ? fmt::format("\\u{:04x}", code) : std::string(character);
    at += length;
  }
  return text;
}

}  // namespace

Json text_json(std::string_view text) {
  if (is_utf8(text)) return Json(std::string(text));
  std::string digits;
  for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return Json{{"hex", digits}};
}

Json texts_json(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(text_json(text));
  return list;
}

std::string print_json(const Json& document) {
  return with_escapes(print_at(document, 0, 0)) + "\n";
}

std::string print_json_by_line(const Json& document) {
  return with_escapes(document.dump(2)) + "\n";
}

}  // namespace heddle
