// INSERT but for its conflicts, and what the others share: assignments, conditions, RETURNING.
#include "base/text.h"
#include "frontend/print/print.h"

namespace heddle::sql {

std::string Printer::insert_verb() {
  const bool replaces = source_.replaces;
  const bool ignores = source_.ignores_conflicts;
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
  text += insert_verb() + print_table(relation);
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
