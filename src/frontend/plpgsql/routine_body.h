// One call of a routine: its body with names of its own, and without the ways out of it.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/plpgsql/routines.h"
#include "heddle/program.h"

namespace heddle::plpgsql {

// Names that are free in a functionality.
class FreeNames {
 public:
  FreeNames(const Functionality& functionality, const Schema& schema);

  std::string take(const std::string& base);

 private:
  std::set<std::string> taken_;
};

// Whether any value in it hangs on `found`.
bool uses_found(const Block& block);

// What a call becomes.
struct RoutineBody {
  Block block;
  std::vector<Variable> variables;
  std::vector<std::string> given;    // of the parameters that are given, in their order
  std::vector<std::string> results;  // variables that have what it returns afterwards
};

// `may_commit`: it is called by CALL; a function that commits fails. `resets`: variables begin as
// null each time, since the call is in a loop. REQUIRES: the functionality returns no set.
RoutineBody body_of_call(const Functionality& functionality, const Routine& routine,
                         bool may_commit, bool resets, FreeNames& names);

// The same for a caller who takes nothing of what it returns.
Functionality without_results(const Functionality& functionality);

// A query whose rows a routine that returns a set gives, with its parameters in `given`. Empty
// text: it does more than that.
struct RoutineQuery {
  ProgramStatement statement;
  std::vector<Variable> variables;
  std::vector<std::string> given;
};
RoutineQuery query_of_call(const Functionality& functionality, const Routine& routine,
                           FreeNames& names);

}  // namespace heddle::plpgsql
