// An expression with types: which operator each name means, and where values are converted. This
// is what PostgreSQL does before it evaluates anything, with its errors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heddle/program.h"
#include "interpret/convert.h"
#include "interpret/functions.h"
#include "interpret/type.h"
#include "interpret/value.h"

namespace heddle::interpreter {

struct Slot {
  Type type;
  Value value;
};
// By name. A row that was never assigned is null.
using Variables = std::map<std::string, Slot, std::less<>>;

struct Node;
// Takes nulls, too.
using Special = Value (*)(const Node& node, const Arguments& arguments, Errors& errors);

struct Node {
  enum class Step : std::uint8_t {
    constant,
    variable,
    field,
    call,     // of `function`; null where an operand is
    special,  // of `special`
    convert,
    all,       // AND
    any,       // OR
    choice,    // CASE
    coalesce,  // the first that is no null
    ask,       // nobody here knows
  };
  Step step = Step::constant;
  Type type;
  Value constant = {};
  Cast cast = Cast::asked;
  const Function* function = nullptr;
  Special special = nullptr;
  const Expression* source = nullptr;  // outlives the node
  std::vector<Node> operands = {};
};

Node analyze(const Expression& expression, const Variables& variables, Errors& errors);

// The node with a conversion to the type around it, where one is needed.
Node coerced(Node node, const Type& type, Cast cast, Errors& errors);

// fold.cc: the node with what is constant computed, as PostgreSQL does before it evaluates
// anything: an error of a constant counts even where CASE would not come to it, and a null that is
// written out spares the other operands of an operator.
Node fold(Node node, Errors& errors);
// What a call, special or convert gives for these arguments.
Value apply(const Node& node, const Arguments& arguments, Errors& errors);

// resolve.cc: the function that PostgreSQL takes for operands of these types; null with an error,
// or null without one where a function that is not in our table may be meant.
const Function* resolve_function(std::string_view name, const std::vector<Node>& operands,
                                 Errors& errors);
// The type that CASE, coalesce and their like give values of these types.
Type common_type(const std::vector<Node>& operands, std::string_view what, Errors& errors);

// special.cc: what is analyzed and computed in a way of its own; false: the name is none of those.
bool analyze_special(Node& node, std::string_view name, Errors& errors);
// arrays.cc: the same for functions of arrays.
bool analyze_array_function(Node& node, std::string_view name, Errors& errors);
bool is_null_if(const Node& node);
// Depends on settings of the session, as far as PostgreSQL knows, and is never computed beforehand.
bool is_stable(const Node& node);

}  // namespace heddle::interpreter
