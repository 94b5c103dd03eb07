// The operators and functions of PostgreSQL that are computed here, one row per signature.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "interpret/type.h"
#include "interpret/value.h"

namespace heddle::interpreter {

using Arguments = std::vector<Value>;
// The arguments are of the row's types; of a strict one none is null.
using Body = Value (*)(const Arguments& arguments, Errors& errors);

struct Function {
  std::string_view name;
  std::vector<Base> parameters;
  Base result = Base::unknown;
  Body body = nullptr;
};

// All rows of that name, in no order that matters. All of them are strict.
std::vector<const Function*> functions_of(std::string_view name);

// One group each.
void add_number_functions(std::vector<Function>& table);
void add_integer_functions(std::vector<Function>& table);
void add_text_functions(std::vector<Function>& table);
void add_comparisons(std::vector<Function>& table);
void add_time_functions(std::vector<Function>& table);

// -1, 0, 1. Texts in the order of their bytes (collation C), NaN above all numbers. REQUIRES: not
// null, of one type, or both integers.
int compare_values(const Value& a, const Value& b, Errors& errors);

// What compare_values() says, as an operator asks.
inline bool is_equal(int order) { return order == 0; }
inline bool is_unequal(int order) { return order != 0; }
inline bool is_smaller(int order) { return order < 0; }
inline bool is_at_most(int order) { return order <= 0; }
inline bool is_greater(int order) { return order > 0; }
inline bool is_at_least(int order) { return order >= 0; }

// Bodies and results that several groups have.
inline Value unchanged(const Arguments& arguments, Errors& /*errors*/) { return arguments[0]; }
Value divides_by_zero(Base base, Errors& errors);

// PostgreSQL's LIKE.
bool is_like(std::string_view text, std::string_view pattern, Errors& errors);

// Of letters of ASCII, as in locale C.
std::string to_upper(std::string_view text);

}  // namespace heddle::interpreter
