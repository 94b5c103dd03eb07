// Types of the client's values, by PostgreSQL's names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::interpreter {

// `varchar` is `text` with a length.
enum class Base : std::uint8_t {
  unknown,  // a literal in quotes, or null: becomes what is needed
  boolean,
  int2,
  int4,
  int8,
  numeric,
  float4,
  float8,
  text,
  bpchar,  // char(n)
  date,
  time,
  timestamp,
  timestamptz,
  interval,
  opaque,  // anything else: kept as text, compared for equality
  row,
};

struct Type {
  Base base = Base::unknown;
  bool is_array = false;        // of `base`
  std::int32_t precision = -1;  // of numeric, or the length of text and bpchar; -1: none
  std::int32_t scale = 0;       // of numeric
  std::string name = {};        // of opaque types

  // The same apart from lengths and precisions.
  friend bool operator==(const Type& a, const Type& b) {
    return a.base == b.base && a.is_array == b.is_array && a.name == b.name;
  }
};

// "integer", "int4", "numeric(12,2)", "character varying(10)", "text[]", "_int4". What is no
// name of a type we know is opaque.
Type parse_type(std::string_view text);

// "integer", "numeric", "integer[]", as PostgreSQL names it, without lengths.
std::string type_name(const Type& type);

bool is_integer(Base base);
bool is_float(Base base);
bool is_number(Base base);
bool is_text(Base base);

// PostgreSQL's categories: types of one category are converted to each other without a cast.
enum class Category : std::uint8_t { unknown, boolean, number, text, time, span, array, other };
Category category_of(const Type& type);
// The type that a choice among several of one category falls to.
bool is_preferred(const Type& type);
// Whether PostgreSQL converts without being asked to. An equal type counts; so does `unknown`.
bool converts_silently(const Type& from, const Type& to);

inline Type type_of(Base base) { return {.base = base}; }
inline Type array_of(Type element) {
  element.is_array = true;
  return element;
}
inline Type element_of(Type array) {
  array.is_array = false;
  return array;
}

}  // namespace heddle::interpreter
