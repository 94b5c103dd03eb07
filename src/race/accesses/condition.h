// Conditions on the rows of one table, as far as they are understood: what is not is unknown, and
// any row may satisfy it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "race/accesses/known_value.h"

namespace heddle::race {

// A column of the table, or a value.
struct Operand {
  std::string column = {};  // empty: the value
  KnownValue value = {};

  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Condition {
  enum class Kind : std::uint8_t {
    unknown,
    all,       // of no parts: always true
    any,       // of no parts: never true
    negation,  // of its only part
    equal,
    less,
    is_null,  // of `left`
  };
  Kind kind = Kind::unknown;
  Operand left = {};
  Operand right = {};
  std::vector<Condition> parts = {};

  friend bool operator==(const Condition&, const Condition&) = default;
};

inline Condition always() { return {.kind = Condition::Kind::all}; }
Condition all_of(std::vector<Condition> parts);
Condition any_of(std::vector<Condition> parts);
Condition negation_of(Condition part);

Truth evaluate(const Condition& condition, const KnownRow& row);
std::set<std::string> columns_of(const Condition& condition);

// For columns that a row has to have one of a few values in, to satisfy the condition: these.
using Bindings = std::map<std::string, std::vector<KnownValue>>;
Bindings bindings_of(const Condition& condition);

// Rows that stand for all that satisfy the condition: any of those is one of these, with further
// columns. At most kMostPartialRows.
inline constexpr std::size_t kMostPartialRows = 64;
std::vector<KnownRow> partial_rows(const Condition& condition);

// "train = 7 and ended = false": the equalities of a row, in the order of the columns.
std::string row_text(const KnownRow& row);

}  // namespace heddle::race
