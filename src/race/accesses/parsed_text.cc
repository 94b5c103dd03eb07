#include "race/accesses/parsed_text.h"

#include <utility>

namespace heddle::race {

ParsedText parse_text(std::string_view text) {
  ParsedText parsed;
  auto statements = parse_statements(text, Dialect::postgres);
  sql::ParseOutcome outcome = sql::parse_tree(text);
  if (!statements || !outcome.is_ok) return parsed;
  parsed.statements = std::move(*statements);
  parsed.tree = std::move(outcome.tree);
  parsed.is_read = parsed.statements.size() == parsed.tree.statements.size();
  return parsed;
}

}  // namespace heddle::race
