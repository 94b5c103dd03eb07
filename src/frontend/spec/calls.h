// The program of a spec file, and sessions that call one of its functionalities.
#pragma once

#include <memory>

#include "heddle/scenario.h"

namespace heddle {

// Reads the routines of `text`; their tables are those that the scenario's setup blocks make.
// Errors name the place in the scenario's file.
Result<std::shared_ptr<const ScenarioProgram>> read_scenario_program(const SqlBlock& text,
                                                                     const Scenario& scenario);

// Reads `transfer(1, 2, 10.50)`. Errors name the place in the scenario's file. REQUIRES: the
// scenario has a program.
Result<Call> read_call(const SqlBlock& text, const Scenario& scenario);

// What stands for the SQL of a step whose statement is known only when it runs: a comment.
SqlBlock called_step_text(const Call& call);

}  // namespace heddle
