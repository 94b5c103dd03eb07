#include "store/quote.h"

namespace heddle {

std::string quote_identifier(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string quote_literal(const std::string& text) {
  std::string quoted = text.find('\\') == std::string::npos ? "'" : " E'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += c;
    quoted += c;
  }
  return quoted + '\'';
}

}  // namespace heddle
