// CREATE TABLE of PostgreSQL as SQLite takes it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "store/replicated/tokens.h"

namespace heddle::replicated {

// As to_sqlite; other statements stay as they are.
std::vector<std::string> table_to_sqlite(std::vector<Token> statement);

// Where the parenthesis that opens at `open` closes; the number of tokens: nowhere.
std::size_t closing(const std::vector<Token>& tokens, std::size_t open);

// How many tokens the name of a type has that begins at `at`: double precision, numeric(12, 2),
// timestamp with time zone, text[].
std::size_t type_size(const std::vector<Token>& tokens, std::size_t at);

}  // namespace heddle::replicated
