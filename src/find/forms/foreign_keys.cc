#include "find/forms/foreign_keys.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "find/forms/expressions.h"

namespace heddle::find {

namespace {

std::string name_in(const Table& table, const std::string& column, Dialect dialect) {
  const TableColumn* found = find_column(table, column, dialect);
  return found == nullptr ? column : found->name;
}

std::vector<std::string> names_in(const Table& table, const std::vector<std::string>& columns,
                                  Dialect dialect) {
  std::vector<std::string> names;
  for (const std::string& column : columns) names.push_back(name_in(table, column, dialect));
  return names;
}

bool share_columns(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto has_all = [](const std::vector<std::string>& columns) {
    return std::ranges::find(columns, "*") != columns.end();
  };
  if (has_all(a) || has_all(b)) return true;
  return std::ranges::any_of(
      a, [&](const std::string& column) { return std::ranges::find(b, column) != b.end(); });
}

const Expression* assigned_in(const std::vector<Assignment>& assignments,
                              const std::string& column) {
  const auto found = std::ranges::find(assignments, column, &Assignment::column);
  return found == assignments.end() ? nullptr : &found->value;
}

bool changes_rows_with_it(ReferentialAction action) {
  return action != ReferentialAction::no_action && action != ReferentialAction::restrict;
}

// What a row gets in a column that an INSERT does not give; none: nothing.
std::optional<Expression> default_of(const Table& table, const std::string& column,
                                     Dialect dialect) {
  const TableColumn* found = find_column(table, column, dialect);
  if (found == nullptr) return unknown_value(column);
  const bool is_null = found->generation == Generation::none && found->default_expression.empty();
  if (is_null) return std::nullopt;
  return unknown_value(column);
}

}  // namespace

ForeignKeys::ForeignKeys(const Program& program) : schema_(&program.schema) {
  add_keys(program.schema);
  if (keys_.empty()) return;
  for (const Functionality& functionality : program.functionalities) {
    for (const ListedStatement& listed : list_statements(functionality)) {
      add_writes(listed.statement->statement);
    }
  }
  add_consequences();
}

void ForeignKeys::add_keys(const Schema& schema) {
  for (const Table& table : schema.tables) {
    for (const ForeignKeyConstraint& foreign : table.foreign_keys) {
      const Table* target =
          find_table(schema, foreign.referenced_table, schema.dialect, foreign.referenced_schema);
      if (target == nullptr) continue;
      Key key{.table = &table,
              .constraint = &foreign,
              .referenced = target,
              .columns = {},
              .referenced_columns = {}};
      key.columns = names_in(table, foreign.columns, schema.dialect);
      key.referenced_columns = foreign.referenced_columns.empty()
                                   ? target->primary_key
                                   : names_in(*target, foreign.referenced_columns, schema.dialect);
      if (key.columns.size() != key.referenced_columns.size() || key.columns.empty()) continue;
      keys_.push_back(std::move(key));
    }
  }
}

void ForeignKeys::add_writes(const Statement& statement) {
  const auto add_updates = [&](const Table& table, const std::vector<std::string>& columns) {
    for (const std::string& column : columns) {
      writes_[&table].columns.insert(name_in(table, column, schema_->dialect));
    }
  };
  if (statement.tables.empty() && statement.calls_unknown_function) {
    for (const Table& table : schema_->tables) add_updates(table, {"*"});
  }
  for (const TableUse& use : statement.tables) {
    if (!use.written) continue;
    const Table* table = find_table(*schema_, use.table, schema_->dialect, use.schema);
    if (table == nullptr) continue;
    Writes& writes = writes_[table];
    const bool removes =
        statement.kind == StatementKind::delete_ || statement.kind == StatementKind::truncate;
    const bool inserts = statement.kind == StatementKind::insert;
    writes.makes_rows = writes.makes_rows || inserts;
    writes.removes_rows = writes.removes_rows || removes;
    if (!removes && (!inserts || statement.on_conflict)) add_updates(*table, use.columns_written);
  }
}

// Rows also go and change with others.
void ForeignKeys::add_consequences() {
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const Key& key : keys_) {
      const Writes of = writes_[key.referenced];
      Writes& writes = writes_[key.table];
      const std::size_t before = writes.columns.size();
      const bool goes = of.removes_rows && key.constraint->on_delete == ReferentialAction::cascade;
      const bool changes =
          (of.removes_rows && !goes && changes_rows_with_it(key.constraint->on_delete)) ||
          (changes_rows_with_it(key.constraint->on_update) &&
           share_columns(key.referenced_columns, {of.columns.begin(), of.columns.end()}));
      if (changes) writes.columns.insert(key.columns.begin(), key.columns.end());
      is_new = is_new || writes.columns.size() > before || (goes && !writes.removes_rows);
      writes.removes_rows = writes.removes_rows || goes;
    }
  }
}

bool ForeignKeys::comes_and_goes(const Table* table) const {
  const auto known = writes_.find(table);
  return known != writes_.end() && (known->second.makes_rows || known->second.removes_rows);
}

bool ForeignKeys::changes(const Table* table, const std::vector<std::string>& columns) const {
  const auto known = writes_.find(table);
  return known != writes_.end() &&
         share_columns(columns, {known->second.columns.begin(), known->second.columns.end()});
}

void ForeignKeys::add_to(StatementForm& form) const {
  const bool may_meet = (form.kind == StatementKind::insert || form.kind == StatementKind::update ||
                         form.kind == StatementKind::delete_) &&
                        !form.sources.empty() && !form.is_unknown;
  if (keys_.empty() || !may_meet) return;
  const auto target = std::ranges::find(form.sources, true, &RowSource::is_written);
  const bool is_of_one = form.sources.size() == 1 || form.kind == StatementKind::insert;
  if (target == form.sources.end() || target != form.sources.begin() || !is_of_one) return;
  if (target->table == nullptr) return;
  for (const Key& key : keys_) {
    if (key.table == form.sources[0].table) add_referred(key, form);
  }
  std::vector<bool> is_done(keys_.size());
  for (std::size_t i = 0; i < form.sources.size(); ++i) {
    if (!form.sources[i].is_written || form.makes(i)) continue;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      if (is_done[k] || keys_[k].referenced != form.sources[i].table) continue;
      const std::size_t before = form.sources.size();
      add_referring(keys_[k], i, form);
      is_done[k] = form.sources.size() > before;
    }
  }
}

// Of rows that are made, or come to refer to others.
void ForeignKeys::add_referred(const Key& key, StatementForm& form) const {
  const bool varies =
      comes_and_goes(key.referenced) || changes(key.referenced, key.referenced_columns);
  const RowSource& target = form.sources[0];
  const bool inserts = form.kind == StatementKind::insert;
  const bool sets = inserts || (form.kind == StatementKind::update &&
                                share_columns(key.columns, target.written_columns));
  if (!varies || !sets) return;
  RowSource source;
  source.table = key.referenced;
  source.name = source.alias = key.referenced->name;
  source.role = SourceRole::referred;
  source.is_deferred = key.constraint->check_time != CheckTime::statement;
  source.is_read = true;
  source.predicate_columns = key.referenced_columns;
  std::ranges::sort(source.predicate_columns);
  const std::size_t place = form.sources.size();
  for (std::size_t i = 0; i < key.columns.size(); ++i) {
    const Expression* given = assigned_in(form.assignments, key.columns[i]);
    std::optional<Expression> value =
        given != nullptr     ? std::optional(*given)
        : !inserts           ? std::optional(column_of(0, key.columns[i]))
        : form.inserts_query ? std::optional(unknown_value(key.columns[i]))
                             : default_of(*key.table, key.columns[i], schema_->dialect);
    if (!value) return;
    source.reference.push_back(are_equal(column_of(place, key.referenced_columns[i]), *value));
  }
  form.sources.add(std::move(source));
}

// Of rows that refer to those of a source which go or get another key.
void ForeignKeys::add_referring(const Key& key, std::size_t referred, StatementForm& form) const {
  const RowSource& of = form.sources[referred];
  const bool removes = form.removes(referred);
  if (!removes && !share_columns(key.referenced_columns, of.written_columns)) return;
  const ReferentialAction action = removes ? key.constraint->on_delete : key.constraint->on_update;
  const std::size_t place = form.sources.size();
  RowSource source;
  source.table = key.table;
  source.name = source.alias = key.table->name;
  source.referred = referred;
  source.is_deferred = key.constraint->check_time != CheckTime::statement;
  for (std::size_t i = 0; i < key.columns.size(); ++i) {
    source.reference.push_back(are_equal(column_of(place, key.columns[i]),
                                         column_of(referred, key.referenced_columns[i])));
  }
  if (!changes_rows_with_it(action)) {
    if (!comes_and_goes(key.table) && !changes(key.table, key.columns)) return;
    source.role = SourceRole::referring;
    source.is_read = true;
    source.predicate_columns = key.columns;
    std::ranges::sort(source.predicate_columns);
    form.sources.add(std::move(source));
    return;
  }
  source.role = SourceRole::follows;
  source.is_written = true;
  source.kind = removes && action == ReferentialAction::cascade ? StatementKind::delete_
                                                                : StatementKind::update;
  if (source.kind == StatementKind::delete_) {
    for (const TableColumn& column : key.table->columns) {
      source.written_columns.push_back(column.name);
    }
  } else {
    source.written_columns = key.columns;
    for (std::size_t i = 0; i < key.columns.size(); ++i) {
      const std::vector<Assignment>& known = of.is_named() ? form.assignments : of.assignments;
      const Expression* given = assigned_in(known, key.referenced_columns[i]);
      const bool is_set = given != nullptr && action == ReferentialAction::cascade;
      const bool is_kept = given == nullptr && action == ReferentialAction::cascade;
      Expression value = is_set    ? *given
                         : is_kept ? column_of(referred, key.referenced_columns[i])
                         : action == ReferentialAction::set_null
                             ? literal_of("NULL")
                             : default_of(*key.table, key.columns[i], schema_->dialect)
                                   .value_or(literal_of("NULL"));
      source.assignments.push_back({key.columns[i], std::move(value)});
    }
  }
  std::ranges::sort(source.written_columns);
  form.sources.add(std::move(source));
}

}  // namespace heddle::find
