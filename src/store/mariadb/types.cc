#include "store/mariadb/types.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace heddle {

namespace {

// The number of the character set of bytes.
constexpr unsigned kBinary = 63;

// The length is that of the text, with sign and point.
std::string numeric_type(const MYSQL_FIELD& field) {
  const unsigned long point = field.decimals > 0 ? 1 : 0;
  const unsigned long sign = (field.flags & UNSIGNED_FLAG) == 0 ? 1 : 0;
  const unsigned long digits =
      std::max<unsigned long>(field.length, point + sign + 1) - point - sign;
  return fmt::format("numeric({},{})", digits, field.decimals);
}

// Unsigned numbers need the next wider type.
const char* integer_type(const MYSQL_FIELD& field, const char* narrow, const char* wide) {
  return (field.flags & UNSIGNED_FLAG) == 0 ? narrow : wide;
}

}  // namespace

std::string postgres_type(const MYSQL_FIELD& field) {
  switch (field.type) {
    case MYSQL_TYPE_TINY:
      return field.length == 1 ? "boolean" : "smallint";
    case MYSQL_TYPE_SHORT:
      return integer_type(field, "smallint", "integer");
    case MYSQL_TYPE_YEAR:
    case MYSQL_TYPE_INT24:
      return "integer";
    case MYSQL_TYPE_LONG:
      return integer_type(field, "integer", "bigint");
    case MYSQL_TYPE_LONGLONG:
      return integer_type(field, "bigint", "numeric");
    case MYSQL_TYPE_FLOAT:
      return "real";
    case MYSQL_TYPE_DOUBLE:
      return "double precision";
    case MYSQL_TYPE_DECIMAL:
    case MYSQL_TYPE_NEWDECIMAL:
      return numeric_type(field);
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_NEWDATE:
      return "date";
    case MYSQL_TYPE_TIME:
      return "time without time zone";
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_TIMESTAMP:
      return "timestamp without time zone";
    default:
      return field.charsetnr == kBinary && (field.flags & BINARY_FLAG) != 0 ? "bytea" : "text";
  }
}

void add_types(MYSQL_RES* result, ResultSet& set) {
  const MYSQL_FIELD* const fields = mysql_fetch_fields(result);
  for (std::size_t i = 0; i < set.columns.size(); ++i) {
    set.columns[i].type = postgres_type(fields[i]);
  }
}

}  // namespace heddle
