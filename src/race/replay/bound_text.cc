#include "race/replay/bound_text.h"

#include <algorithm>

#include "base/text.h"

namespace heddle {
namespace {

std::string literal(const TraceValue& value) {
  if (!value.text) return "NULL";
  const bool is_number =
      !value.text->empty() && value.text->size() < 20 &&
      std::ranges::all_of(*value.text, [](char c) { return is_digit(c) || c == '-' || c == '.'; });
  if (is_number) return *value.text;
  std::string quoted = "'";
  for (const char c : *value.text) {
    if (c == '\'') quoted += c;
    quoted += c;
  }
  return quoted + "'";
}

}  // namespace

std::string bound_text(const TraceStatement& statement) {
  const std::string& text = statement.text;
  std::string bound;
  char quote = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (quote != 0 || c == '\'' || c == '"') {
      if (quote == 0) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      }
      bound += c;
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (c == '$' && end < text.size() && is_digit(text[end])) ++end;
    if (c != '$' || end == i + 1) {
      bound += c;
      ++i;
      continue;
    }
    const std::size_t number =
        std::stoul(text.substr(i + 1, std::min<std::size_t>(end - i - 1, 5)));
    const bool is_known = number >= 1 && number <= statement.parameters.size();
    bound += is_known ? literal(statement.parameters[number - 1].value) : text.substr(i, end - i);
    i = end;
  }
  return bound;
}

}  // namespace heddle
