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

// Of an element of a list nothing, of an object its key.
std::string text_before(const Json::const_iterator& element, const Json& value) {
  return value.is_object() ? Json(element.key()).dump() + ": " : std::string();
}

// Adds the value in one line. False: `text` would be longer than `most`, and is not whole.
bool add_line(const Json& value, std::size_t most, std::string& text) {
  if (value.is_string() && value.get_ref<const std::string&>().size() > most) return false;
  if (!value.is_structured()) {
    text += value.dump();
    return text.size() <= most;
  }
  text += value.is_object() ? '{' : '[';
  for (auto element = value.begin(); element != value.end(); ++element) {
    if (element != value.begin()) text += ", ";
    text += text_before(element, value);
    if (!add_line(*element, most, text)) return false;
  }
  text += value.is_object() ? '}' : ']';
  return text.size() <= most;
}

// The depth of heddle's own documents is fixed by their format, so the recursion is bounded.
void add_at(const Json& value, std::size_t indent, std::size_t used, std::string& text) {
  const std::size_t begin = text.size();
  const bool is_line = !value.is_structured() || value.empty();
  const bool may_fit = indent > 0 && used <= kLineWidth;
  if (is_line || may_fit) {
    const std::size_t most = is_line ? std::string::npos : begin + kLineWidth - used;
    if (add_line(value, most, text)) return;
    text.resize(begin);
  }
  const std::string margin(indent + 2, ' ');
  text += value.is_object() ? '{' : '[';
  for (auto element = value.begin(); element != value.end(); ++element) {
    const std::string key = text_before(element, value);
    text += element == value.begin() ? "\n" : ",\n";
    text += margin + key;
    add_at(*element, indent + 2, margin.size() + key.size() + 1, text);
  }
  text += "\n" + std::string(indent, ' ');
  text += value.is_object() ? '}' : ']';
}

// What would not print as itself as JSON's own escapes: the JSON library writes only those below a
// blank. Outside of strings there is nothing of that kind, and everything is UTF-8.
std::string with_escapes(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) < 0x7f; };
  for (std::size_t at = 0; at < json.size();) {
    const auto rest = json.substr(at);
    const auto plain = std::ranges::find_if_not(rest, is_plain) - rest.begin();
    text += rest.substr(0, static_cast<std::size_t>(plain));
    at += static_cast<std::size_t>(plain);
    if (at == json.size()) break;
    const std::size_t length = std::max<std::size_t>(utf8_length(json, at), 1);
    const std::string_view character = json.substr(at, length);
    const std::uint32_t code = code_point(character);
    if (is_unprintable(code)) {
      text += fmt::format("\\u{:04x}", code);
    } else {
      text += character;
    }
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
  std::string text;
  add_at(document, 0, 0, text);
  return with_escapes(text) + "\n";
}

std::string print_json_by_line(const Json& document) {
  return with_escapes(document.dump(2)) + "\n";
}

}  // namespace heddle
