// Expressions of PostgreSQL's syntax in another dialect, as far as they mean the same there.
#pragma once

#include <string>
#include <string_view>

#include "heddle/statement.h"

namespace heddle::sql {

struct ExpressionText {
  std::string text;  // empty when it cannot be expressed
  std::string lost;  // why not
};

// `from`: the dialect of the schema, whose functions need no translation when it is also `to`.
ExpressionText translate_expression(std::string_view expression, Dialect from, Dialect to);

// A name in the dialect's quotes, always quoted but in PostgreSQL.
std::string dialect_name(std::string_view name, Dialect dialect);

// A string in the dialect's quotes.
std::string dialect_string(std::string_view value, Dialect dialect);

}  // namespace heddle::sql
