// What the functionality of a session says before it runs: its statements with placeholders
// (feeding.h) where values will stand, and how values flow through its variables.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heddle/program.h"

namespace heddle {

// Literals by the names of variables.
using KnownValues = std::map<std::string, std::string>;

// The texts of the statements, in the order of list_statements(); empty where the text is made
// while the functionality runs. `known`: variables that have such a value wherever they are used.
std::vector<std::string> statement_templates(const Functionality& functionality,
                                             const KnownValues& known = {});

// What parameters have wherever they are used, in a call with these arguments: those that nothing
// is assigned to. Null is no literal.
KnownValues known_arguments(const Functionality& functionality,
                            const std::vector<std::optional<std::string>>& arguments);

// The variable that stands for what the functionality returns.
inline constexpr const char* kReturned = "returned";

// The name under which a field of a variable is known.
std::string field_name(const std::string& variable, const std::string& field);

// Values that get into variables: from the columns of a statement, or from an expression.
struct ValueFlow {
  std::vector<std::string> into;         // for each column, or one row for all of them
  std::optional<std::size_t> statement;  // in the order of list_statements()
  std::string expression;                // with placeholders; without a statement
  std::string copied;                    // the variable, if the expression is nothing else
};

std::vector<ValueFlow> value_flows(const Functionality& functionality);

// The name of the returned column of that number, from 0, where it is no field of a row.
std::string returned_name(std::size_t column);

}  // namespace heddle
