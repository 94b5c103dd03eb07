// INSERT and what the others share: assignments, conditions, RETURNING.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/print/print.h"

namespace heddle::sql {
namespace {

std::string target_name(const Node& relation) {
  return has(relation, "alias") ? relation["alias"].text("aliasname") : relation.text("relname");
}

// The column that an assignment writes: x, or x of t.x.
std::string column_of(const Node& target, bool is_qualified) {
  const Node& content = target.content();
  const Node* step = content["indirection"].first;
  return is_qualified && step != nullptr ? step->content().text("sval") : content.text("name");
}

const Node& assigned_value(const Node& target) {
  const Node& value = target.content()["val"];
  return value.type() == "MultiAssignRef" ? value.content()["source"] : value;
}

}  // namespace

std::string Printer::insert_verb(const Node& insert) {
  const bool replaces = source_.replaces;
  const bool ignores = source_.ignores_conflicts;
  if (is_to(Dialect::postgres) && replaces) {
    return lacks(insert, "REPLACE");
  }
  if (is_to(Dialect::mysql))
    return replaces ? "REPLACE INTO " : ignores ? "INSERT IGNORE INTO " : "INSERT INTO ";
  if (is_to(Dialect::sqlite) && (replaces || ignores)) {
    return replaces ? "INSERT OR REPLACE INTO " : "INSERT OR IGNORE INTO ";
  }
  return "INSERT INTO ";
}

std::string Printer::print_insert(const Node& insert) {
  if (!has_only(insert, {"relation", "cols", "selectStmt", "onConflictClause", "returningList",
                         "withClause", "override"})) {
    return "";
  }
  if (!enter(insert)) return "";
  ++depth_;
  const bool is_with_moved = is_to(Dialect::mysql) && has(insert, "withClause");
  std::string text = is_with_moved ? "" : print_with(insert["withClause"]);
  const Node& relation = insert["relation"];
  if (has(relation, "alias") && is_to(Dialect::mysql)) return lacks(relation, "an alias in INSERT");
  text += insert_verb(insert) + print_table(relation);
  if (has(insert, "cols")) {
    std::vector<std::string> columns;
    for (const Node& column : insert["cols"]) columns.push_back(assigned_name(column, ""));
    text += " (" + join(columns, ", ") + ")";
  }
  const std::string& override_words = insert.text("override");
  if (override_words != "OVERRIDING_NOT_SET") {
    if (!is_to(Dialect::postgres)) return lacks(insert, "OVERRIDING");
    text += override_words == "OVERRIDING_USER_VALUE" ? " OVERRIDING USER VALUE"
                                                      : " OVERRIDING SYSTEM VALUE";
  }
  text += print_inserted(insert);
  text += print_conflict(insert);
  text += print_returning(insert["returningList"]);
  --depth_;
  return text;
}

std::string Printer::print_inserted(const Node& insert) {
  if (!has(insert, "selectStmt")) {
    return is_to(Dialect::mysql) ? " () VALUES ()" : " DEFAULT VALUES";
  }
  const Node& query = bare(insert["selectStmt"]);
  std::string text = " ";
  if (is_to(Dialect::mysql) && has(insert, "withClause")) {
    if (has(query, "withClause")) return lacks(insert, "WITH before INSERT");
    text += print_with(insert["withClause"]);
  }
  text += print_query(query);
  // SQLite would take ON for that of a join.
  const bool is_ambiguous = is_to(Dialect::sqlite) && has(insert, "onConflictClause") &&
                            !source_.ignores_conflicts && !source_.replaces &&
                            !has(query, "valuesLists");
  if (!is_ambiguous || has(query, "whereClause")) return text;
  const bool is_simple = !has(query, "groupClause") && !has(query, "sortClause") &&
                         !has(query, "limitCount") && !has(query, "limitOffset") &&
                         query.text("op") == "SETOP_NONE" && !has(query, "windowClause");
  return is_simple ? text + " WHERE TRUE"
                   : " SELECT * FROM (" + text.substr(1) + ") AS q WHERE TRUE";
}

std::string Printer::print_conflict_target(const Node& infer) {
  if (!infer.is_present()) return "";
  if (!has_only(infer, {"indexElems", "whereClause", "conname"})) return "";
  if (has(infer, "conname")) {
    if (!is_to(Dialect::postgres)) return lacks(infer, "ON CONFLICT ON CONSTRAINT");
    return " ON CONSTRAINT " + name(infer.text("conname"));
  }
  std::vector<std::string> columns;
  for (const Node& one : infer["indexElems"]) {
    const Node& element = one.content();
    if (!has_only(element, {"name", "expr", "ordering", "nulls_ordering"})) return "";
    columns.push_back(has(element, "name") ? name(element.text("name"))
                                           : "(" + print_value(element["expr"]) + ")");
    const bool is_sorted = element.text("ordering") != "SORTBY_DEFAULT" ||
                           element.text("nulls_ordering") != "SORTBY_NULLS_DEFAULT";
    if (is_sorted) return lacks(one, "an order in ON CONFLICT");
  }
  return " (" + join(columns, ", ") + ")" + print_where(infer["whereClause"]);
}

std::string Printer::print_conflict(const Node& insert) {
  const Node& conflict = insert["onConflictClause"];
  if (!conflict.is_present()) return "";
  if (!has_only(conflict, {"action", "infer", "targetList", "whereClause"})) return "";
  const bool updates = conflict.text("action") == "ONCONFLICT_UPDATE";
  const bool is_verb = source_.ignores_conflicts || source_.replaces;
  if (is_verb && !is_to(Dialect::postgres)) return "";
  if (is_to(Dialect::mysql)) return print_duplicate_key(conflict, insert);
  if (is_to(Dialect::sqlite) && !has(insert, "selectStmt")) {
    return lacks(insert["relation"], "DEFAULT VALUES with ON CONFLICT");
  }
  const bool needs_columns = updates && is_to(Dialect::postgres) && !has(conflict, "infer");
  if (needs_columns && !is_same()) {
    return refuse(insert["relation"], "ON DUPLICATE KEY UPDATE",
                  "there ON CONFLICT names the unique columns, which this text does not");
  }
  std::string text = " ON CONFLICT" + print_conflict_target(conflict["infer"]);
  if (!updates) return text + " DO NOTHING";
  const bool is_bare = is_to(Dialect::postgres) && !is_same();
  if (is_from(Dialect::mysql) && !is_same() &&
      !check_order_of_assignments(conflict["targetList"])) {
    return "";
  }
  conflict_table_ = is_bare ? name(target_name(insert["relation"])) : "";
  text += " DO UPDATE SET " + print_assignments(conflict["targetList"], "");
  text += print_where(conflict["whereClause"]);
  conflict_table_.clear();
  return text;
}

// MySQL takes any unique key for the one meant. Its INSERT IGNORE would hide other errors, too, so
// that an assignment that changes nothing says DO NOTHING.
std::string Printer::print_duplicate_key(const Node& conflict, const Node& insert) {
  if (has(conflict, "whereClause") || has(conflict["infer"], "whereClause")) {
    return lacks(insert["relation"], "ON CONFLICT with a condition");
  }
  if (has(conflict["infer"], "conname"))
    return lacks(conflict["infer"], "ON CONFLICT ON CONSTRAINT");
  if (conflict.text("action") == "ONCONFLICT_UPDATE") {
    if (!is_same() && !check_order_of_assignments(conflict["targetList"])) return "";
    in_conflict_ = true;
    std::string text = " ON DUPLICATE KEY UPDATE " + print_assignments(conflict["targetList"], "");
    in_conflict_ = false;
    return text;
  }
  if (has(insert, "returningList")) {
    return lacks(insert["relation"], "ON CONFLICT DO NOTHING with RETURNING");
  }
  const Node* element = conflict["infer"]["indexElems"].first;
  if (element == nullptr) element = insert["cols"].first;
  const std::string column = element == nullptr ? "" : element->content().text("name");
  if (column.empty()) {
    return refuse(insert["relation"], "ON CONFLICT DO NOTHING",
                  "name the columns of INSERT or of ON CONFLICT");
  }
  return fmt::format(" ON DUPLICATE KEY UPDATE {0} = {0}", name(column));
}

// MySQL assigns from left to right, and what is assigned is seen further on; the others see the
// row as it was.
bool Printer::check_order_of_assignments(const Node& targets) {
  std::set<std::string> assigned;
  for (const Node& target : targets) {
    const Node& value = assigned_value(target);
    for (const std::string& column : columns_in(value)) {
      if (!assigned.contains(column) && !(column == "*" && !assigned.empty())) continue;
      refuse(target, "SET that reads what it has assigned before",
             "MySQL sees the new value there, the others the old one");
      return false;
    }
    assigned.insert(column_of(target, source_.multi_table));
  }
  return true;
}

std::string Printer::assigned_name(const Node& target, const std::string& qualifier) {
  const Node& content = target.content();
  if (!has_only(content, {"name", "indirection", "val"})) return "";
  if (!has(content, "indirection")) {
    return (qualifier.empty() ? "" : qualifier + ".") + spelled_name(content.text("name"), content);
  }
  if (is_same() && is_to(Dialect::postgres)) {
    return name(content.text("name")) + indirection_text(content["indirection"]);
  }
  // t.x = ... of MySQL; the table is the statement's own.
  const Node* step = content["indirection"].first;
  const bool is_column =
      is_from(Dialect::mysql) && step->type() == "String" && step->next == nullptr;
  if (!is_column) return lacks(content, "an assignment to a part of a column");
  std::string column = name(step->content().text("sval"));
  if (is_to(Dialect::mysql)) return spelled_name(content.text("name"), content) + "." + column;
  return column;
}

std::string Printer::print_assignment(const Node& target, const std::string& qualifier) {
  return assigned_name(target, qualifier) + " = " + print_value(target.content()["val"]);
}

// (a, b) = (1, 2), which the tree repeats for each column; moves on to the last of them.
std::string Printer::print_multiple(const Node*& target, const std::string& qualifier) {
  const Node& reference = target->content()["val"].content();
  const Node& source = reference["source"];
  const std::size_t columns = std::stoul(reference.text("ncolumns"));
  if (is_to(Dialect::mysql)) return lacks(*target, "an assignment to several columns");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns; ++i) {
    names.push_back(assigned_name(*target, qualifier));
    if (i + 1 == columns) break;
    if (target->next == nullptr) return lacks(*target, "this assignment");
    target = target->next;
  }
  return "(" + join(names, ", ") + ") = " + print_value(source);
}

std::string Printer::print_assignments(const Node& targets, const std::string& qualifier) {
  std::vector<std::string> texts;
  for (const Node* target = targets.first; target != nullptr; target = target->next) {
    const bool is_multiple = target->content()["val"].type() == "MultiAssignRef";
    texts.push_back(is_multiple ? print_multiple(target, qualifier)
                                : print_assignment(*target, qualifier));
  }
  return join(texts, ", ");
}

std::string Printer::print_where(const Node& condition) {
  return condition.is_present() ? " WHERE " + print_value(condition) : "";
}

std::string Printer::print_conditions(const std::vector<const Node*>& conditions) {
  if (conditions.size() == 1) return " WHERE " + print_value(*conditions[0]);
  std::vector<std::string> texts;
  for (const Node* one : conditions) texts.push_back(operand(*one, Binding::not_));
  return texts.empty() ? "" : " WHERE " + join(texts, " AND ");
}

std::string Printer::print_returning(const Node& targets) {
  return targets.is_present() ? " RETURNING " + print_outputs(targets, {}) : "";
}

}  // namespace heddle::sql
