// psql's client-side data flow: what `\gset` stored, put into later SQL as `:name`.
//
//   Variables variables{{"balance", "100"}};
//   substitute_variables("UPDATE account SET balance = :balance - 10", variables)
//       // "UPDATE account SET balance = 100 - 10"
//
// Differs from psql in one point: a value is put in as it is and not searched for variables again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle {

// By name. A column that was NULL leaves its variable out, as psql does.
using Variables = std::map<std::string, std::string>;

// What `:'name'` and `:"name"` become: a literal and an identifier, or an argument in the quotes of
// redis-cli.
enum class VariableQuotes : std::uint8_t { sql, redis };

// Replaces `:name` by the value, `:'name'` and `:"name"` by the value in quotes, if the variable is
// set, and `:{?name}` by TRUE or FALSE. Quoted text, comments and `::` stay untouched.
std::string substitute_variables(std::string_view sql, const Variables& variables,
                                 VariableQuotes quotes = VariableQuotes::sql);

// The names that substitute_variables would look up, each once, in the order of the text.
std::vector<std::string> mentioned_variables(std::string_view sql);

// What `\if text` decides, with `text` as it stands in the file: psql's rules for the arguments of
// backslash commands, by which variables are replaced here, differ from those for SQL. The
// diagnostic has no position: the caller knows the instruction's.
Result<bool> evaluate_condition(std::string_view text, const Variables& variables);

}  // namespace heddle
