#include "frontend/plpgsql/types.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "frontend/sql/reader.h"
#include "frontend/sql/words/postgres_words.h"

namespace heddle::plpgsql {

using sql::Node;

std::string type_text(const Node& type) {
  std::vector<std::string> names = sql::string_list(type["names"]);
  std::string_view after;
  if (names.size() == 2 && names[0] == "pg_catalog") {
    names.erase(names.begin());
    const sql::SpelledType* spelled = sql::find_spelled_type(names[0]);
    if (spelled != nullptr) {
      names[0] = spelled->words;
      after = spelled->after;
    }
    // Without a length, too, "char" being another type.
    if (names[0] == "bpchar") names[0] = "char";
  } else {
    for (std::string& name : names) name = sql::postgres_name(name);
  }
  std::string text = join(names, ".");
  if (type.is_true("pct_type")) return text + "%type";
  std::vector<std::string> modifiers;
  for (const Node& modifier : type["typmods"]) {
    const std::string& number = modifier.content()["ival"].text("ival");
    modifiers.push_back(number.empty() ? "0" : number);
  }
  if (!modifiers.empty() && names[0] != "interval") text += "(" + join(modifiers, ",") + ")";
  text += after;
  for (const Node& bound : type["arrayBounds"]) {
    static_cast<void>(bound);
    text += "[]";
  }
  return text;
}

namespace {

// Narrower ones first.
constexpr std::array<std::string_view, 6> kNumbers = {"smallint", "integer",          "bigint",
                                                      "numeric",  "double precision", "real"};

std::string canonical(const std::string& type) {
  std::string plain = type.substr(0, type.find('('));
  if (plain == "int" || plain == "int4" || plain == "serial") return "integer";
  if (plain == "int8" || plain == "bigserial") return "bigint";
  if (plain == "int2") return "smallint";
  if (plain == "decimal") return "numeric";
  if (plain == "float8" || plain == "float") return "double precision";
  return plain;
}

std::string type_of_literal(const std::string& text) {
  if (text.starts_with('\'')) return "text";
  if (text == "true" || text == "false") return "boolean";
  if (text.find_first_not_of("-0123456789") == std::string::npos) {
    return text.size() > 9 ? "bigint" : "integer";
  }
  return text.find_first_not_of("-0123456789.eE+") == std::string::npos ? "numeric" : "";
}

// Of a sum or the like: that of the wider number.
std::string wider(const std::string& one, const std::string& other) {
  const auto a = std::ranges::find(kNumbers, canonical(one));
  const auto b = std::ranges::find(kNumbers, canonical(other));
  if (a == kNumbers.end() || b == kNumbers.end()) return "";
  return std::string(*std::max(a, b));
}

// Empty: there are none, or of several types.
std::string type_of_columns(const std::string& name, const Schema& schema) {
  std::string type;
  for (const Table& table : schema.tables) {
    const TableColumn* column = find_column(table, name, schema.dialect);
    if (column == nullptr) continue;
    if (!type.empty() && type != column->type.text) return "";
    type = column->type.text;
  }
  return type;
}

std::string type_of_sum(const std::string& sign, const std::string& one, const std::string& other) {
  if (const std::string number = wider(one, other); !number.empty()) return number;
  const bool are_days = one == "date" && other == "date" && sign == "-";
  if (are_days) return "integer";
  if (one == "date" && canonical(other) == "integer") return "date";
  return one.starts_with("timestamp") && other == "interval" ? one : "";
}

}  // namespace

std::string type_of_value(const Expression& value, const std::vector<Variable>& variables,
                          const Schema& schema) {
  const auto of = [&](std::size_t operand) {
    return operand < value.operands.size()
               ? type_of_value(value.operands[operand], variables, schema)
               : "";
  };
  if (value.kind == ExpressionKind::literal) return type_of_literal(value.text);
  if (value.kind == ExpressionKind::cast) return value.text;
  if (value.kind == ExpressionKind::choice) return of(1);
  if (value.kind == ExpressionKind::field) return type_of_columns(value.text, schema);
  if (value.kind == ExpressionKind::variable) {
    const auto known = std::ranges::find(variables, value.text, &Variable::name);
    return known == variables.end() ? "" : known->type;
  }
  if (value.kind == ExpressionKind::element) {
    const std::string array = of(0);
    return array.ends_with("[]") ? array.substr(0, array.size() - 2) : "";
  }
  if (value.kind != ExpressionKind::call) return "";
  static constexpr std::array<std::string_view, 13> kTruths = {
      "=", "<>", "<", ">", "<=", ">=", "and", "or", "not", "is null", "is not null", "like", "in"};
  static constexpr std::array<std::string_view, 5> kSums = {"+", "-", "*", "/", "%"};
  static constexpr std::array<std::string_view, 5> kOfTheFirst = {"coalesce", "greatest", "least",
                                                                  "nullif", "abs"};
  if (std::ranges::find(kTruths, value.text) != kTruths.end()) return "boolean";
  if (value.text == "||" || value.text == "concat") return "text";
  if (std::ranges::find(kOfTheFirst, value.text) != kOfTheFirst.end()) return of(0);
  if (std::ranges::find(kSums, value.text) == kSums.end()) return "";
  return value.operands.size() == 2 ? type_of_sum(value.text, of(0), of(1)) : of(0);
}

}  // namespace heddle::plpgsql
