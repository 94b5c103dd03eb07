// A text of SQL, read once for all of its executions.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/sql/tree.h"
#include "heddle/statement.h"

namespace heddle::race {

// Not copied: the tree points into itself.
struct ParsedText {
  ParsedText() = default;
  ParsedText(ParsedText&&) noexcept = default;
  ParsedText& operator=(ParsedText&&) noexcept = default;

  std::vector<Statement> statements;
  sql::ParseTree tree;   // of as many statements
  bool is_read = false;  // false: nobody can tell what it does
};
ParsedText parse_text(std::string_view text);

}  // namespace heddle::race
