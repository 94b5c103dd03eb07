#include "find/realize/fill_rows.h"

#include <algorithm>
#include <set>
#include <utility>

namespace heddle::find {

namespace {

const ColumnType& type_of(const Table& table, const std::string& column) {
  static const ColumnType kUnknown;
  const TableColumn* found = find_column(table, column, Dialect::postgres);
  return found == nullptr ? kUnknown : found->type;
}

bool is_unique(const Table& table, const std::string& column) {
  const auto has = [&](const std::vector<std::string>& columns) {
    return std::ranges::find(columns, column) != columns.end();
  };
  return has(table.primary_key) ||
         std::ranges::any_of(table.unique_constraints, has, &UniqueConstraint::columns);
}

// Whether two rows without a value there would have the same: its default, or nothing.
bool needs_own_value(const Table& table, const TableColumn& column) {
  return column.generation == Generation::none &&
         std::ranges::any_of(table.unique_constraints, [&](const UniqueConstraint& unique) {
           const bool is_part =
               std::ranges::find(unique.columns, column.name) != unique.columns.end();
           return is_part && (unique.nulls_not_distinct || !column.default_expression.empty());
         });
}

}  // namespace

void RowFiller::add(const Rows& rows, const InitialRow& row) {
  static const ColumnType kRowNumber{.type = ValueType::integer64};
  const Table& table = *row.source->table;
  FilledRow filled{.table = &table, .cells = {}};
  const std::vector<std::string> key = rows.key_columns(*row.source);
  std::vector<Cell> name;
  for (std::size_t i = 0; i < row.key.size(); ++i) {
    name.push_back(texts_.text_of(row.key[i], key.empty() ? kRowNumber : type_of(table, key[i])));
    if (!key.empty()) filled.cells[key[i]] = name.back();
  }
  for (const auto& [column, value] : row.cells) {
    filled.cells[column] = texts_.text_of(value, type_of(table, column));
  }
  const auto [known, is_new] = named_.try_emplace({&table, std::move(name)}, filled_.size());
  // Named in several ways, of each of which other columns are known.
  if (is_new) {
    filled_.push_back(std::move(filled));
  } else {
    filled_[known->second].cells.merge(filled.cells);
  }
}

bool RowFiller::has_row(const Table& table, const std::vector<std::string>& columns,
                        const std::vector<Cell>& values) const {
  const auto is_it = [&](const FilledRow& row) {
    if (row.table != &table) return false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto cell = row.cells.find(columns[i]);
      if (cell == row.cells.end() || cell->second != values[i]) return false;
    }
    return true;
  };
  return std::ranges::any_of(filled_, is_it) || std::ranges::any_of(made_, is_it);
}

void RowFiller::add_references(const FilledRow& row) {
  for (const ForeignKeyConstraint& foreign : row.table->foreign_keys) {
    const Table* referenced =
        find_table(schema_, foreign.referenced_table, Dialect::postgres, foreign.referenced_schema);
    if (referenced == nullptr) continue;
    const std::vector<std::string>& columns =
        foreign.referenced_columns.empty() ? referenced->primary_key : foreign.referenced_columns;
    std::vector<Cell> values;
    for (const std::string& column : foreign.columns) {
      const auto cell = row.cells.find(column);
      if (cell == row.cells.end() || !cell->second) break;
      values.push_back(cell->second);
    }
    if (values.size() != columns.size() || has_row(*referenced, columns, values)) continue;
    FilledRow parent{.table = referenced, .cells = {}};
    for (std::size_t i = 0; i < columns.size(); ++i) parent.cells[columns[i]] = values[i];
    filled_.push_back(std::move(parent));
  }
}

namespace {

// Whether a row that leaves the column to its default is refused: the text has no room there.
bool has_default_too_long(const TableColumn& column) {
  const std::string_view text = column.default_expression;
  const bool is_bounded =
      column.type.type == ValueType::varying || column.type.type == ValueType::padded_text;
  if (!is_bounded || column.type.arguments.empty() || !text.starts_with('\'')) return false;
  const std::size_t end = text.rfind('\'');
  return end > 0 && end - 1 > column.type.arguments[0];
}

}  // namespace

// Where a column has no default and must not be null, any value will do; one of its own where
// values must differ, also from a default.
void RowFiller::complete(FilledRow& row) {
  const auto number = static_cast<std::size_t>(&row - filled_.data()) + 1;
  for (const TableColumn& column : row.table->columns) {
    if (column.generation == Generation::expression) {
      row.cells.erase(column.name);
      continue;
    }
    const bool is_own = needs_own_value(*row.table, column);
    const bool is_too_long = has_default_too_long(column);
    const bool is_made = column.generation != Generation::none ||
                         (!column.default_expression.empty() && !is_too_long);
    const bool is_needed =
        column.not_null || is_too_long || needed_[row.table].contains(column.name);
    if (row.cells.contains(column.name) || ((is_made || !is_needed) && !is_own)) continue;
    // Far from the numbers that a solution takes.
    constexpr std::size_t kFirst = 20'000;
    row.cells[column.name] =
        texts_.any_text(column.type, is_unique(*row.table, column.name) ? kFirst + number : 0);
  }
}

std::vector<FilledRow> RowFiller::take() {
  for (const FilledRow& row : made_) add_references(row);
  // What is referred to is added behind, and may refer to more.
  for (std::size_t next = 0; next < filled_.size();) {
    complete(filled_[next]);
    add_references(FilledRow(filled_[next++]));
  }
  return std::move(filled_);
}

}  // namespace heddle::find
