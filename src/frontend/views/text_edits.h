// What is told of a statement by its tree, in its text: places, names, and changes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::views {

// Some bytes of a text, replaced.
struct Edit {
  std::size_t offset = 0;
  std::size_t size = 0;  // of what is replaced
  std::string text;
};

// The text with the edits; of several at one place the first one comes last.
std::string edited(std::string text, std::vector<Edit> edits);

// A node's location, in bytes.
std::size_t place_of(const sql::Node& node);

// Whether that token is this word at this depth.
bool is_at(const sql::Tokens& tokens, std::size_t at, std::size_t depth, std::string_view word);

// Behind a token.
std::size_t end_of(const sql::Token& token);

// The names in a ColumnRef; empty: it is none, or names all columns.
std::vector<std::string> column_path(const sql::Node& reference);

// Whether a query, or WHERE CURRENT OF, is in it.
bool has_subquery(const sql::Node& node);

// As PostgreSQL's syntax has it.
std::string quoted_name(const std::string& name);

// Behind a name with its schema whose first token is `begin`.
std::size_t end_of_name(const sql::Tokens& tokens, std::size_t begin);

}  // namespace heddle::views
