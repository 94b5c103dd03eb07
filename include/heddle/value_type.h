/// ValueType: what kind of values a column holds, or a parameter of a program takes; the same words
/// for all databases and for programs.
///
///   to_string(ValueType::integer32)   // "integer32"
///   is_integer(ValueType::integer32)  // true
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// What a type of a database means. Lengths, precisions and names of enumerations are not part of
/// it; see ColumnType.
enum class ValueType : std::uint8_t {
  unknown,      ///< a type that we do not know: its values cannot be made up
  boolean,      ///< true or false; of MySQL also tinyint(1)
  integer16,    ///< 16 bits or fewer
  integer32,    ///< 32 bits or fewer
  integer64,    ///< 64 bits; all integers of SQLite
  numeric,      ///< exact decimals
  real32,       ///< single precision
  real64,       ///< double precision
  text,         ///< of any length
  varying,      ///< text up to a length
  padded_text,  ///< char(n): blanks at the end do not count
  bytes,        ///< binary strings
  bits,         ///< bit strings
  date,
  time,
  time_with_zone,
  timestamp,            ///< a date and a time as a calendar and a clock on a wall show them
  timestamp_with_zone,  ///< a point in time
  interval,
  json,
  uuid,
  array,        ///< ColumnType::element tells of what
  enumeration,  ///< one of a list of labels
};

/// The name of the enumerator.
std::string to_string(ValueType type);

/// Whether it is one of the three widths of integers.
bool is_integer(ValueType type);

/// Whether its values are texts: text, varying and padded_text.
bool is_text(ValueType type);

}  // namespace heddle
