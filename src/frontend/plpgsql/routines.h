// Routines that call routines: what a call does is put in its place, with variables of its own, so
// that its statements, its COMMITs and the way of its values are the caller's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/program.h"

namespace heddle::plpgsql {

struct RoutineParameter {
  std::string name;
  std::string default_text;  // empty: it has to be given
  bool is_given = true;      // IN, INOUT
  bool is_result = false;    // OUT, INOUT, a column of RETURNS TABLE
};

// How a routine is called. `functionality`: into those of the program.
struct Routine {
  std::size_t functionality = 0;
  std::vector<RoutineParameter> parameters;
  bool is_procedure = false;
};

// Puts what they call into the place of the calls in all of the program's functionalities. A call
// that cannot be followed stays what it is, a statement that may do anything; a note says why.
void follow_calls(Program& program, const std::vector<Routine>& routines);

}  // namespace heddle::plpgsql
