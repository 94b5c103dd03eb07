// Routines that are queries with parameters, in FROM: what they ask stands in their place.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "frontend/plpgsql/routines.h"
#include "heddle/program.h"

namespace heddle::plpgsql {

// A routine and what it does, by its name and how many arguments it is given; nullptrs: there is
// none, or there are several.
using FindRoutine = std::function<std::pair<const Routine*, const Functionality*>(
    const std::string& name, std::size_t arguments)>;

// Puts a derived table in the place of each routine in FROM that returns the rows of one query and
// does nothing else: FROM f(a) becomes FROM (SELECT ... a ...) AS f. False: there is none.
bool inline_queries(ProgramStatement& statement, const FindRoutine& find, const Schema& schema);

}  // namespace heddle::plpgsql
