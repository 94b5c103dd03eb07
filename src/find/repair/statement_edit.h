// Other texts for statements of a program.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "heddle/program.h"

namespace heddle::find {

// Gives the statement the text, read anew. False: it cannot be read, and nothing was changed.
bool change_text(ProgramStatement& statement, const std::string& text, const Schema& schema);

// A SELECT without some of the columns that it returns; with none left it returns 1. Empty: its
// list cannot be told apart.
std::string without_outputs(const Statement& select, const std::set<std::size_t>& dropped);

// Whether a locking clause may stand behind the query: it is one SELECT without grouping.
bool takes_locking_clause(const Statement& select);

}  // namespace heddle::find
