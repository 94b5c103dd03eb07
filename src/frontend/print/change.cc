// UPDATE and DELETE. PostgreSQL and SQLite change one table and read others in FROM or USING; in
// MySQL all tables stand in one list, and the names say which of them change.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/print/print.h"

namespace heddle::sql {
namespace {

// The one table that all assignments name; empty: none, or several.
std::string only_target(const Node& targets) {
  std::string only;
  for (const Node& target : targets) {
    const Node& content = target.content();
    if (!has(content, "indirection")) return "";
    const std::string& table = content.text("name");
    if (!only.empty() && only != table) return "";
    only = table;
  }
  return only;
}

}  // namespace

std::string target_name(const Node& relation) {
  return has(relation, "alias") ? relation["alias"].text("aliasname") : relation.text("relname");
}

// The tables and conditions of inner joins. Outer joins are kept whole, unless the target is there.
bool Printer::flatten(const Node& item, const std::string& target, Flattened& flattened) {
  if (item.type() == "RangeVar" && target_name(item.content()) == target) {
    flattened.target = &item;
    return true;
  }
  const Node& content = item.content();
  const bool is_inner = item.type() == "JoinExpr" && content.text("jointype") == "JOIN_INNER" &&
                        !content.is_true("isNatural") && !has(content, "usingClause");
  if (is_inner && enter(item)) {
    ++depth_;
    const bool both =
        flatten(content["larg"], target, flattened) && flatten(content["rarg"], target, flattened);
    --depth_;
    if (has(content, "quals")) flattened.conditions.push_back(&content["quals"]);
    return both;
  }
  if (item.type() == "JoinExpr") {
    lacks(item, "this join of the table that changes");
    return false;
  }
  flattened.items.push_back(&item);
  return true;
}

bool Printer::flatten_all(const Node& items, const std::string& target, Flattened& flattened) {
  for (const Node& item : items) {
    if (!flatten(item, target, flattened)) return false;
  }
  if (flattened.target == nullptr) lacks(items, "a change of a table that is not in the list");
  return flattened.target != nullptr;
}

std::string Printer::print_update(const Node& update) {
  if (!has_only(update, {"relation", "targetList", "whereClause", "fromClause", "returningList",
                         "withClause"})) {
    return "";
  }
  const bool to_mysql = is_to(Dialect::mysql);
  if (to_mysql && has(update, "returningList"))
    return lacks(update["returningList"], "UPDATE ... RETURNING");
  if (to_mysql && has(update, "withClause")) return lacks(update["relation"], "WITH before UPDATE");
  const bool crosses = to_mysql != is_from(Dialect::mysql);
  if (crosses && !check_order_of_assignments(update["targetList"])) return "";
  if (source_.multi_table) return print_multi_table_update(update);
  if (to_mysql && has(update, "fromClause")) return print_update_from(update);
  const Node& relation = update["relation"];
  std::string text = print_with(update["withClause"]) + "UPDATE " + print_table(relation) +
                     " SET " + print_assignments(update["targetList"], "");
  if (has(update, "fromClause")) text += " FROM " + print_from(update["fromClause"]);
  return text + print_where(update["whereClause"]) + print_returning(update["returningList"]);
}

// UPDATE t SET x = u.x FROM u WHERE ...  is  UPDATE t, u SET t.x = u.x WHERE ...
std::string Printer::print_update_from(const Node& update) {
  const Node& relation = update["relation"];
  std::string text = "UPDATE " + print_table(relation) + ", " + print_from(update["fromClause"]);
  return text + " SET " + print_assignments(update["targetList"], name(target_name(relation))) +
         print_where(update["whereClause"]);
}

// The rewriter has put the tables into FROM.
std::string Printer::print_multi_table_update(const Node& update) {
  if (is_to(Dialect::mysql)) {
    return "UPDATE " + print_from(update["fromClause"]) + " SET " +
           print_assignments(update["targetList"], "") + print_where(update["whereClause"]);
  }
  const std::string target = only_target(update["targetList"]);
  if (target.empty()) {
    return refuse(update["targetList"], "UPDATE of several tables",
                  "one table changes there: say which before each column");
  }
  Flattened flattened;
  if (!flatten_all(update["fromClause"], target, flattened)) return "";
  if (has(update, "whereClause")) flattened.conditions.push_back(&update["whereClause"]);
  std::string text = "UPDATE " + print_from_item(*flattened.target) + " SET " +
                     print_assignments(update["targetList"], "");
  std::vector<std::string> items;
  for (const Node* item : flattened.items) items.push_back(print_from_item(*item));
  if (!items.empty()) text += " FROM " + join(items, ", ");
  return text + print_conditions(flattened.conditions);
}

std::string Printer::print_delete(const Node& remove) {
  if (!has_only(remove,
                {"relation", "usingClause", "whereClause", "returningList", "withClause"})) {
    return "";
  }
  const Node& relation = remove["relation"];
  if (is_to(Dialect::mysql) && has(remove, "withClause"))
    return lacks(relation, "WITH before DELETE");
  if (source_.multi_table) return print_multi_table_delete(remove);
  if (has(remove, "usingClause") && !is_to(Dialect::postgres)) return print_delete_using(remove);
  const bool is_aliased = is_to(Dialect::mysql) && has(relation, "alias");
  if (is_aliased && has(remove, "returningList")) return lacks(relation, "RETURNING with an alias");
  std::string text = print_with(remove["withClause"]);
  text += is_aliased ? "DELETE " + name(target_name(relation)) + " FROM " : "DELETE FROM ";
  text += print_table(relation);
  if (has(remove, "usingClause")) text += " USING " + print_from(remove["usingClause"]);
  return text + print_where(remove["whereClause"]) + print_returning(remove["returningList"]);
}

// In MySQL a list of tables; in SQLite a question about the others.
std::string Printer::print_delete_using(const Node& remove) {
  const Node& relation = remove["relation"];
  if (has(remove, "returningList"))
    return lacks(remove["returningList"], "DELETE USING ... RETURNING");
  const std::string others = print_from(remove["usingClause"]);
  const std::string where = print_where(remove["whereClause"]);
  if (is_to(Dialect::mysql)) {
    return "DELETE " + name(target_name(relation)) + " FROM " + print_table(relation) + ", " +
           others + where;
  }
  return print_with(remove["withClause"]) + "DELETE FROM " + print_table(relation) +
         " WHERE EXISTS (SELECT 1 FROM " + others + where + ")";
}

// DELETE a FROM a JOIN b ...: the rewriter has put the tables into USING.
std::string Printer::print_multi_table_delete(const Node& remove) {
  if (is_to(Dialect::mysql)) {
    std::vector<std::string> targets;
    for (const std::string& one : source_.delete_targets) targets.push_back(name(one));
    return "DELETE " + join(targets, ", ") + " FROM " + print_from(remove["usingClause"]) +
           print_where(remove["whereClause"]) + print_returning(remove["returningList"]);
  }
  if (source_.delete_targets.size() != 1) {
    return lacks(remove["usingClause"], "DELETE from several tables");
  }
  Flattened flattened;
  if (!flatten_all(remove["usingClause"], to_lower(source_.delete_targets[0]), flattened))
    return "";
  if (has(remove, "whereClause")) flattened.conditions.push_back(&remove["whereClause"]);
  if (has(remove, "returningList"))
    return lacks(remove["returningList"], "DELETE USING ... RETURNING");
  std::vector<std::string> items;
  for (const Node* item : flattened.items) items.push_back(print_from_item(*item));
  const std::string table = print_from_item(*flattened.target);
  const std::string where = print_conditions(flattened.conditions);
  if (items.empty()) return "DELETE FROM " + table + where;
  if (is_to(Dialect::postgres))
    return "DELETE FROM " + table + " USING " + join(items, ", ") + where;
  return "DELETE FROM " + table + " WHERE EXISTS (SELECT 1 FROM " + join(items, ", ") + where + ")";
}

}  // namespace heddle::sql
