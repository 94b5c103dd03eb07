// Variables that \gset sets and later texts of the session use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/spec/variables.h"
#include "heddle/outcome.h"
#include "heddle/scenario.h"
#include "heddle/statement.h"

namespace heddle {

// \gset: exactly one row, as in psql; its columns become variables, NULL unsets. Error: it cannot
// be done. The numbers that are the names of the columns of an array of Redis need a prefix, for
// `:1` is found in keys such as user:1.
std::optional<StepError> store_variables(const ResultSet& result, const Instruction& instruction,
                                         Dialect dialect, Variables& variables);

// The text to be sent.
std::string with_variables(const std::string& text, const Variables& variables, Dialect dialect);

// The text of an instruction of the step before any variable is set: with a placeholder
// (feeding.h) for each. Of Redis, whose keys have colons in them, only for those that a \gset of
// the session may set. `dialects`: of each store.
std::string template_of(const Scenario& scenario, const Step& step, const Instruction& instruction,
                        const std::vector<Dialect>& dialects);

}  // namespace heddle
