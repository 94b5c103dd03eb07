// INSERT, UPDATE, DELETE and MERGE, on their own or inside WITH.
#include <algorithm>
#include <utility>

#include "frontend/sql/clause_text.h"
#include "frontend/sql/reader.h"

namespace heddle::sql {
namespace {

std::vector<std::string> target_names(const Node& targets) {
  std::vector<std::string> names;
  for (const Node& target : targets) names.push_back(target.content().text("name"));
  return names;
}

void set_mentions(const Mentions& mentions, WrittenValue& value) {
  value.columns_read = {mentions.columns.begin(), mentions.columns.end()};
  value.generated = mentions.generated;
}

std::string name_at(const std::vector<std::string>& names, std::size_t position) {
  return position < names.size() ? names[position] : std::string();
}

}  // namespace

std::size_t StatementReader::add_target(const Node& relation, Scope& scope) {
  std::size_t index = add_table(relation);
  table(index).written = true;
  std::string alias = relation["alias"].text("aliasname");
  Source source;
  source.schema = alias.empty() ? relation.text("schemaname") : std::string();
  source.name = alias.empty() ? relation.text("relname") : alias;
  source.tables = {index};
  source.inner_tables = {index};
  scope.sources.push_back(std::move(source));
  return index;
}

StatementReader::Outputs StatementReader::read_insert(const Node& insert, const Place& place,
                                                      Mentions& mentions) {
  Scope scope{.outer = place.scope, .sources = {}, .common_tables = {}};
  read_common_tables(insert["withClause"], scope, place, mentions);
  Scope target{.outer = &scope, .sources = {}, .common_tables = {}};
  std::size_t index = add_target(insert["relation"], target);
  std::vector<std::string> columns = target_names(insert["cols"]);
  if (columns.empty()) columns.emplace_back("*");
  for (const std::string& column : columns) insert_name(table(index).columns_written, column);
  read_inserted(insert, index, scope, place, mentions);

  const Node& conflict = insert["onConflictClause"];
  if (conflict.is_present()) read_conflict(conflict, index, target, place, mentions);
  target.sources[0].own_row = !conflict.is_present();
  target.sources.resize(1);
  return read_outputs(insert["returningList"], target, place, mentions);
}

void StatementReader::read_inserted(const Node& insert, std::size_t index, Scope& scope,
                                    const Place& place, Mentions& mentions) {
  std::vector<std::string> columns = target_names(insert["cols"]);
  const Node& select = insert["selectStmt"].content();
  if (!insert["selectStmt"].is_present()) return;
  if (select["valuesLists"].is_present()) {
    read_common_tables(select["withClause"], scope, place, mentions);
    add_value_rows(select["valuesLists"], index, columns,
                   {.scope = &scope, .outermost = false, .depth = place.depth}, mentions);
    return;
  }
  Place inner{.scope = &scope, .outermost = place.outermost, .depth = place.depth + 1};
  Outputs outputs = read_select(select, inner, mentions);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    statement_.values.push_back({.table = table(index).table,
                                 .column = is_star(outputs[i]) ? "" : name_at(columns, i),
                                 .position = i,
                                 .expression = std::move(outputs[i].expression),
                                 .columns_read = std::move(outputs[i].columns_read),
                                 .generated = outputs[i].generated});
  }
}

void StatementReader::add_value_rows(const Node& lists, std::size_t index,
                                     const std::vector<std::string>& columns, const Place& place,
                                     Mentions& mentions) {
  std::vector<std::vector<std::string>> texts = value_rows(tokens_, first_location(lists));
  std::size_t row = 0;
  for (const Node& list : lists) {
    std::size_t position = 0;
    for (const Node& item : list.content()["items"]) {
      Mentions read = read_expression(item, *place.scope, place);
      mentions.add(read);
      WrittenValue value;
      value.table = table(index).table;
      value.column = name_at(columns, position);
      value.position = position;
      value.row = row;
      if (row < texts.size()) value.expression = name_at(texts[row], position);
      set_mentions(read, value);
      statement_.values.push_back(std::move(value));
      ++position;
    }
    ++row;
  }
}

// The conflicting row is looked up by the inferred columns, or by any unique ones.
void StatementReader::read_conflict(const Node& conflict, std::size_t index, Scope& scope,
                                    const Place& place, Mentions& mentions) {
  statement_.on_conflict = true;
  table(index).read = true;
  const Node& infer = conflict["infer"];
  if (!infer["indexElems"].is_present()) {
    insert_name(table(index).columns_read, "*");
    // Which key it means is known with the schema; that it does nothing is so for any of them.
    const bool does_nothing = conflict.text("action") == "ONCONFLICT_NOTHING";
    if (!does_nothing || infer.is_present()) note("ON CONFLICT without columns");
  }
  for (const Node& element : infer["indexElems"]) {
    const std::string& name = element.content().text("name");
    if (!name.empty()) insert_name(table(index).columns_read, name);
    statement_.conflict_columns.push_back(name.empty() ? "*" : name);
    mentions.add(read_expression(element.content()["expr"], scope, place));
  }
  mentions.add(read_expression(infer["whereClause"], scope, place));
  Source proposed;
  proposed.name = "excluded";
  scope.sources.push_back(std::move(proposed));
  const std::size_t inserted = statement_.values.size();
  read_assignments(conflict["targetList"], {index}, scope, place, mentions);
  for (std::size_t i = inserted; i < statement_.values.size(); ++i) {
    statement_.values[i].on_conflict = true;
  }
  mentions.add(read_expression(conflict["whereClause"], scope, place));
}

std::vector<std::size_t> StatementReader::tables_of(const Scope& scope) const {
  std::vector<std::size_t> tables;
  for (const Source& source : scope.sources) {
    tables.insert(tables.end(), source.tables.begin(), source.tables.end());
  }
  return tables;
}

StatementReader::Outputs StatementReader::read_update(const Node& update, const Place& place,
                                                      Mentions& mentions) {
  Scope scope{.outer = place.scope, .sources = {}, .common_tables = {}};
  read_common_tables(update["withClause"], scope, place, mentions);
  if (!options_.multi_table) {
    std::size_t index = add_target(update["relation"], scope);
    table(index).read = true;
  }
  std::vector<std::size_t> targets = tables_of(scope);
  const std::size_t first = conditions_.size();
  Mentions condition;
  read_from(update["fromClause"], scope, place, condition);
  if (options_.multi_table) targets = tables_of(scope);
  read_assignments(update["targetList"], targets, scope, place, mentions);
  read_condition(update["whereClause"], "where", scope, place, condition);
  mentions.add(condition);
  if (place.outermost) {
    judge_row_by_row(scope, condition);
  } else {
    end_conditions(first, scope);
  }
  return read_outputs(update["returningList"], scope, place, mentions);
}

void StatementReader::read_assignments(const Node& targets, const std::vector<std::size_t>& tables,
                                       const Scope& scope, const Place& place, Mentions& mentions) {
  Mentions shared;
  std::size_t position = 0;
  for (const Node& item : targets) {
    const Node& target = item.content();
    WrittenValue value = read_assigned(target, scope, place, shared);
    mentions.columns.insert(value.columns_read.begin(), value.columns_read.end());
    mentions.add(shared);
    value.position = position++;
    for (std::size_t index : assigned_tables(target, tables, scope, value.column)) {
      table(index).written = true;
      insert_name(table(index).columns_written, value.column);
      value.table = table(index).table;
      statement_.values.push_back(value);
    }
  }
}

WrittenValue StatementReader::read_assigned(const Node& target, const Scope& scope,
                                            const Place& place, Mentions& shared) {
  WrittenValue value;
  value.expression = assigned_expression(tokens_, first_location(target["location"]));
  if (target["val"].type() != "MultiAssignRef") {
    shared = read_expression(target["val"], scope, place);
    set_mentions(shared, value);
    return value;
  }
  const Node& reference = target["val"].content();
  const Node& source = reference["source"];
  bool is_first = reference.text("colno") == "1";
  if (is_first) shared = read_expression(source, scope, place);
  if (source.type() != "RowExpr") {
    set_mentions(shared, value);
    return value;
  }
  std::size_t position = 0;
  for (const Node& argument : source.content()["args"]) {
    if (std::to_string(++position) != reference.text("colno")) continue;
    std::vector<std::string> parts = split_row(value.expression);
    if (position <= parts.size()) value.expression = parts[position - 1];
    set_mentions(read_expression(argument, scope, place), value);
    break;
  }
  return value;
}

// The tables whose column `target` names. In MySQL `t.x` is column x of t; in PostgreSQL it is
// field x of column t.
std::vector<std::size_t> StatementReader::assigned_tables(const Node& target,
                                                          const std::vector<std::size_t>& tables,
                                                          const Scope& scope, std::string& column) {
  column = target.text("name");
  std::vector<std::string> path = string_list(target["indirection"]);
  if (options_.dialect == Dialect::mysql && !path.empty()) {
    std::string qualifier = path.size() > 1 ? path[path.size() - 2] : column;
    column = path.back();
    const Source* source = find_source(scope, {}, qualifier);
    if (source != nullptr && !source->tables.empty()) return source->tables;
  }
  if (tables.size() > 1) note("UPDATE of several tables, column " + column);
  return tables;
}

StatementReader::Outputs StatementReader::read_delete(const Node& remove, const Place& place,
                                                      Mentions& mentions) {
  Scope scope{.outer = place.scope, .sources = {}, .common_tables = {}};
  read_common_tables(remove["withClause"], scope, place, mentions);
  if (!options_.multi_table) add_target(remove["relation"], scope);
  const std::size_t first = conditions_.size();
  Mentions condition;
  read_from(remove["usingClause"], scope, place, condition);
  read_condition(remove["whereClause"], "where", scope, place, condition);
  mentions.add(condition);
  delete_rows(remove, scope);
  if (place.outermost) {
    judge_row_by_row(scope, condition);
  } else {
    end_conditions(first, scope);
  }
  return read_outputs(remove["returningList"], scope, place, mentions);
}

void StatementReader::delete_rows(const Node& remove, const Scope& scope) {
  std::vector<std::string> names = options_.delete_targets;
  if (names.empty()) names.push_back(remove["relation"].text("relname"));
  for (std::size_t i = 0; i < scope.sources.size(); ++i) {
    const Source& source = scope.sources[i];
    bool named = std::find(names.begin(), names.end(), source.name) != names.end();
    if (options_.multi_table ? !named : i != 0) continue;
    for (std::size_t index : source.tables) {
      table(index).read = true;
      table(index).written = true;
      table(index).columns_written = {"*"};
    }
  }
}

StatementReader::Outputs StatementReader::read_merge(const Node& merge, const Place& place,
                                                     Mentions& mentions) {
  Scope scope{.outer = place.scope, .sources = {}, .common_tables = {}};
  read_common_tables(merge["withClause"], scope, place, mentions);
  std::size_t index = add_target(merge["relation"], scope);
  table(index).read = true;
  Mentions condition;
  read_from_item(merge["sourceRelation"], scope, place, condition);
  read_condition(merge["joinCondition"], "on", scope, place, condition);
  mentions.add(condition);
  for (const Node& action : merge["mergeWhenClauses"]) {
    read_merge_action(action.content(), index, scope, place, mentions);
  }
  return {};
}

void StatementReader::read_merge_action(const Node& action, std::size_t index, const Scope& scope,
                                        const Place& place, Mentions& mentions) {
  mentions.add(read_expression(action["condition"], scope, place));
  const std::string& command = action.text("commandType");
  if (command == "CMD_DELETE") insert_name(table(index).columns_written, "*");
  if (command == "CMD_UPDATE") {
    read_assignments(action["targetList"], {index}, scope, place, mentions);
  }
  if (command != "CMD_INSERT") return;
  std::vector<std::string> columns = target_names(action["targetList"]);
  for (const std::string& column : columns) insert_name(table(index).columns_written, column);
  if (columns.empty()) insert_name(table(index).columns_written, "*");
  std::vector<std::vector<std::string>> texts =
      value_rows(tokens_, first_location(action["values"]));
  std::size_t position = 0;
  for (const Node& item : action["values"]) {
    Mentions read = read_expression(item, scope, place);
    mentions.add(read);
    WrittenValue value;
    value.table = table(index).table;
    value.column = name_at(columns, position);
    value.position = position;
    if (!texts.empty()) value.expression = name_at(texts[0], position);
    set_mentions(read, value);
    statement_.values.push_back(std::move(value));
    ++position;
  }
}

}  // namespace heddle::sql
