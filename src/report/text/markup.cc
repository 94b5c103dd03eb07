#include "report/text/markup.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

// What XML 1.0 has no place for does not print either.
std::string escape_character(std::string_view character) {
  if (character == "&") return "&amp;";
  if (character == "<") return "&lt;";
  if (character == ">") return "&gt;";
  if (character == "\"") return "&quot;";
  if (character == "'") return "&#39;";
  if (character == "\n" || character == "\t") return std::string(character);
  return printable(character);
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string markup_text(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text, at), 1);
    result += escape_character(text.substr(at, length));
    at += length;
  }
  return result;
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, markup_text(value));
}

std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  return fmt::format("<{0}{1}>{2}</{0}>", name, attributes, content);
}

std::string markdown_text(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool inside = text[i] == '_' && i > 0 && i + 1 < text.size() && is_word(text[i - 1]) &&
                        is_word(text[i + 1]);
    const bool special = std::string_view("\\`*_[]<>|#~&").find(text[i]) != std::string_view::npos;
    if (special && !inside) result += '\\';
    result += text[i];
  }
  return result;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  return "| " + join(cells, " | ") + " |\n";
}

}  // namespace heddle
