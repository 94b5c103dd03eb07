#include "format/sched/json_lines.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/printable.h"
#include "base/utf8.h"

namespace heddle {

namespace {

std::string escaped(std::string_view character) {
  if (character == "\"" || character == "\\") return "\\" + std::string(character);
  if (character == "\n") return "\\n";
  if (character == "\t") return "\\t";
  const std::uint32_t code = code_point(character);
  const bool is_plain = !is_unprintable(code) || code > 0xFFFF;
  return is_plain ? std::string(character) : fmt::format("\\u{:04x}", code);
}

}  // namespace

std::string json_of_text(std::string_view text) {
  if (!is_utf8(text)) {
    std::string digits;
    for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return "{\"hex\": \"" + digits + "\"}";
  }
  std::string json = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text, at), 1);
    json += escaped(text.substr(at, length));
    at += length;
  }
  return json + "\"";
}

std::string json_line(const JsonMembers& members) {
  std::string json = "{";
  for (const auto& [name, value] : members) {
    if (json.size() > 1) json += ", ";
    json += fmt::format("\"{}\": {}", name, value);
  }
  return json + "}";
}

std::string json_object(const JsonMembers& members, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string json = "{";
  for (const auto& [name, value] : members) {
    json += fmt::format("{}\n{}  \"{}\": {}", json.size() > 1 ? "," : "", margin, name, value);
  }
  return json + "\n" + margin + "}";
}

std::string json_list(const std::vector<std::string>& elements, std::size_t indent) {
  if (elements.empty()) return "[]";
  const std::string margin(indent, ' ');
  std::string json = "[";
  for (const std::string& element : elements) {
    json += (json.size() > 1 ? ",\n  " : "\n  ") + margin + element;
  }
  return json + "\n" + margin + "]";
}

}  // namespace heddle
