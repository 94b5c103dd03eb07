// Conditions of SQL text, from PostgreSQL's parse tree, with the values of one execution in place
// of its parameters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/sql/tree.h"
#include "heddle/trace.h"
#include "race/accesses/condition.h"

namespace heddle::race {

// The column of the table in question that a path such as id or seats.id names; empty: it is none
// of that table's, or nobody knows.
using ColumnOwner = std::function<std::string(const std::vector<std::string>&)>;

struct ConditionReader {
  ColumnOwner owner;
  const std::vector<TraceParameter>* parameters = nullptr;
};

// REQUIRES: the node was depth-checked by parse_tree. What is nested deeper than a bound is
// unknown.
Condition read_condition(const sql::Node& node, const ConditionReader& reader);

// A constant or a parameter, with or without a cast; anything else is unknown.
KnownValue read_constant(const sql::Node& node, const std::vector<TraceParameter>& parameters);

// The value of a parameter; of a binary one nothing is known but its bytes.
KnownValue known_value(const TraceValue& value);

// The elements of an array as PostgreSQL writes it, {1,"a b",NULL}; of several dimensions, or no
// array: unknown, which is an empty list and false.
struct ArrayElements {
  bool is_known = false;
  std::vector<KnownValue> values = {};
};
ArrayElements array_elements(std::string_view text);

}  // namespace heddle::race
