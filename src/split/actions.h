// Actions that a caller takes, and what is found in those of a program.
#pragma once

#include <string>
#include <vector>

#include "heddle/program.h"

namespace heddle::chopping {

Expression variable(std::string name);
Expression literal(std::string text);
Expression call(std::string name, std::vector<Expression> operands);

bool mentions(const Expression& expression, const std::string& name);
// Also in blocks inside of it.
bool uses_variable(Action& action, const std::string& name);
// Says where the actions are.
void place(Block& block, const SourceLocation& source);

struct LoopLabels {
  std::string outer;
  std::string inner;
};
// The body of a loop, `own` its label, that became the body of several in each other: what left the
// loop leaves all of them, and what began its next round goes on to the next row.
void name_left_loops(Block& body, const std::string& own, const LoopLabels& labels);

}  // namespace heddle::chopping
