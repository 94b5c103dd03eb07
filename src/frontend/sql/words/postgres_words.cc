#include "frontend/sql/words/postgres_words.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::sql {
namespace {

// What PostgreSQL takes for no name of a table or column.
constexpr std::string_view kReserved =
    "all analyse analyze and any array as asc asymmetric authorization binary both case cast "
    "check collate collation column concurrently constraint create cross current_catalog "
    "current_date current_role current_schema current_time current_timestamp current_user "
    "default deferrable desc distinct do else end except false fetch for foreign freeze from "
    "full grant group having ilike in initially inner intersect into is isnull join lateral "
    "leading left like limit localtime localtimestamp natural not notnull null offset on "
    "only or order outer overlaps placing primary references returning right select "
    "session_user similar some symmetric table tablesample then to trailing true union "
    "unique user using variadic verbose when where window with";

bool is_reserved(std::string_view word) {
  static const std::set<std::string, std::less<>> kWords = [] {
    std::set<std::string, std::less<>> words;
    for (const std::string& one : split(kReserved, ' ')) words.insert(one);
    return words;
  }();
  return kWords.contains(word);
}

constexpr SpelledType kSpelledTypes[] = {
    {"int2", "smallint", ""},
    {"int4", "integer", ""},
    {"int8", "bigint", ""},
    {"float4", "real", ""},
    {"float8", "double precision", ""},
    {"numeric", "numeric", ""},
    {"bool", "boolean", ""},
    {"varchar", "varchar", ""},
    {"timestamp", "timestamp", ""},
    {"timestamptz", "timestamp", " with time zone"},
    {"time", "time", ""},
    {"timetz", "time", " with time zone"},
    {"varbit", "bit varying", ""},
};

}  // namespace

std::string quoted_by(std::string_view text, char mark) {
  std::string quoted(1, mark);
  for (const char c : text) quoted.append(c == mark ? 2 : 1, c);
  return quoted + mark;
}

std::string postgres_name(std::string_view name) {
  const bool is_plain = !name.empty() && starts_word(name[0]) &&
                        std::all_of(name.begin(), name.end(), continues_word) &&
                        to_lower(name) == name && !is_reserved(name);
  return is_plain ? std::string(name) : quoted_by(name, '"');
}

const SpelledType* find_spelled_type(std::string_view name) {
  for (const SpelledType& one : kSpelledTypes) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace heddle::sql
