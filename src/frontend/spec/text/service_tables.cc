#include "frontend/spec/text/service_tables.h"

#include <algorithm>

#include "base/text.h"
#include "frontend/spec/text/spec_token.h"
#include "heddle/statement.h"

namespace heddle {

std::vector<std::string> split_outside_quotes(std::string_view text, char separator) {
  std::vector<std::string> pieces(1);
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (c == separator && !is_quoted) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

std::optional<std::string> table_named_by(std::string_view text) {
  const std::string_view name = trim(text);
  const bool is_quoted = name.size() > 2 && name.front() == '"' && name.back() == '"';
  if (!is_bare_word(name) && !is_quoted) return std::nullopt;
  const auto read = parse_statements("SELECT FROM " + std::string(name), Dialect::postgres);
  if (!read || read->size() != 1 || read->front().tables.size() != 1) return std::nullopt;
  const TableUse& use = read->front().tables.front();
  if (!use.schema.empty() || !use.alias.empty() || use.table.empty()) return std::nullopt;
  return use.table;
}

std::string name_of_table(const std::string& table) {
  return table_named_by(table) == table ? table : quoted_name(table);
}

}  // namespace heddle
