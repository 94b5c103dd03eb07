// What INSERT does with rows that are in its way: ON CONFLICT, ON DUPLICATE KEY UPDATE, REPLACE.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/print/print.h"

namespace heddle::sql {
namespace {

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

// Whether every row of VALUES has DEFAULT at a position.
bool are_defaults_at(const Node& rows, std::size_t position) {
  for (const Node& row : rows) {
    std::size_t at = 0;
    for (const Node& item : row.content()["items"]) {
      if (at++ == position && item.type() != "SetToDefault") return false;
    }
  }
  return true;
}

// Whether an INSERT says what is in a column.
bool gives(const Node& insert, const Table& table, const TableColumn& column, Dialect dialect) {
  if (!has(insert, "selectStmt")) return false;  // DEFAULT VALUES
  std::size_t position = 0;
  if (has(insert, "cols")) {
    bool is_named = false;
    for (const Node& one : insert["cols"]) {
      is_named = find_column(table, one.content().text("name"), dialect) == &column;
      if (is_named) break;
      ++position;
    }
    if (!is_named) return false;
  } else {
    position = static_cast<std::size_t>(&column - table.columns.data());
  }
  const Node& rows = bare(insert["selectStmt"])["valuesLists"];
  return rows.first == nullptr || !are_defaults_at(rows, position);
}

// A row that is new in one of the columns of a key meets none there: that has a new number, or
// NULL, which equals nothing.
bool is_met(const std::vector<std::string>& key, bool nulls_are_equal, const Node& insert,
            const Table& table, Dialect dialect) {
  return std::all_of(key.begin(), key.end(), [&](const std::string& name) {
    const TableColumn* column = find_column(table, name, dialect);
    if (column == nullptr || gives(insert, table, *column, dialect)) return true;
    const bool is_null = column->generation == Generation::none && !column->not_null &&
                         column->default_expression.empty() && !nulls_are_equal;
    return column->generation != Generation::identity && !is_null;
  });
}

// The unique keys by which a row of an INSERT may meet one of the table.
std::vector<std::vector<std::string>> keys_met(const Node& insert, const Table& table,
                                               Dialect dialect) {
  std::vector<std::vector<std::string>> keys;
  const auto add = [&](const std::vector<std::string>& key, bool nulls_are_equal) {
    const bool is_known = std::find(keys.begin(), keys.end(), key) != keys.end();
    if (!key.empty() && !is_known && is_met(key, nulls_are_equal, insert, table, dialect)) {
      keys.push_back(key);
    }
  };
  add(table.primary_key, false);
  for (const UniqueConstraint& unique : table.unique_constraints) {
    add(unique.columns, unique.nulls_not_distinct);
  }
  return keys;
}

}  // namespace

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

// MySQL and SQLite need not say by which key a row is in the way, PostgreSQL has to: the table
// tells where there is only one.
std::string Printer::print_conflict(const Node& insert) {
  const Node& conflict = insert["onConflictClause"];
  if (!conflict.is_present()) return "";
  if (!has_only(conflict, {"action", "infer", "targetList", "whereClause"})) return "";
  const bool is_verb = source_.ignores_conflicts || source_.replaces;
  if (is_verb && !is_to(Dialect::postgres)) return "";
  if (is_to(Dialect::mysql)) return print_duplicate_key(conflict, insert);
  if (is_to(Dialect::sqlite) && !has(insert, "selectStmt")) {
    return lacks(insert["relation"], "DEFAULT VALUES with ON CONFLICT");
  }
  if (is_to(Dialect::postgres) && !is_same() && !has(conflict, "infer")) {
    return print_met_conflict(conflict, insert);
  }
  const std::string text = " ON CONFLICT" + print_conflict_target(conflict["infer"]);
  return text + print_conflict_action(conflict, insert);
}

std::string Printer::print_conflict_action(const Node& conflict, const Node& insert) {
  if (conflict.text("action") != "ONCONFLICT_UPDATE") return " DO NOTHING";
  const bool is_bare = is_to(Dialect::postgres) && !is_same();
  if (is_from(Dialect::mysql) && !is_same() &&
      !check_order_of_assignments(conflict["targetList"])) {
    return "";
  }
  conflict_table_ = is_bare ? name(target_name(insert["relation"])) : "";
  std::string text = " DO UPDATE SET " + print_assignments(conflict["targetList"], "");
  text += print_where(conflict["whereClause"]);
  conflict_table_.clear();
  return text;
}

std::string Printer::print_met_conflict(const Node& conflict, const Node& insert) {
  const bool updates = conflict.text("action") == "ONCONFLICT_UPDATE";
  const std::string construct = source_.replaces          ? "REPLACE"
                                : is_from(Dialect::mysql) ? "ON DUPLICATE KEY UPDATE"
                                                          : "ON CONFLICT DO UPDATE";
  const Node& relation = insert["relation"];
  const Table* table = schema_ == nullptr ? nullptr
                                          : find_table(*schema_, relation.text("relname"), from_,
                                                       relation.text("schemaname"));
  const bool is_known = table != nullptr && table->columns_known;
  const bool does_nothing = !updates && !source_.replaces;
  const auto keys = is_known ? keys_met(insert, *table, from_) : Keys();
  if (is_known && keys.empty()) return "";
  if (keys.size() != 1) {
    if (does_nothing) return " ON CONFLICT DO NOTHING";
    return refuse(relation, construct,
                  is_known ? "there ON CONFLICT names the unique key, and this row may meet "
                             "several of the table"
                           : "there ON CONFLICT names the unique columns, which this text does "
                             "not");
  }
  const std::string target = " ON CONFLICT (" + column_list(keys[0]) + ")";
  if (source_.replaces) return target + print_replacement(*table, keys[0]);
  return target + print_conflict_action(conflict, insert);
}

// REPLACE deletes the row that it meets: no column keeps its value.
std::string Printer::print_replacement(const Table& table, const Names& key) {
  std::vector<std::string> assignments;
  const auto assign = [&](const std::string& column) {
    const std::string text = name(to_lower(column));
    assignments.push_back(text + " = excluded." + text);
  };
  for (const TableColumn& column : table.columns) {
    const bool is_in_key = std::any_of(key.begin(), key.end(), [&](const std::string& one) {
      return find_column(table, one, from_) == &column;
    });
    const bool is_written = column.generation != Generation::expression && !column.always_generated;
    if (is_written && !is_in_key) assign(column.name);
  }
  if (assignments.empty()) assign(key[0]);
  return " DO UPDATE SET " + join(assignments, ", ");
}

std::string Printer::column_list(const Names& columns) const {
  Names names;
  for (const std::string& column : columns) names.push_back(name(to_lower(column)));
  return join(names, ", ");
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

}  // namespace heddle::sql
