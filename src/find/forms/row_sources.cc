#include "find/forms/row_sources.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace heddle::find {

namespace {

constexpr std::string_view kSource = "source ";

}  // namespace

std::string source_variable(std::size_t source) {
  return std::string(kSource) + std::to_string(source);
}

std::optional<std::size_t> source_of(const Expression& leaf) {
  if (leaf.kind != ExpressionKind::field || leaf.operands.size() != 1) return std::nullopt;
  const std::string& row = leaf.operands[0].text;
  if (!row.starts_with(kSource)) return std::nullopt;
  std::size_t source = 0;
  std::from_chars(row.data() + kSource.size(), row.data() + row.size(), source);
  return source;
}

RowSources rows_of_every_table(const Schema& schema) {
  RowSources all;
  for (const Table& table : schema.tables) {
    RowSource source;
    source.table = &table;
    source.name = source.alias = table.name;
    source.is_read = source.is_written = source.is_any_row = true;
    for (const TableColumn& column : table.columns) {
      const bool is_key =
          std::ranges::find(table.primary_key, column.name) != table.primary_key.end();
      source.output_columns.push_back(column.name);
      if (!is_key) source.written_columns.push_back(column.name);
    }
    std::ranges::sort(source.output_columns);
    std::ranges::sort(source.written_columns);
    all.add(std::move(source));
  }
  return all;
}

void read_every_table(const Schema& schema, RowSources& sources) {
  const RowSources own = sources;
  for (RowSource source : rows_of_every_table(schema)) {
    if (std::ranges::find(own, source.name, &RowSource::name) != own.end()) continue;
    source.is_written = false;
    source.written_columns.clear();
    sources.add(std::move(source));
  }
}

}  // namespace heddle::find
