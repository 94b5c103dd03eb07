// Clauses and expressions as they stand in the source text. The tree tells where an expression's
// first token may be; where it ends is found by words that cannot stand where an operator could.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/sql/words/lexer.h"

namespace heddle::sql {

// The text of the condition after the last `keyword` (where, on) before `inside`, a location within
// the condition. Empty when there is none.
std::string condition_text(const Tokens& tokens, std::string_view keyword, std::size_t inside);

// The text of an expression of a select list or RETURNING list that starts at `location`, up to its
// comma, closing parenthesis, alias or the next clause. `alias` is the one that the tree has for
// it: without AS it is the last token.
std::string listed_expression(const Tokens& tokens, std::size_t location, std::string_view alias);

// The right side of `column = expression` whose column starts at `location`, also when the column
// stands in a list: (a, b) = (1, 2) gives `(1, 2)`.
std::string assigned_expression(const Tokens& tokens, std::size_t location);

// The parts of `(a, b)` or `ROW(a, b)`; empty when it is neither.
std::vector<std::string> split_row(std::string_view text);

// The texts of the rows of VALUES (...), (...), one of whose values is at `inside`.
std::vector<std::vector<std::string>> value_rows(const Tokens& tokens, std::size_t inside);

// The text in parentheses after the AS of the common table whose name is at `location`.
std::string common_table_text(const Tokens& tokens, std::size_t location);

// A name as SQL text: in quotes when the source quotes it too, or its characters demand it.
std::string name_text(const Tokens& tokens, const std::string& name);

}  // namespace heddle::sql
