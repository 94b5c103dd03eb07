#include "store/quote.h"

namespace heddle {

std::string quote_with(const std::string& name, char mark) {
  std::string quoted(1, mark);
  for (const char c : name) quoted.append(c == mark ? 2 : 1, c);
  return quoted + mark;
}

std::string quote_identifier(const std::string& name) { return quote_with(name, '"'); }

std::string quote_literal(const std::string& text) {
  std::string quoted = text.find('\\') == std::string::npos ? "'" : " E'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += c;
    quoted += c;
  }
  return quoted + '\'';
}

std::string quote_mariadb_literal(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' || c == '\\' ? 2 : 1, c);
  return quoted + '\'';
}

}  // namespace heddle
