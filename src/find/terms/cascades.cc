#include "find/terms/cascades.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace heddle::find {

namespace {

Expression column_of(std::size_t source, const Table& table, const std::string& name,
                     Dialect dialect) {
  const TableColumn* column = find_column(table, name, dialect);
  Expression row{.kind = ExpressionKind::variable, .text = source_variable(source), .operands = {}};
  return {.kind = ExpressionKind::field,
          .text = column == nullptr ? name : column->name,
          .operands = {std::move(row)}};
}

bool goes_with(const Table& deleted, const ForeignKeyConstraint& foreign, const Schema& schema) {
  return foreign.on_delete == ReferentialAction::cascade &&
         find_table(schema, foreign.referenced_table, schema.dialect, foreign.referenced_schema) ==
             &deleted;
}

RowSource cascade_of(const Table& table, const ForeignKeyConstraint& foreign, std::size_t place,
                     std::size_t referred, const Table& deleted, Dialect dialect) {
  RowSource source;
  source.table = &table;
  source.name = source.alias = table.name;
  source.is_written = source.is_cascade = true;
  source.referred = referred;
  for (const TableColumn& column : table.columns) source.written_columns.push_back(column.name);
  std::ranges::sort(source.written_columns);
  const std::vector<std::string>& columns =
      foreign.referenced_columns.empty() ? deleted.primary_key : foreign.referenced_columns;
  for (std::size_t i = 0; i < std::min(columns.size(), foreign.columns.size()); ++i) {
    source.reference.push_back({.kind = ExpressionKind::call,
                                .text = "=",
                                .operands = {column_of(place, table, foreign.columns[i], dialect),
                                             column_of(referred, deleted, columns[i], dialect)}});
  }
  return source;
}

}  // namespace

void add_cascades(const Schema& schema, StatementForm& form) {
  if (form.kind != StatementKind::delete_ || form.sources.size() != 1) return;
  for (std::size_t i = 0; i < form.sources.size(); ++i) {
    const Table* const deleted = form.sources[i].table;
    if (deleted == nullptr) return;
    for (const Table& table : schema.tables) {
      const bool is_known = std::ranges::any_of(
          form.sources, [&](const RowSource& source) { return source.table == &table; });
      if (is_known) continue;
      const auto foreign = std::ranges::find_if(
          table.foreign_keys,
          [&](const ForeignKeyConstraint& one) { return goes_with(*deleted, one, schema); });
      if (foreign == table.foreign_keys.end()) continue;
      form.sources.add(
          cascade_of(table, *foreign, form.sources.size(), i, *deleted, schema.dialect));
    }
  }
}

}  // namespace heddle::find
