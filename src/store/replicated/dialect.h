// Statements of PostgreSQL as SQLite takes them.
//
// Token by token, where one stands for the other: locking clauses go, for the levels of a
// replicated store know no locks; casts, types and defaults get SQLite's words. What is not known
// here stays as it was written, so that SQLite's own error says what is wrong.
#pragma once

#include <string>
#include <vector>

#include "store/replicated/tokens.h"

namespace heddle::replicated {

// The statements that do in SQLite what this one says; the first is the statement itself. A CREATE
// TABLE brings one statement for each of its unique keys, which can be dropped and made again.
// REQUIRES: one statement, not empty.
std::vector<std::string> to_sqlite(std::vector<Token> statement);

// The kind of statement, by its first word: what a command tag begins with. "INSERT", "SELECT", ...
std::string kind_of(const std::vector<Token>& statement);

}  // namespace heddle::replicated
