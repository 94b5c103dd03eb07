// The types of columns, by name, in each dialect and from dialect to dialect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/schema.h"

namespace heddle::sql {

// What a name of a type means: in PostgreSQL the parser's ("int4"), else that in lower case with
// one blank between words. unknown: not in the table.
ValueType find_type(std::string_view name, Dialect dialect);

// SQLite's rule for names that it does not know: by what they contain.
ValueType type_by_affinity(std::string_view name);

// Whether the name stands for a column whose values count up: serial and its widths.
bool is_serial(std::string_view name);

// Wide enough for MySQL's unsigned values.
ValueType to_unsigned(ValueType type);

// A type for another dialect than the one it was read in.
struct TypeText {
  std::string text;
  std::string lost = {};  // why it is not quite the same; empty: it is
};

// `is_key`: the column is in a key, which MariaDB wants of a bounded length. Enumerations are the
// caller's to print.
TypeText translate_type(const ColumnType& type, Dialect to, bool is_key);

}  // namespace heddle::sql
