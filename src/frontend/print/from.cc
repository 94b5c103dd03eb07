// What stands in FROM.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/print/print.h"

namespace heddle::sql {
namespace {

struct JoinWords {
  std::string_view type;
  std::string_view words;
};
constexpr JoinWords kJoins[] = {
    {"JOIN_INNER", "JOIN"},
    {"JOIN_LEFT", "LEFT JOIN"},
    {"JOIN_RIGHT", "RIGHT JOIN"},
    {"JOIN_FULL", "FULL JOIN"},
};

// The schema that a name without one means.
bool is_default_schema_of(const std::string& schema, Dialect dialect) {
  return (dialect == Dialect::postgres && schema == "public") ||
         (dialect == Dialect::sqlite && schema == "main");
}

}  // namespace

std::string Printer::print_from(const Node& items) {
  std::vector<std::string> texts;
  for (const Node& item : items) texts.push_back(print_from_item(item));
  return join(texts, ", ");
}

std::string Printer::print_from_item(const Node& item) {
  struct Kind {
    std::string_view type;
    std::string (Printer::*print)(const Node&);
  };
  constexpr Kind kKinds[] = {
      {"JoinExpr", &Printer::print_join},
      {"RangeSubselect", &Printer::print_derived},
      {"RangeFunction", &Printer::print_function_table},
      {"RangeTableSample", &Printer::print_sample},
  };
  if (item.type() == "RangeVar") return print_table(item.content());
  for (const Kind& kind : kKinds) {
    if (item.type() != kind.type) continue;
    if (!enter(item)) return "";
    ++depth_;
    std::string text = (this->*kind.print)(item.content());
    --depth_;
    return text;
  }
  return refuse(item, std::string(item.type()) + " in FROM",
                "heddle does not know how to print it");
}

std::string Printer::print_table_name(const Node& range) {
  std::string table = spelled_name(range.text("relname"), range);
  if (has(range, "catalogname")) {
    if (!is_same()) return lacks(range, "a table of another database");
    return name(range.text("catalogname")) + "." + name(range.text("schemaname")) + "." +
           name(range.text("relname"));
  }
  if (!has(range, "schemaname")) return table;
  const std::string& schema = range.text("schemaname");
  if (is_same()) {
    return spelled_name(schema, range) + "." + name(range.text("relname"));
  }
  if (is_default_schema_of(schema, from_)) return table;
  return refuse(range, "the schema " + schema, "a program has one schema in each store");
}

std::string Printer::print_table(const Node& range, bool with_alias) {
  if (!has_only(range,
                {"catalogname", "schemaname", "relname", "inh", "relpersistence", "alias"})) {
    return "";
  }
  std::string text = print_table_name(range);
  if (!range.is_true("inh")) {
    if (!is_to(Dialect::postgres)) return lacks(range, "ONLY");
    text = "ONLY " + text;
  }
  return with_alias ? text + print_alias(range["alias"]) : text;
}

std::string Printer::print_alias(const Node& alias, bool with_columns) {
  if (!alias.is_present()) return "";
  if (!has_only(alias, {"aliasname", "colnames"})) return "";
  std::string text = " AS " + spelled_alias(alias.text("aliasname"));
  if (has(alias, "colnames") && with_columns) {
    if (!is_to(Dialect::postgres)) return lacks(alias, "names for the columns of a table");
    text += "(" + name_list(alias["colnames"]) + ")";
  }
  return text;
}

std::string Printer::print_join(const Node& join_node) {
  if (!has_only(join_node, {"jointype", "isNatural", "larg", "rarg", "usingClause",
                            "join_using_alias", "quals", "alias"})) {
    return "";
  }
  const auto* const words =
      std::find_if(std::begin(kJoins), std::end(kJoins),
                   [&](const JoinWords& one) { return one.type == join_node.text("jointype"); });
  if (words == std::end(kJoins)) return lacks(join_node, join_node.text("jointype"));
  if (words->type == "JOIN_FULL" && is_to(Dialect::mysql)) return lacks(join_node, "FULL JOIN");
  const bool named = has(join_node, "alias") || has(join_node, "join_using_alias");
  if (named && !is_to(Dialect::postgres)) return lacks(join_node, "an alias of a join");
  const bool natural = join_node.is_true("isNatural");
  const bool conditional = natural || has(join_node, "quals") || has(join_node, "usingClause");
  std::string right = print_from_item(join_node["rarg"]);
  const bool nested =
      join_node["rarg"].type() == "JoinExpr" && !join_node["rarg"].content()["alias"].is_present();
  if (nested) right = "(" + right + ")";
  std::string text = print_from_item(join_node["larg"]) + (natural ? " NATURAL " : " ") +
                     (conditional ? std::string(words->words) : "CROSS JOIN") + " " + right;
  if (has(join_node, "usingClause")) text += " USING (" + name_list(join_node["usingClause"]) + ")";
  if (has(join_node, "join_using_alias")) text += print_alias(join_node["join_using_alias"]);
  if (has(join_node, "quals")) text += " ON " + print_value(join_node["quals"]);
  return has(join_node, "alias") ? "(" + text + ")" + print_alias(join_node["alias"]) : text;
}

// Only PostgreSQL names the columns of a query behind its alias; elsewhere the query does.
std::string Printer::print_derived(const Node& derived) {
  if (!has_only(derived, {"lateral", "subquery", "alias"})) return "";
  if (derived.is_true("lateral") && !is_to(Dialect::postgres)) return lacks(derived, "LATERAL");
  Names outputs;
  if (!is_to(Dialect::postgres)) {
    for (const Node& column : derived["alias"]["colnames"]) {
      outputs.push_back(column.content().text("sval"));
    }
  }
  return (derived.is_true("lateral") ? "LATERAL (" : "(") +
         print_query(derived["subquery"], outputs) + ")" +
         print_alias(derived["alias"], is_to(Dialect::postgres));
}

std::string Printer::print_column_definitions(const Node& list) {
  std::vector<std::string> columns;
  for (const Node& one : list) {
    const Node& column = one.content();
    if (!has_only(column, {"colname", "typeName", "is_local"})) return "";
    columns.push_back(name(column.text("colname")) + " " + print_type(column["typeName"]));
  }
  return "(" + join(columns, ", ") + ")";
}

std::string Printer::print_function_table(const Node& function) {
  if (!is_to(Dialect::postgres) || !is_same()) return lacks(function, "a function in FROM");
  if (!has_only(function,
                {"lateral", "ordinality", "is_rowsfrom", "functions", "alias", "coldeflist"})) {
    return "";
  }
  std::vector<std::string> calls;
  for (const Node& one : function["functions"]) {
    const Node& items = one.content()["items"];
    std::string call = print_value(*items.first);
    const Node* columns = items.first->next;
    if (columns != nullptr && !columns->type().empty()) {
      call += " AS " + print_column_definitions(columns->content()["items"]);
    }
    calls.push_back(std::move(call));
  }
  const bool many = function.is_true("is_rowsfrom");
  std::string text = function.is_true("lateral") ? "LATERAL " : "";
  text += many ? "ROWS FROM (" + join(calls, ", ") + ")" : join(calls, ", ");
  if (function.is_true("ordinality")) text += " WITH ORDINALITY";
  const bool typed = has(function, "coldeflist");
  text += has(function, "alias") ? print_alias(function["alias"]) : typed ? " AS" : "";
  return typed ? text + " " + print_column_definitions(function["coldeflist"]) : text;
}

std::string Printer::print_sample(const Node& sample) {
  if (!is_to(Dialect::postgres)) return lacks(sample, "TABLESAMPLE");
  if (!has_only(sample, {"relation", "method", "args", "repeatable"})) return "";
  std::vector<std::string> method;
  for (const Node& part : sample["method"]) method.push_back(name(part.content().text("sval")));
  std::string text = print_from_item(sample["relation"]) + " TABLESAMPLE " + join(method, ".") +
                     "(" + print_values_of(sample["args"]) + ")";
  if (has(sample, "repeatable")) text += " REPEATABLE (" + print_value(sample["repeatable"]) + ")";
  return text;
}

}  // namespace heddle::sql
