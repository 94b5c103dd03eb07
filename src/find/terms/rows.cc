#include "find/terms/rows.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle::find {

void Changes::add(const StatementForm& form) {
  for (std::size_t i = 0; i < form.sources.size(); ++i) {
    const RowSource& source = form.sources[i];
    if (!source.is_written) continue;
    const bool updates = form.updates_rows(i);
    if (!updates) rows_.insert(source.name);
    if (form.removes(i) || form.updates_row() || form.is_unknown) lost_.insert(source.name);
    // A row that is inserted in the place of another one is that row with other values.
    const bool sets_cells = form.kind_at(i) != StatementKind::delete_;
    if (!sets_cells) continue;
    for (const std::string& column : source.written_columns) {
      columns_.emplace(source.name, column);
      if (updates) updated_.emplace(source.name, column);
    }
  }
}

void Changes::add(const Changes& other) {
  columns_.insert(other.columns_.begin(), other.columns_.end());
  updated_.insert(other.updated_.begin(), other.updated_.end());
  rows_.insert(other.rows_.begin(), other.rows_.end());
  lost_.insert(other.lost_.begin(), other.lost_.end());
}

bool Changes::changes(const std::string& table, const std::string& column) const {
  return columns_.contains({table, column}) || columns_.contains({table, "*"});
}

bool Changes::updates(const std::string& table, const std::string& column) const {
  return updated_.contains({table, column}) || updated_.contains({table, "*"});
}

bool Changes::changes_rows(const std::string& table) const { return rows_.contains(table); }

bool Changes::loses_rows(const std::string& table) const { return lost_.contains(table); }

std::vector<std::string> Rows::key_columns(const RowSource& source) const {
  if (source.table == nullptr) return {};
  const std::vector<std::string>& key = source.table->primary_key;
  const bool changes = std::ranges::any_of(
      key, [&](const std::string& column) { return always_.updates(source.name, column); });
  return changes ? std::vector<std::string>{} : key;
}

Sort Rows::sort_of_column(const RowSource& source, const std::string& column) const {
  if (source.table == nullptr) return Sort::integer;
  const TableColumn* found = find_column(*source.table, column, dialect_);
  if (found == nullptr || is_number_of_mysql(found->type)) return Sort::integer;
  return sort_of(found->type.type);
}

SqlValue Rows::stored(const RowSource& source, const std::string& column, const SqlValue& value) {
  const TableColumn* found =
      source.table == nullptr ? nullptr : find_column(*source.table, column, dialect_);
  const bool is_number =
      found != nullptr && (is_integer(found->type.type) || is_number_of_mysql(found->type));
  const Sort sort = sort_of_column(source, column);
  return is_number ? evaluator_.as_number(value, sort) : evaluator_.as(value, sort);
}

void Rows::know_kind(Term value, const TableColumn* column) {
  if (column == nullptr) return;
  const LiteralKind kind =
      is_number_of_mysql(column->type) ? LiteralKind::number : literal_kind(column->type.type);
  if (kind != LiteralKind::text) evaluator_.know_kind(value, kind);
}

// MySQL's truth values are numbers, and may be others than 0 and 1.
bool Rows::is_number_of_mysql(const ColumnType& type) const {
  return dialect_ == Dialect::mysql && type.type == ValueType::boolean;
}

bool Rows::grows(const RowSource& source, const std::string& column) const {
  return growing_ != nullptr && keys_ == Keys::of_one_copy &&
         sort_of_column(source, column) == Sort::integer && growing_->grows(source.name, column);
}

RowKey Rows::fresh_key(const RowSource& source, std::string_view stem) {
  return new_key(source, [&](const std::string& column, Sort sort) {
    return evaluator_.unknown(std::string(stem) + column, sort, true);
  });
}

RowKey Rows::key_beside(const RowSource& source, std::string_view stem, const RowKey& other) {
  std::string name(stem);
  const bool is_met =
      std::ranges::any_of(other, [&](const SqlValue& part) { return met_.contains(part.value); });
  for (const SqlValue& part : other) {
    if (is_met) break;
    name += fmt::format(" {}?{}", part.value.index, part.is_null.index);
  }
  RowKey key = new_key(source, [&](const std::string& column, Sort sort) {
    return evaluator_.known(evaluator_.terms().symbol(name + column, sort));
  });
  for (const SqlValue& part : key) met_.insert(part.value);
  return key;
}

RowKey Rows::new_key(const RowSource& source,
                     const std::function<SqlValue(const std::string&, Sort)>& part) {
  RowKey key;
  const std::vector<std::string> columns = key_columns(source);
  for (const std::string& column : columns) {
    key.push_back(part("." + column, sort_of_column(source, column)));
    know_kind(key.back().value, find_column(*source.table, column, dialect_));
  }
  if (columns.empty()) key.push_back(part("", Sort::integer));
  return key;
}

Term Rows::same_key(const RowKey& a, const RowKey& b) {
  Terms& terms = evaluator_.terms();
  std::vector<Term> equal;
  for (std::size_t i = 0; i < a.size(); ++i) {
    equal.push_back(evaluator_.compare("=", a[i], b[i]).holds);
  }
  return terms.all(equal);
}

std::vector<Term> Rows::key_terms(const RowKey& key) const {
  std::vector<Term> values;
  values.reserve(key.size());
  for (const SqlValue& part : key) values.push_back(part.value);
  return values;
}

SqlValue Rows::cell(std::string_view viewer, const RowSource& source, const std::string& column,
                    const RowKey& key) {
  const std::vector<std::string> columns = key_columns(source);
  const auto at = std::ranges::find(columns, column);
  if (at != columns.end()) return key[static_cast<std::size_t>(at - columns.begin())];
  if (const Expression* value = computed(source, column)) {
    return stored(source, column, evaluator_.value(*value, [&](const Expression& leaf) {
      return cell(viewer, source, leaf.text, key);
    }));
  }
  if (uses_ != nullptr) uses_->push_back({std::string(viewer), &source, column, key});
  return cell_seen(viewer, source, column, key);
}

// Of a column that is none of the row's key.
SqlValue Rows::cell_seen(std::string_view viewer, const RowSource& source,
                         const std::string& column, const RowKey& key) {
  Terms& terms = evaluator_.terms();
  std::string name = source.name + "." + column;
  if (now_.changes(source.name, column)) name = std::string(viewer) + " " + name;
  const TableColumn* found =
      source.table == nullptr ? nullptr : find_column(*source.table, column, dialect_);
  const bool never_null = found != nullptr && found->not_null;
  const Term is_null =
      never_null ? terms.truth(false) : terms.apply(name + "?", Sort::truth, key_terms(key));
  const Term value = terms.apply(name, sort_of_column(source, column), key_terms(key));
  know_kind(value, found);
  return {value, is_null};
}

Term Rows::exists(std::string_view viewer, const RowSource& source, const RowKey& key) {
  if (uses_ != nullptr) uses_->push_back({std::string(viewer), &source, "", key});
  std::string name = source.name + " exists";
  const bool changes = now_.changes_rows(source.name);
  if (changes) name = std::string(viewer) + " " + name;
  const Term there = evaluator_.terms().apply(std::move(name), Sort::truth, key_terms(key));
  if (!changes && named_.insert(there).second) name_by_unique_keys(source, key, there);
  return there;
}

// Rows that are there together have no unique key in common: the values of the key, none of them
// null, are those of one row. Of rows that nobody in sight makes or deletes that is known where
// nobody out of sight lets a row give a key up for another one: those of a key are there at
// different times then. Copies that do not see each other may both give a key to a row.
void Rows::name_by_unique_keys(const RowSource& source, const RowKey& key, Term there) {
  if (source.table == nullptr || ever_loses_rows(source)) return;
  if (keys_ == Keys::of_copies && always_.changes_rows(source.name)) return;
  const Table& table = *source.table;
  const std::vector<std::string> columns = key_columns(source);
  Terms& terms = evaluator_.terms();
  for (const UniqueConstraint& one : table.unique_constraints) {
    const auto own_name = [&](const std::string& column) {
      const TableColumn* known = find_column(table, column, dialect_);
      return known == nullptr ? column : known->name;
    };
    const bool is_given_up = std::ranges::any_of(one.columns, [&](const std::string& column) {
      return ever_updates(source, own_name(column));
    });
    if (is_given_up) continue;
    std::string name = source.name + " by";
    std::vector<Term> values;
    std::vector<Term> holds = {there};
    for (const std::string& column : one.columns) {
      const std::string own = own_name(column);
      const auto part = std::ranges::find(columns, own);
      const SqlValue cell = part == columns.end()
                                ? cell_seen("", source, own, key)
                                : key[static_cast<std::size_t>(part - columns.begin())];
      const Term value = evaluator_.as(cell, sort_of_column(source, own)).value;
      name += " " + own;
      if (one.nulls_not_distinct) {
        const Term zero = terms.sort(value) == Sort::truth ? terms.truth(false)
                                                           : terms.number("0", terms.sort(value));
        values.push_back(terms.choose(cell.is_null, zero, value));
        values.push_back(terms.choose(cell.is_null, terms.integer(1), terms.integer(0)));
      } else {
        values.push_back(value);
        holds.push_back(terms.negate(cell.is_null));
      }
    }
    std::vector<Term> is_named;
    for (std::size_t i = 0; i < key.size(); ++i) {
      const Term named =
          terms.apply(name + " part " + std::to_string(i), terms.sort(key[i].value), values);
      is_named.push_back(terms.equal(named, key[i].value));
    }
    evaluator_.add_fact(terms.implies(terms.all(holds), terms.all(is_named)));
  }
}

}  // namespace heddle::find
