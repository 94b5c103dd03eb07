// Values, columns, conditions and what is written much the same everywhere.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/print/print.h"
#include "frontend/sql/words/functions.h"

namespace heddle::sql {
namespace {

struct TestWords {
  std::string_view type;
  std::string_view words;
};
constexpr TestWords kBooleanTests[] = {
    {"IS_TRUE", "IS TRUE"},       {"IS_NOT_TRUE", "IS NOT TRUE"},
    {"IS_FALSE", "IS FALSE"},     {"IS_NOT_FALSE", "IS NOT FALSE"},
    {"IS_UNKNOWN", "IS UNKNOWN"}, {"IS_NOT_UNKNOWN", "IS NOT UNKNOWN"},
};

struct ClockWords {
  std::string_view op;
  std::string_view words;
  bool in_mysql;
  bool in_sqlite;
};
constexpr ClockWords kClocks[] = {
    {"SVFOP_CURRENT_DATE", "CURRENT_DATE", true, true},
    {"SVFOP_CURRENT_TIME", "CURRENT_TIME", true, true},
    {"SVFOP_CURRENT_TIME_N", "CURRENT_TIME", true, false},
    {"SVFOP_CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP", true, true},
    {"SVFOP_CURRENT_TIMESTAMP_N", "CURRENT_TIMESTAMP", true, false},
    {"SVFOP_LOCALTIME", "LOCALTIME", false, false},
    {"SVFOP_LOCALTIME_N", "LOCALTIME", false, false},
    {"SVFOP_LOCALTIMESTAMP", "LOCALTIMESTAMP", true, false},
    {"SVFOP_LOCALTIMESTAMP_N", "LOCALTIMESTAMP", true, false},
    {"SVFOP_CURRENT_ROLE", "CURRENT_ROLE", false, false},
    {"SVFOP_CURRENT_USER", "CURRENT_USER", false, false},
    {"SVFOP_USER", "USER", false, false},
    {"SVFOP_SESSION_USER", "SESSION_USER", false, false},
    {"SVFOP_CURRENT_CATALOG", "CURRENT_CATALOG", false, false},
    {"SVFOP_CURRENT_SCHEMA", "CURRENT_SCHEMA", false, false},
};

constexpr std::string_view kDefaultSchemas[] = {"public", "main"};

bool is_default_schema(const std::string& schema) {
  return std::find(std::begin(kDefaultSchemas), std::end(kDefaultSchemas), schema) !=
         std::end(kDefaultSchemas);
}

// The types of nodes below a node, itself included.
template <class Visit>
void visit_all(const Node& node, Visit visit) {
  std::vector<const Node*> pending{&node};
  while (!pending.empty()) {
    const Node* current = pending.back();
    pending.pop_back();
    visit(*current);
    for (const Node& child : *current) pending.push_back(&child);
  }
}

}  // namespace

std::optional<std::string> string_constant(const Node& node) {
  if (node.type() != "A_Const" || !has(node.content(), "sval")) return std::nullopt;
  return node.content()["sval"].text("sval");
}

bool is_integer_constant(const Node& node) {
  return node.type() == "A_Const" && has(node.content(), "ival");
}

bool is_number_constant(const Node& node) {
  return is_integer_constant(node) || (node.type() == "A_Const" && has(node.content(), "fval"));
}

std::set<std::string> columns_in(const Node& node) {
  std::set<std::string> columns;
  visit_all(node, [&](const Node& one) {
    if (one.name != "ColumnRef") return;
    std::string last = "*";
    for (const Node& field : one["fields"]) {
      last = field.type() == "String" ? field.content().text("sval") : "*";
    }
    columns.insert(last);
  });
  return columns;
}

bool is_volatile(const Node& node) {
  bool found = false;
  visit_all(node, [&](const Node& one) {
    if (one.name == "SubLink") found = true;
    if (one.name != "FuncCall") return;
    const std::string function = plain_function_name(one["funcname"]);
    constexpr std::string_view kPure[] = {"lower", "upper", "abs",      "round",      "length",
                                          "trim",  "btrim", "coalesce", "char_length"};
    found = found || std::find(std::begin(kPure), std::end(kPure), function) == std::end(kPure);
  });
  return found;
}

Piece Printer::print_any(const Node& node) {
  struct Kind {
    std::string_view type;
    Piece (Printer::*print)(const Node&);
  };
  static constexpr Kind kKinds[] = {
      {"A_Const", &Printer::print_constant},
      {"ColumnRef", &Printer::print_column},
      {"ParamRef", &Printer::print_parameter},
      {"A_Expr", &Printer::print_operator},
      {"BoolExpr", &Printer::print_boolean},
      {"NullTest", &Printer::print_null_test},
      {"BooleanTest", &Printer::print_boolean_test},
      {"CaseExpr", &Printer::print_case},
      {"CoalesceExpr", &Printer::print_coalesce},
      {"MinMaxExpr", &Printer::print_extreme},
      {"RowExpr", &Printer::print_row},
      {"A_ArrayExpr", &Printer::print_array},
      {"A_Indirection", &Printer::print_indirection},
      {"CollateClause", &Printer::print_collation},
      {"SubLink", &Printer::print_sublink},
      {"SQLValueFunction", &Printer::print_clock},
      {"SetToDefault", &Printer::print_default},
      {"GroupingFunc", &Printer::print_grouping_call},
      {"GroupingSet", &Printer::print_grouping_set},
      {"CurrentOfExpr", &Printer::print_cursor},
      {"NamedArgExpr", &Printer::print_named_argument},
      {"TypeCast", &Printer::print_cast},
      {"FuncCall", &Printer::print_call},
      {"List", &Printer::print_list},
  };
  if (!enter(node)) return {};
  for (const Kind& kind : kKinds) {
    if (node.type() != kind.type) continue;
    check_grouping(node);
    ++depth_;
    Piece piece = (this->*kind.print)(node.content());
    --depth_;
    return piece;
  }
  return {refuse(node, node.type().empty() ? "this expression" : std::string(node.type()),
                 "heddle does not know how to print it")};
}

std::string Printer::operand(const Node& node, Binding least) {
  Piece piece = print_any(node);
  return piece.binding < least ? "(" + piece.text + ")" : piece.text;
}

std::string Printer::print_values_of(const Node& list, std::string_view separator) {
  std::vector<std::string> texts;
  for (const Node& one : list) texts.push_back(print_value(one));
  return join(texts, separator);
}

Piece Printer::print_list(const Node& content) {
  return {"(" + print_values_of(content["items"]) + ")"};
}

// The tree leaves out integers that are not positive; the text has them.
std::string Printer::integer_text(const Node& content) {
  const Node& value = content["ival"];
  if (has(value, "ival")) return value.text("ival");
  const std::size_t location = location_of(content);
  if (location == kNoOffset) return "0";
  std::size_t at = tokens_.index_at(location);
  const bool negative = tokens_.is_symbol(at, '-');
  while (tokens_.is_symbol(at, '-') || tokens_.is_symbol(at, '(')) ++at;
  if (!negative || at >= tokens_.size()) return "0";
  const std::string digits(tokens_.text(at));
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return refuse(content, "this number", "heddle cannot read it");
  }
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? "0" : "-" + digits.substr(first);
}

Piece Printer::print_constant(const Node& content) {
  if (!has_only(content, {"ival", "fval", "sval", "bsval", "boolval", "isnull"})) return {};
  if (content.is_true("isnull")) return {"NULL"};
  if (has(content, "boolval")) {
    return {content["boolval"].is_true("boolval") ? "TRUE" : "FALSE"};
  }
  if (has(content, "sval")) return {print_string(content["sval"].text("sval"), to_)};
  if (has(content, "bsval")) {
    const std::string& bits = content["bsval"].text("bsval");
    if (!is_same()) return {lacks(content, "bits or bytes as a constant")};
    return {bits.substr(0, 1) + quote_string(bits.substr(1))};
  }
  std::string number = has(content, "fval") ? content["fval"].text("fval") : integer_text(content);
  const bool negative = number.starts_with('-');
  return {std::move(number), negative ? Binding::sign : Binding::whole};
}

Piece Printer::print_column(const Node& content) {
  if (!has_only(content, {"fields"})) return {};
  std::vector<std::string> parts;
  for (const Node& field : content["fields"]) {
    if (field.type() == "A_Star") {
      parts.emplace_back("*");
    } else if (field.type() == "String") {
      const std::string& text = field.content().text("sval");
      parts.push_back(parts.empty() ? spelled_name(text, content) : name(text));
    } else {
      return {refuse(field, "this column", "heddle does not know how to print it")};
    }
  }
  const bool is_qualified = parts.size() > 2;
  if (is_qualified && !is_same()) {
    const std::string& schema = content["fields"].first->content().text("sval");
    if (parts.size() > 3 || !is_default_schema(schema))
      return {lacks(content, "a schema before a column")};
    parts.erase(parts.begin());
  }
  const bool is_excluded = in_conflict_ && parts.size() == 2 && parts[0] == "excluded";
  if (is_excluded && is_to(Dialect::mysql)) return {"VALUES(" + parts[1] + ")"};
  const bool is_bare = parts.size() == 1 && parts[0] != "*";
  if (is_bare && !conflict_table_.empty()) return {conflict_table_ + "." + parts[0]};
  return {join(parts, ".")};
}

Piece Printer::print_parameter(const Node& content) { return {placeholder(content)}; }

Piece Printer::print_boolean(const Node& content) {
  const std::string& kind = content.text("boolop");
  if (kind == "NOT_EXPR") {
    const Node& argument = *content["args"].first;
    // x NOT IN (SELECT ...) is NOT around the subquery, at the same place.
    const bool is_not_in = argument.type() == "SubLink" &&
                           argument.content().text("subLinkType") == "ANY_SUBLINK" &&
                           !has(argument.content(), "operName") &&
                           location_of(argument.content()) == location_of(content);
    if (is_not_in) {
      const Node& link = argument.content();
      return {operand(link["testexpr"], Binding::other) + " NOT IN (" +
                  print_query(link["subselect"]) + ")",
              Binding::comparison};
    }
    return {"NOT " + operand(argument, Binding::not_), Binding::not_};
  }
  const bool is_and = kind == "AND_EXPR";
  const Binding binding = is_and ? Binding::and_ : Binding::or_;
  const auto stronger = static_cast<Binding>(static_cast<int>(binding) + 1);
  std::vector<std::string> parts;
  for (const Node& argument : content["args"]) parts.push_back(operand(argument, stronger));
  return {join(parts, is_and ? " AND " : " OR "), binding};
}

Piece Printer::print_null_test(const Node& content) {
  if (!has_only(content, {"arg", "nulltesttype", "argisrow"})) return {};
  const bool is_null = content.text("nulltesttype") == "IS_NULL";
  const bool is_row = content["arg"].type() == "RowExpr";
  if (is_row && !is_to(Dialect::postgres)) return {lacks(content, "IS NULL of a row")};
  return {operand(content["arg"], Binding::other) + (is_null ? " IS NULL" : " IS NOT NULL"),
          Binding::comparison};
}

Piece Printer::print_boolean_test(const Node& content) {
  for (const TestWords& test : kBooleanTests) {
    if (content.text("booltesttype") != test.type) continue;
    std::string words(test.words);
    if (is_to(Dialect::sqlite) && words.ends_with("UNKNOWN")) {
      words.replace(words.size() - 7, 7, "NULL");
    }
    return {operand(content["arg"], Binding::other) + " " + words, Binding::comparison};
  }
  return {lacks(content, content.text("booltesttype"))};
}

Piece Printer::print_case(const Node& content) {
  if (!has_only(content, {"arg", "args", "defresult"})) return {};
  std::string text = "CASE";
  if (has(content, "arg")) text += " " + print_value(content["arg"]);
  for (const Node& when : content["args"]) {
    text += " WHEN " + print_value(when.content()["expr"]) + " THEN " +
            print_value(when.content()["result"]);
  }
  if (has(content, "defresult")) text += " ELSE " + print_value(content["defresult"]);
  return {text + " END"};
}

Piece Printer::print_coalesce(const Node& content) {
  const bool is_single = size_of(content["args"]) == 1;
  if (is_single && is_to(Dialect::sqlite)) return {"(" + print_values_of(content["args"]) + ")"};
  return {"COALESCE(" + print_values_of(content["args"]) + ")"};
}

// PostgreSQL leaves NULLs out; elsewhere one NULL makes the whole NULL.
Piece Printer::print_extreme(const Node& content) {
  constexpr std::size_t kMostArguments = 4;
  const bool is_greatest = content.text("op") == "IS_GREATEST";
  std::string function = is_greatest ? "GREATEST" : "LEAST";
  if (is_to(Dialect::sqlite)) function = is_greatest ? "max" : "min";
  std::vector<std::string> arguments;
  for (const Node& argument : content["args"]) arguments.push_back(print_value(argument));
  const bool skips_from = is_from(Dialect::postgres);
  const bool skips_to = is_to(Dialect::postgres);
  if (arguments.size() == 1 && !skips_to) return {"(" + arguments[0] + ")"};
  if (skips_from == skips_to) return {function + "(" + join(arguments, ", ") + ")"};
  if (is_volatile(content) || arguments.size() > kMostArguments) {
    return {refuse(content, function + " of these arguments",
                   "NULLs count otherwise there, and the arguments cannot be repeated")};
  }
  if (!skips_to) {
    std::string text = arguments[0];
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      text = fmt::format("COALESCE({0}({1}, {2}), {1}, {2})", function, text, arguments[i]);
    }
    return {text};
  }
  std::vector<std::string> nulls;
  for (const Node& argument : content["args"]) {
    nulls.push_back(operand(argument, Binding::other) + " IS NULL");
  }
  return {fmt::format("CASE WHEN {} THEN NULL ELSE {}({}) END", join(nulls, " OR "), function,
                      join(arguments, ", "))};
}

Piece Printer::print_row(const Node& content) {
  if (!has_only(content, {"args", "row_format"})) return {};
  const bool is_explicit = content.text("row_format") == "COERCE_EXPLICIT_CALL";
  const std::string values = "(" + print_values_of(content["args"]) + ")";
  const bool needs_word = size_of(content["args"]) < 2;
  if (is_to(Dialect::postgres)) return {(is_explicit ? "ROW" : "") + values};
  return {needs_word ? lacks(content, "a row of one column or none") : values};
}

Piece Printer::print_array(const Node& content) {
  if (!is_to(Dialect::postgres)) return {lacks(content, "an array")};
  return {"ARRAY[" + print_values_of(content["elements"]) + "]"};
}

std::string Printer::indirection_text(const Node& list) {
  std::string text;
  for (const Node& step : list) {
    if (step.type() == "String") {
      text += "." + name(step.content().text("sval"));
    } else if (step.type() == "A_Star") {
      text += ".*";
    } else {
      const Node& indices = step.content();
      if (!has_only(indices, {"is_slice", "lidx", "uidx"})) return "";
      const bool slice = indices.is_true("is_slice");
      text += "[" + (has(indices, "lidx") ? print_value(indices["lidx"]) : "") +
              (slice ? " : " : "") + (has(indices, "uidx") ? print_value(indices["uidx"]) : "") +
              "]";
    }
  }
  return text;
}

Piece Printer::print_indirection(const Node& content) {
  if (!is_to(Dialect::postgres)) return {lacks(content, "a part of a value")};
  const Node& whole = content["arg"];
  const bool is_simple = whole.type() == "ColumnRef" || whole.type() == "ParamRef";
  const std::string text = print_value(whole);
  return {(is_simple ? text : "(" + text + ")") + indirection_text(content["indirection"])};
}

Piece Printer::print_collation(const Node& content) {
  if (!is_same()) return {refuse(content, "COLLATE", "collations are each product's own")};
  std::vector<std::string> names;
  for (const Node& part : content["collname"]) names.push_back(name(part.content().text("sval")));
  return {operand(content["arg"], Binding::whole) + " COLLATE " + join(names, "."), Binding::other};
}

Piece Printer::print_sublink(const Node& content) {
  if (!has_only(content, {"subLinkType", "testexpr", "operName", "subselect"})) return {};
  const std::string& kind = content.text("subLinkType");
  const std::string query = "(" + print_query(content["subselect"]) + ")";
  if (kind == "EXISTS_SUBLINK") return {"EXISTS " + query};
  if (kind == "EXPR_SUBLINK") return {query};
  if (kind == "ARRAY_SUBLINK") {
    return {is_to(Dialect::postgres) ? "ARRAY" + query : lacks(content, "ARRAY of a query")};
  }
  const bool any = kind == "ANY_SUBLINK";
  if (!any && kind != "ALL_SUBLINK") return {lacks(content, kind)};
  const std::string left = operand(content["testexpr"], Binding::other);
  if (any && !has(content, "operName")) return {left + " IN " + query, Binding::comparison};
  const std::string symbol = own_operator_name(content["operName"]);
  if (!is_to(Dialect::postgres)) {
    if (any && symbol == "=") return {left + " IN " + query, Binding::comparison};
    if (!any && symbol == "<>") return {left + " NOT IN " + query, Binding::comparison};
    const bool is_plain = symbol.find_first_not_of("<>=") == std::string::npos;
    if (is_to(Dialect::sqlite) || !is_plain) return {lacks(content, symbol + " ANY or ALL")};
  }
  const bool is_compared = symbol.find_first_not_of("<>=") == std::string::npos;
  return {left + " " + symbol + (any ? " ANY " : " ALL ") + query,
          is_compared ? Binding::comparison : Binding::other};
}

Piece Printer::print_clock(const Node& content) {
  if (!has_only(content, {"op", "typmod"})) return {};
  for (const ClockWords& clock : kClocks) {
    if (content.text("op") != clock.op) continue;
    const bool missing =
        (is_to(Dialect::mysql) && !clock.in_mysql) || (is_to(Dialect::sqlite) && !clock.in_sqlite);
    if (missing && !is_same()) return {lacks(content, std::string(clock.words))};
    std::string text(clock.words);
    if (clock.op.ends_with("_N")) {
      text += "(" + (has(content, "typmod") ? content.text("typmod") : "0") + ")";
    }
    if (is_to(Dialect::mysql) && text == "CURRENT_USER") text += "()";
    return {text};
  }
  return {lacks(content, content.text("op"))};
}

Piece Printer::print_default(const Node& content) {
  return {is_to(Dialect::sqlite) ? lacks(content, "DEFAULT as a value") : "DEFAULT"};
}

Piece Printer::print_grouping_call(const Node& content) {
  if (!is_to(Dialect::postgres)) return {lacks(content, "GROUPING")};
  return {"GROUPING(" + print_values_of(content["args"]) + ")"};
}

Piece Printer::print_grouping_set(const Node& content) {
  const std::string& kind = content.text("kind");
  if (!is_to(Dialect::postgres)) return {lacks(content, "grouping sets")};
  if (kind == "GROUPING_SET_EMPTY") return {"()"};
  const std::string values = "(" + print_values_of(content["content"]) + ")";
  if (kind == "GROUPING_SET_ROLLUP") return {"ROLLUP " + values};
  if (kind == "GROUPING_SET_CUBE") return {"CUBE " + values};
  if (kind == "GROUPING_SET_SETS") return {"GROUPING SETS " + values};
  return {lacks(content, kind)};
}

Piece Printer::print_cursor(const Node& content) {
  if (!is_to(Dialect::postgres) || !has_only(content, {"cursor_name"})) {
    return {lacks(content, "CURRENT OF")};
  }
  return {"CURRENT OF " + name(content.text("cursor_name"))};
}

Piece Printer::print_named_argument(const Node& content) {
  if (!is_to(Dialect::postgres)) return {lacks(content, "an argument by its name")};
  return {name(content.text("name")) + " => " + print_value(content["arg"])};
}

}  // namespace heddle::sql
