#include "schema/types.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text.h"

namespace heddle::sql {
namespace {

struct NamedType {
  std::string_view name;
  ValueType type;
};

// By the names that the parser gives; those that are only names keep theirs.
constexpr NamedType kPostgresTypes[] = {
    {"bool", ValueType::boolean},
    {"int2", ValueType::integer16},
    {"int4", ValueType::integer32},
    {"int8", ValueType::integer64},
    {"smallserial", ValueType::integer16},
    {"serial2", ValueType::integer16},
    {"serial", ValueType::integer32},
    {"serial4", ValueType::integer32},
    {"bigserial", ValueType::integer64},
    {"serial8", ValueType::integer64},
    {"numeric", ValueType::numeric},
    {"float4", ValueType::real32},
    {"float8", ValueType::real64},
    {"text", ValueType::text},
    {"citext", ValueType::text},
    {"name", ValueType::text},
    {"varchar", ValueType::varying},
    {"bpchar", ValueType::padded_text},
    {"char", ValueType::padded_text},
    {"bytea", ValueType::bytes},
    {"bit", ValueType::bits},
    {"varbit", ValueType::bits},
    {"date", ValueType::date},
    {"time", ValueType::time},
    {"timetz", ValueType::time_with_zone},
    {"timestamp", ValueType::timestamp},
    {"timestamptz", ValueType::timestamp_with_zone},
    {"interval", ValueType::interval},
    {"json", ValueType::json},
    {"jsonb", ValueType::json},
    {"uuid", ValueType::uuid},
};

constexpr NamedType kMysqlTypes[] = {
    {"bool", ValueType::boolean},
    {"boolean", ValueType::boolean},
    {"tinyint", ValueType::integer16},
    {"int1", ValueType::integer16},
    {"smallint", ValueType::integer16},
    {"int2", ValueType::integer16},
    {"mediumint", ValueType::integer32},
    {"middleint", ValueType::integer32},
    {"int3", ValueType::integer32},
    {"int", ValueType::integer32},
    {"integer", ValueType::integer32},
    {"int4", ValueType::integer32},
    {"bigint", ValueType::integer64},
    {"int8", ValueType::integer64},
    {"serial", ValueType::numeric},
    {"year", ValueType::integer16},
    {"decimal", ValueType::numeric},
    {"dec", ValueType::numeric},
    {"numeric", ValueType::numeric},
    {"fixed", ValueType::numeric},
    {"number", ValueType::numeric},
    {"float", ValueType::real32},
    {"float4", ValueType::real32},
    {"double", ValueType::real64},
    {"double precision", ValueType::real64},
    {"real", ValueType::real64},
    {"float8", ValueType::real64},
    {"char", ValueType::padded_text},
    {"character", ValueType::padded_text},
    {"nchar", ValueType::padded_text},
    {"national char", ValueType::padded_text},
    {"national character", ValueType::padded_text},
    {"varchar", ValueType::varying},
    {"char varying", ValueType::varying},
    {"character varying", ValueType::varying},
    {"nvarchar", ValueType::varying},
    {"varchar2", ValueType::varying},
    {"national varchar", ValueType::varying},
    {"national char varying", ValueType::varying},
    {"national character varying", ValueType::varying},
    {"tinytext", ValueType::text},
    {"text", ValueType::text},
    {"mediumtext", ValueType::text},
    {"longtext", ValueType::text},
    {"long", ValueType::text},
    {"long varchar", ValueType::text},
    {"clob", ValueType::text},
    {"set", ValueType::text},
    {"binary", ValueType::bytes},
    {"varbinary", ValueType::bytes},
    {"tinyblob", ValueType::bytes},
    {"blob", ValueType::bytes},
    {"mediumblob", ValueType::bytes},
    {"longblob", ValueType::bytes},
    {"long varbinary", ValueType::bytes},
    {"bit", ValueType::bits},
    {"date", ValueType::date},
    {"time", ValueType::time},
    {"datetime", ValueType::timestamp},
    {"timestamp", ValueType::timestamp_with_zone},
    {"json", ValueType::json},
    {"uuid", ValueType::uuid},
    {"enum", ValueType::enumeration},
};

// Names that people give; SQLite goes by their affinity alone, and integers have 64 bits whatever
// they are called.
constexpr NamedType kSqliteTypes[] = {
    {"bool", ValueType::boolean},
    {"boolean", ValueType::boolean},
    {"date", ValueType::date},
    {"time", ValueType::time},
    {"datetime", ValueType::timestamp},
    {"timestamp", ValueType::timestamp},
    {"timestamp with time zone", ValueType::timestamp_with_zone},
    {"timestamptz", ValueType::timestamp_with_zone},
    {"json", ValueType::json},
    {"jsonb", ValueType::json},
    {"uuid", ValueType::uuid},
    {"decimal", ValueType::numeric},
    {"numeric", ValueType::numeric},
};

std::span<const NamedType> types_of(Dialect dialect) {
  if (dialect == Dialect::mysql) return kMysqlTypes;
  if (dialect == Dialect::sqlite) return kSqliteTypes;
  return kPostgresTypes;
}

// The same type in each dialect, and what is lost on the way.
struct Translation {
  ValueType type;
  std::string_view postgres;
  std::string_view mysql;
  std::string_view sqlite;
  bool has_arguments = false;
  std::string_view lost_in_mysql = {};
  std::string_view lost_in_sqlite = {};
};

constexpr std::string_view kNoLimits = "SQLite checks no lengths";
constexpr std::string_view kTimeIsText = "SQLite keeps dates and times as text";
constexpr std::string_view kNoSuchType = "there is no such type; its values become text";

constexpr Translation kTranslations[] = {
    {ValueType::unknown, "text", "longtext", "TEXT", false, kNoSuchType, kNoSuchType},
    {ValueType::boolean, "boolean", "boolean", "BOOLEAN"},
    {ValueType::integer16, "smallint", "smallint", "INTEGER"},
    {ValueType::integer32, "integer", "int", "INTEGER"},
    {ValueType::integer64, "bigint", "bigint", "INTEGER"},
    {ValueType::numeric, "numeric", "decimal", "NUMERIC", true, "",
     "SQLite keeps decimals as floating-point numbers"},
    {ValueType::real32, "real", "float", "REAL"},
    {ValueType::real64, "double precision", "double", "REAL"},
    {ValueType::text, "text", "longtext", "TEXT"},
    {ValueType::varying, "varchar", "varchar", "TEXT", true, "", kNoLimits},
    {ValueType::padded_text, "char", "char", "TEXT", true, "",
     "SQLite checks no lengths and compares the blanks at the end, too"},
    {ValueType::bytes, "bytea", "longblob", "BLOB"},
    {ValueType::bits, "varbit", "bit(64)", "TEXT", false, "MariaDB has no bit strings but numbers",
     kNoSuchType},
    {ValueType::date, "date", "date", "DATE", false, "", kTimeIsText},
    {ValueType::time, "time", "time", "TIME", true, "", kTimeIsText},
    {ValueType::time_with_zone, "time with time zone", "time", "TIME", false,
     "MariaDB's times have no zone", kTimeIsText},
    {ValueType::timestamp, "timestamp", "datetime", "TIMESTAMP", true, "", kTimeIsText},
    {ValueType::timestamp_with_zone, "timestamptz", "timestamp", "TIMESTAMP", true,
     "MariaDB's points in time end with the year 2038", kTimeIsText},
    {ValueType::interval, "interval", "varchar(64)", "TEXT", false, kNoSuchType, kNoSuchType},
    {ValueType::json, "jsonb", "json", "TEXT", false, "", "SQLite does not check what is JSON"},
    {ValueType::uuid, "uuid", "uuid", "TEXT", false, "", "SQLite compares identifiers as text"},
    {ValueType::array, "text[]", "longtext", "TEXT", false, kNoSuchType, kNoSuchType},
    {ValueType::enumeration, "text", "longtext", "TEXT"},
};

const Translation& translation_of(ValueType type) {
  return *std::find_if(std::begin(kTranslations), std::end(kTranslations),
                       [&](const Translation& one) { return one.type == type; });
}

std::string arguments_text(const std::vector<std::uint32_t>& arguments) {
  std::vector<std::string> texts;
  for (std::uint32_t one : arguments) texts.push_back(std::to_string(one));
  return texts.empty() ? "" : "(" + join(texts, ",") + ")";
}

constexpr std::uint32_t kMostDigits = 65;
constexpr std::uint32_t kMostFraction = 38;
constexpr std::uint32_t kLongestVarying = 16383;  // of four bytes each, in a row of 64 KB
constexpr std::uint32_t kLongestPadded = 255;

TypeText mysql_decimal(const std::vector<std::uint32_t>& arguments) {
  constexpr std::string_view kLost = "MariaDB's decimals have 65 digits at most, 38 of a fraction";
  if (arguments.empty()) return {.text = "decimal(65,30)", .lost = std::string(kLost)};
  std::vector<std::uint32_t> bounded = arguments;
  bounded.resize(2);
  bounded[1] = std::min(bounded[1], kMostFraction);
  bounded[0] = std::min(std::max(bounded[0], bounded[1]), kMostDigits);
  const bool is_exact = std::equal(arguments.begin(), arguments.end(), bounded.begin());
  return {.text = "decimal" + arguments_text(is_exact ? arguments : bounded),
          .lost = is_exact ? "" : std::string(kLost)};
}

// MariaDB's own demands: lengths for keys, and what decimals mean without a precision.
TypeText translate_to_mysql(const ColumnType& type, const Translation& row, bool is_key) {
  const std::uint32_t length = type.arguments.empty() ? 0 : type.arguments[0];
  const bool unbounded =
      type.type == ValueType::text || type.type == ValueType::unknown ||
      (type.type == ValueType::varying && (type.arguments.empty() || length > kLongestVarying));
  constexpr std::string_view kShortened = "a key of MariaDB needs a bounded length";
  if (unbounded && is_key) return {.text = "varchar(255)", .lost = std::string(kShortened)};
  if (type.type == ValueType::bytes && is_key) {
    return {.text = "varbinary(255)", .lost = std::string(kShortened)};
  }
  if (unbounded && type.type == ValueType::varying) {
    return {.text = "longtext",
            .lost = length == 0 ? "" : "MariaDB's bounds of texts end at 16383 characters"};
  }
  if (type.type == ValueType::padded_text && length > kLongestPadded) {
    return {.text = "varchar" + arguments_text({std::min(length, kLongestVarying)}),
            .lost = "MariaDB's padded texts end at 255 characters"};
  }
  if (type.type == ValueType::numeric) return mysql_decimal(type.arguments);
  const bool is_exact = row.lost_in_mysql.empty();
  return {
      .text = std::string(row.mysql) + (row.has_arguments ? arguments_text(type.arguments) : ""),
      .lost = is_exact ? "" : std::string(row.lost_in_mysql)};
}

// PostgreSQL's own demand: its texts have room for a character.
TypeText translate_to_postgres(const ColumnType& type, const Translation& row) {
  TypeText result{.text = std::string(row.postgres)};
  const bool has_length = type.type == ValueType::varying || type.type == ValueType::padded_text;
  if (has_length && !type.arguments.empty() && type.arguments[0] == 0) {
    return {.text = result.text + "(1)", .lost = "its texts have room for a character"};
  }
  if (row.has_arguments) result.text += arguments_text(type.arguments);
  if (type.type == ValueType::unknown) result.lost = std::string(kNoSuchType);
  return result;
}

}  // namespace

ValueType find_type(std::string_view name, Dialect dialect) {
  for (const NamedType& one : types_of(dialect)) {
    if (one.name == name) return one.type;
  }
  return ValueType::unknown;
}

ValueType type_by_affinity(std::string_view name) {
  struct Affinity {
    std::string_view part;
    ValueType type;
  };
  constexpr Affinity kAffinities[] = {
      {"int", ValueType::integer64}, {"char", ValueType::text},   {"clob", ValueType::text},
      {"text", ValueType::text},     {"blob", ValueType::bytes},  {"real", ValueType::real64},
      {"floa", ValueType::real64},   {"doub", ValueType::real64},
  };
  // Without a type a column keeps any value as it is.
  if (name.empty()) return ValueType::unknown;
  for (const Affinity& one : kAffinities) {
    if (name.find(one.part) != std::string_view::npos) return one.type;
  }
  return ValueType::numeric;
}

bool is_serial(std::string_view name) {
  constexpr std::string_view kSerials[] = {"smallserial", "serial2",   "serial",
                                           "serial4",     "bigserial", "serial8"};
  return std::find(std::begin(kSerials), std::end(kSerials), name) != std::end(kSerials);
}

ValueType to_unsigned(ValueType type) {
  if (type == ValueType::integer16) return ValueType::integer32;
  if (type == ValueType::integer32) return ValueType::integer64;
  if (type == ValueType::integer64) return ValueType::numeric;
  return type;
}

TypeText translate_type(const ColumnType& type, Dialect to, bool is_key) {
  const Translation& row = translation_of(type.type);
  if (to == Dialect::mysql) return translate_to_mysql(type, row, is_key);
  if (to == Dialect::sqlite) {
    return {.text = std::string(row.sqlite), .lost = std::string(row.lost_in_sqlite)};
  }
  return translate_to_postgres(type, row);
}

}  // namespace heddle::sql
