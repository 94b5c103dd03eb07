#include "find/forms/written_keys.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "find/forms/expressions.h"
#include "frontend/plpgsql/expression.h"

namespace heddle::find {

namespace {

bool is_among(const std::vector<std::string>& columns, const std::string& column) {
  return std::ranges::find(columns, column) != columns.end() ||
         std::ranges::find(columns, "*") != columns.end();
}

class TakenKeys {
 public:
  TakenKeys(const Schema& schema, StatementForm& form, std::size_t target)
      : dialect_(schema.dialect),
        form_(form),
        target_(target),
        table_(*form.sources[target].table),
        inserts_(form.kind == StatementKind::insert) {}

  void add(std::vector<std::string> key, CheckTime check_time) {
    for (std::string& column : key) {
      if (const TableColumn* known = find_column(table_, column, dialect_)) column = known->name;
    }
    RowSource source;
    source.table = &table_;
    source.name = source.alias = table_.name;
    source.role = SourceRole::taken;
    source.referred = target_;
    source.is_read = true;
    source.is_deferred = check_time != CheckTime::statement;
    const std::size_t place = form_.sources.size();
    std::vector<Expression> ways;
    if (form_.made.empty()) {
      add_way(key, form_.assignments, place, ways);
    } else {
      for (const std::vector<Assignment>& row : form_.made) add_way(key, row, place, ways);
    }
    if (ways.empty()) return;
    source.reference = {any_of(std::move(ways))};
    source.predicate_columns = std::move(key);
    std::ranges::sort(source.predicate_columns);
    form_.sources.add(std::move(source));
  }

 private:
  // That a row has the key which this one comes to have.
  void add_way(const std::vector<std::string>& key, const std::vector<Assignment>& row,
               std::size_t place, std::vector<Expression>& ways) const {
    std::vector<Expression> equal;
    std::vector<Expression> differ;
    for (const std::string& column : key) {
      const auto given = std::ranges::find(row, column, &Assignment::column);
      const bool is_given = given != row.end();
      const std::optional<Expression> value = is_given   ? std::optional(given->value)
                                              : inserts_ ? made_value(column)
                                                         : column_of(target_, column);
      if (!value) return;
      equal.push_back(are_equal(column_of(place, column), *value));
      if (!is_given || inserts_) continue;
      differ.push_back(call_of("is distinct from", {column_of(target_, column), *value}));
    }
    if (!inserts_ && differ.empty()) return;
    // A row that keeps its key is in nobody's way.
    if (!inserts_) equal.push_back(any_of(std::move(differ)));
    ways.push_back(all_of(std::move(equal)));
  }

  // What a new row has in a column that the statement does not name; none: nothing, or a number
  // that no other row has.
  std::optional<Expression> made_value(const std::string& column) const {
    const TableColumn* known = find_column(table_, column, dialect_);
    if (known == nullptr || is_of_whole_row()) return unknown_value(column);
    if (known->generation == Generation::identity) return std::nullopt;
    const bool is_computed =
        known->generation == Generation::expression || !known->default_expression.empty();
    if (is_computed) return unknown_value(column);
    return std::nullopt;
  }

  // INSERT ... SELECT *: which value is whose is not known.
  bool is_of_whole_row() const { return form_.assignments.empty() && form_.made.empty(); }

  Dialect dialect_;
  StatementForm& form_;
  std::size_t target_;
  const Table& table_;
  bool inserts_;
};

// The table whose rows are written; none: nobody knows it.
std::optional<std::size_t> written_table(const StatementForm& form) {
  const bool writes = form.kind == StatementKind::insert || form.kind == StatementKind::update;
  const auto target = std::ranges::find(form.sources, true, &RowSource::is_written);
  if (!writes || form.is_unknown || target == form.sources.end()) return std::nullopt;
  if (target->table == nullptr || !target->table->columns_known) return std::nullopt;
  return static_cast<std::size_t>(target - form.sources.begin());
}

}  // namespace

void add_taken_keys(const Statement& statement, const Schema& schema, StatementForm& form) {
  const std::optional<std::size_t> target = written_table(form);
  const bool inserts = form.kind == StatementKind::insert;
  const bool is_plain_row = inserts && !form.inserts_query && !form.on_conflict;
  if (!target || is_plain_row || statement.on_conflict) return;
  const Table& table = *form.sources[*target].table;
  const std::vector<std::string> written = form.sources[*target].written_columns;
  TakenKeys keys(schema, form, *target);
  const auto is_changed = [&](const std::vector<std::string>& key) {
    return !key.empty() && (inserts || std::ranges::any_of(key, [&](const std::string& column) {
                              return is_among(written, column);
                            }));
  };
  if (is_changed(table.primary_key)) keys.add(table.primary_key, CheckTime::statement);
  for (const UniqueConstraint& unique : table.unique_constraints) {
    if (unique.columns == table.primary_key || !is_changed(unique.columns)) continue;
    keys.add(unique.columns, unique.check_time);
  }
}

void add_checks(const Schema& schema, StatementForm& form) {
  const std::optional<std::size_t> target = written_table(form);
  if (!target) return;
  const Table& table = *form.sources[*target].table;
  const std::vector<std::string> written = form.sources[*target].written_columns;
  const bool inserts = form.kind == StatementKind::insert;
  const auto name_of = [&](const std::string& column) {
    const TableColumn* known = find_column(table, column, schema.dialect);
    return known == nullptr ? column : known->name;
  };
  for (const Check& check : table.checks) {
    // Of a row that is made, what its default is decides nothing that hangs on others.
    const bool is_given = std::ranges::all_of(check.columns, [&](const std::string& column) {
      return std::ranges::find(form.assignments, name_of(column), &Assignment::column) !=
             form.assignments.end();
    });
    const bool is_changed = std::ranges::any_of(check.columns, [&](const std::string& column) {
      return is_among(written, name_of(column));
    });
    const bool is_met = inserts ? is_given : is_changed;
    if (!is_met) continue;
    const auto read = plpgsql::read_value(
        check.expression, [&](const std::vector<std::string>& path) -> std::optional<Expression> {
          return column_of(*target, name_of(path.back()));
        });
    if (read.is_ok) form.checks.push_back(read.value.value);
    RowSource& source = form.sources.edit(*target);
    for (const std::string& column : check.columns) {
      const std::string name = name_of(column);
      if (inserts || is_among(written, name) || is_among(source.output_columns, name)) continue;
      source.is_read = true;
      source.output_columns.push_back(name);
    }
    std::ranges::sort(source.output_columns);
  }
}

bool StatementForm::changes_named_row() const {
  const bool changes = kind == StatementKind::update || kind == StatementKind::delete_;
  if (!changes || named_sources() != 1 || sources[0].table == nullptr) return false;
  const std::vector<std::string>& key = sources[0].table->primary_key;
  const auto is_key = [&](const std::string& column) {
    return std::ranges::find(key, column) != key.end();
  };
  const RowSource& source = sources[0];
  return !key.empty() && std::ranges::all_of(source.predicate_columns, is_key) &&
         std::ranges::all_of(source.output_columns, is_key);
}

bool StatementForm::may_be_refused() const {
  if (!checks.empty() || std::ranges::any_of(sources, &RowSource::is_checked)) return true;
  if (kind != StatementKind::update || sources.empty() || sources[0].table == nullptr) return false;
  // Where nobody makes or deletes rows of the other table, no source is there for these.
  return std::ranges::any_of(sources[0].table->foreign_keys, [&](const auto& foreign) {
    return std::ranges::any_of(foreign.columns, [&](const std::string& column) {
      return is_among(sources[0].written_columns, column);
    });
  });
}

bool StatementForm::makes_numbered_rows(std::size_t source) const {
  const Table* table = sources[source].table;
  if (!makes(source) || on_conflict || table == nullptr) return false;
  std::vector<std::vector<Assignment>> rows = made;
  if (rows.empty()) rows.push_back(assignments);
  return std::ranges::any_of(table->primary_key, [&](const std::string& name) {
    const auto column = std::ranges::find(table->columns, name, &TableColumn::name);
    const bool counts =
        column != table->columns.end() && column->generation == Generation::identity;
    return counts && std::ranges::all_of(rows, [&](const std::vector<Assignment>& row) {
             return !row.empty() && std::ranges::find(row, name, &Assignment::column) == row.end();
           });
  });
}

}  // namespace heddle::find
