// Calls in the texts of statements, and what blocks of statements do.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "frontend/plpgsql/routines.h"
#include "frontend/sql/words/lexer.h"
#include "heddle/program.h"

namespace heddle::plpgsql {

// A call in a text: its arguments' texts.
struct CallText {
  std::string name;
  std::vector<std::string> arguments;
  std::size_t first = 0;  // token
  std::size_t end = 0;    // behind its last one
};

// The call whose name is the token at this place; none: there is none.
std::optional<CallText> call_at(const sql::Tokens& tokens, std::size_t at);

// SELECT * FROM f(a), and nothing else: the call. It may be of anything.
std::optional<CallText> only_source(const sql::Tokens& tokens);

// The routine that a call with so many arguments means; nullptr: there is none, or there are
// several. `functionalities`: those that the routines name.
const Routine* find_routine(const std::vector<Routine>& routines,
                            const std::vector<Functionality>& functionalities,
                            const std::string& name, std::size_t arguments);

// All actions in it.
std::size_t count_all(const Block& block);

// Whether a statement in it may do more than to read.
bool may_write(const Block& block);

// Whether it returns rows, not one value.
bool is_set(const Functionality& called);

// RETURN NEXT, or a row of values that no variables have.
bool returns_rows(const Block& block);

// How the columns of what the routine returns are called.
std::vector<std::string> names_of_results(const Routine& routine, const Functionality& called);

}  // namespace heddle::plpgsql
