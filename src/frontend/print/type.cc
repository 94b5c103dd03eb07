// Casts and the names of types.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/print/print.h"
#include "frontend/sql/words/postgres_words.h"

namespace heddle::sql {
namespace {

struct IntervalWords {
  std::string_view mask;
  std::string_view words;
};
constexpr IntervalWords kIntervals[] = {
    {"4", "year"},
    {"2", "month"},
    {"8", "day"},
    {"1024", "hour"},
    {"2048", "minute"},
    {"4096", "second"},
    {"6", "year to month"},
    {"1032", "day to hour"},
    {"3080", "day to minute"},
    {"7176", "day to second"},
    {"3072", "hour to minute"},
    {"7168", "hour to second"},
    {"6144", "minute to second"},
    {"32767", ""},
};

// What a cast makes of a value: the same in the dialects that have a name for it.
enum class TypeKind : std::uint8_t { whole, text, decimal, real, date, moment, bytes };

struct TypeRow {
  std::string_view name;  // in the tree of any dialect
  TypeKind kind;
};
constexpr TypeRow kTypes[] = {
    {"int2", TypeKind::whole},      {"int4", TypeKind::whole},       {"int8", TypeKind::whole},
    {"integer", TypeKind::whole},   {"signed", TypeKind::whole},     {"bigint", TypeKind::whole},
    {"text", TypeKind::text},       {"varchar", TypeKind::text},     {"bpchar", TypeKind::text},
    {"numeric", TypeKind::decimal}, {"float8", TypeKind::real},      {"double", TypeKind::real},
    {"date", TypeKind::date},       {"timestamp", TypeKind::moment}, {"datetime", TypeKind::moment},
    {"bytea", TypeKind::bytes},     {"binary", TypeKind::bytes},     {"blob", TypeKind::bytes},
};

std::vector<std::string> names_of(const Node& type) {
  std::vector<std::string> names;
  for (const Node& one : type["names"]) names.push_back(one.content().text("sval"));
  return names;
}

std::string plain_type_name(const Node& type) {
  const std::vector<std::string> names = names_of(type);
  const bool is_own = names.size() == 2 && names[0] == "pg_catalog";
  return names.size() == 1 || is_own ? names.back() : "";
}

bool is_date(const std::string& text) {
  constexpr std::string_view kShape = "0000-00-00";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kShape[i] == '0' ? !is_digit(text[i]) : text[i] != kShape[i]) return false;
  }
  return true;
}

// CHAR without a length has the length 1 in PostgreSQL, and says so at no place of the text.
bool has_written_length(const Node& type) {
  const Node* length = type["typmods"].first;
  return length != nullptr && location_of(length->content()) != kNoOffset;
}

}  // namespace

Piece Printer::print_cast(const Node& content) {
  if (!has_only(content, {"arg", "typeName"})) return {};
  const Node& type = content["typeName"];
  if (is_same() && is_to(Dialect::postgres)) {
    return {"CAST(" + print_value(content["arg"]) + " AS " + print_type(type) + ")"};
  }
  const bool is_odd = has(type, "arrayBounds") || type.is_true("setof") || type.is_true("pct_type");
  const std::string plain = plain_type_name(type);
  if (is_odd || plain.empty()) return {lacks(content, "a cast to this type")};
  if (is_same()) {
    return {"CAST(" + print_value(content["arg"]) + " AS " + print_own_type(type) + ")"};
  }
  return print_cast_elsewhere(content, plain);
}

// MySQL's and SQLite's types to themselves: words of PostgreSQL's grammar become theirs again.
std::string Printer::print_own_type(const Node& type) {
  constexpr std::array<std::array<std::string_view, 3>, 9> kBack = {{
      {"int4", "INTEGER", "INTEGER"},
      {"int8", "BIGINT", "BIGINT"},
      {"float8", "DOUBLE", "REAL"},
      {"float4", "FLOAT", "REAL"},
      {"numeric", "DECIMAL", "NUMERIC"},
      {"bpchar", "CHAR", "TEXT"},
      {"varchar", "CHAR", "TEXT"},
      {"bool", "INTEGER", "NUMERIC"},
      {"timestamp", "DATETIME", "NUMERIC"},
  }};
  std::string word = plain_type_name(type);
  for (const auto& row : kBack) {
    if (word == row[0]) {
      word = row[is_to(Dialect::mysql) ? 1 : 2];
      break;
    }
  }
  if (!is_plain_name(word)) return refuse(type, "this type", "heddle does not know it");
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (!has_written_length(type)) return word;
  return word + "(" + print_values_of(type["typmods"]) + ")";
}

Piece Printer::print_cast_elsewhere(const Node& content, const std::string& type) {
  const Node& argument = content["arg"];
  const Node& type_node = content["typeName"];
  const auto* const row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                       [&](const TypeRow& one) { return one.name == type; });
  if (row == std::end(kTypes)) return {lacks(content, "a cast to " + type)};
  const std::string value = print_value(argument);
  const std::string length =
      has_written_length(type_node) ? "(" + print_values_of(type_node["typmods"]) + ")" : "";
  const auto constant = string_constant(argument);
  const auto cast_to = [&](const std::string& words) {
    return Piece{"CAST(" + value + " AS " + words + ")"};
  };
  const bool sqlite = is_to(Dialect::sqlite);
  const bool mysql = is_to(Dialect::mysql);
  switch (row->kind) {
    case TypeKind::whole:
      if (is_integer_constant(argument)) return {value, Binding::sign};
      if (constant && constant->find_first_not_of("0123456789") == std::string::npos &&
          !constant->empty()) {
        return cast_to(sqlite ? "INTEGER" : mysql ? "SIGNED" : "bigint");
      }
      // SQLite cuts off, the others round.
      if (is_from(Dialect::sqlite)) {
        return {mysql ? "TRUNCATE(" + value + ", 0)"
                      : "CAST(trunc(CAST(" + value + " AS numeric)) AS bigint)"};
      }
      if (!sqlite) return cast_to(mysql ? "SIGNED" : "bigint");
      if (is_volatile(argument)) return {lacks(content, "a rounding cast of this value")};
      return {
          fmt::format("CASE typeof({0}) WHEN 'real' THEN CAST(round({0}) AS INTEGER) ELSE "
                      "CAST({0} AS INTEGER) END",
                      value)};
    case TypeKind::text:
      if (type == "bpchar" && is_from(Dialect::postgres)) return {lacks(content, "char(n)")};
      if (sqlite) {
        if (length.empty()) return cast_to("TEXT");
        return {"substr(CAST(" + value + " AS TEXT), 1, " + length.substr(1)};
      }
      return cast_to((mysql ? "CHAR" : length.empty() ? "text" : "varchar") + length);
    case TypeKind::decimal:
      if (sqlite || is_from(Dialect::sqlite) || (mysql && length.empty())) {
        return {lacks(content, "a cast to numeric")};
      }
      if (length.empty()) return cast_to("numeric(10, 0)");
      return cast_to((mysql ? "DECIMAL" : "numeric") + length);
    case TypeKind::real:
      return cast_to(sqlite ? "REAL" : mysql ? "DOUBLE" : "double precision");
    case TypeKind::date:
      if (is_from(Dialect::sqlite)) return {lacks(content, "a cast to date")};
      if (!sqlite) return cast_to(mysql ? "DATE" : "date");
      if (constant && is_date(*constant)) return {value};
      return {"date(" + value + ")"};
    case TypeKind::moment:
      if (sqlite || is_from(Dialect::sqlite)) return {lacks(content, "a cast to timestamp")};
      return cast_to(mysql            ? "DATETIME(6)"
                     : length.empty() ? "timestamp(0)"
                                      : "timestamp" + length);
    case TypeKind::bytes:
      break;
  }
  return {lacks(content, "a cast to " + type)};
}

std::string Printer::print_interval_type(const Node& type) {
  const Node* mask = type["typmods"].first;
  if (mask == nullptr) return "interval";
  const std::string precision = mask->next == nullptr ? "" : "(" + print_value(*mask->next) + ")";
  const std::string bits = print_value(*mask);
  for (const IntervalWords& one : kIntervals) {
    if (bits != one.mask) continue;
    if (one.words.empty()) return "interval" + precision;
    return "interval " + std::string(one.words) + precision;
  }
  return lacks(type, "this interval");
}

std::string Printer::print_type(const Node& type) {
  if (!has_only(type, {"names", "typmods", "typemod", "arrayBounds", "setof", "pct_type"}))
    return "";
  const std::vector<std::string> names = names_of(type);
  const bool is_own = names.size() == 2 && names[0] == "pg_catalog";
  std::string text;
  std::string after;
  const SpelledType* own = find_spelled_type(names.back());
  const bool has_length = has(type, "typmods");
  if (is_own && names[1] == "interval") {
    text = print_interval_type(type);
  } else if (is_own && own != nullptr) {
    text = own->words;
    after = own->after;
  } else if (is_own && has_length && (names[1] == "bpchar" || names[1] == "bit")) {
    text = names[1] == "bit" ? "bit" : "char";
  } else {
    std::vector<std::string> quoted;
    for (const std::string& one : names) quoted.push_back(name(one));
    text = join(quoted, ".");
  }
  if (has_length && !(is_own && names[1] == "interval")) {
    text += "(" + print_values_of(type["typmods"]) + ")";
  }
  text += after;
  if (type.is_true("pct_type")) text += "%TYPE";
  if (type.is_true("setof")) text = "SETOF " + text;
  for (const Node& bound : type["arrayBounds"]) {
    const std::string& size = bound.content().text("ival");
    text += "[" + size + "]";
  }
  return text;
}

}  // namespace heddle::sql
