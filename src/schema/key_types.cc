#include "schema/key_types.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "schema/types.h"

namespace heddle::sql {
namespace {

constexpr std::size_t kMostSteps = 16;

bool is_any_text(ValueType type) { return is_text(type) || type == ValueType::unknown; }

// Its operators compare all integers with each other, all texts, and integers with decimals.
bool fits_postgres(const TableColumn& column, const TableColumn& referenced) {
  const auto value_type = [](const TableColumn& one) {
    const bool counts = one.generation == Generation::identity;
    return counts && one.type.type == ValueType::numeric ? ValueType::integer64 : one.type.type;
  };
  const ValueType left = value_type(column);
  const ValueType right = value_type(referenced);
  if (is_integer(left)) return is_integer(right) || right == ValueType::numeric;
  if (is_any_text(left)) return is_any_text(right);
  // Each column has an enumeration of its own.
  return left == right && left != ValueType::enumeration;
}

// Numbers have to be of one size; texts may have any length.
bool fits_mysql(const TableColumn& column, const TableColumn& referenced) {
  if (is_any_text(column.type.type)) return is_any_text(referenced.type.type);
  return translate_type(column.type, Dialect::mysql, true).text ==
             translate_type(referenced.type, Dialect::mysql, true).text &&
         column.type.labels == referenced.type.labels;
}

ColumnPlace referenced_place(const Schema& schema, const Table& table, const TableColumn& column) {
  for (const ForeignKeyConstraint& key : table.foreign_keys) {
    const auto at = std::find(key.columns.begin(), key.columns.end(), column.name);
    const auto index = static_cast<std::size_t>(at - key.columns.begin());
    if (index >= key.referenced_columns.size()) continue;
    const Table* referenced =
        find_table(schema, key.referenced_table, schema.dialect, key.referenced_schema);
    if (referenced == nullptr) continue;
    const TableColumn* there =
        find_column(*referenced, key.referenced_columns[index], schema.dialect);
    if (there != nullptr && there != &column) return {.table = referenced, .column = there};
  }
  return {};
}

ColumnPlace place_within(const Schema& schema, ColumnPlace from, Dialect to, std::size_t steps) {
  if (steps == 0) return from;
  const ColumnPlace next = referenced_place(schema, *from.table, *from.column);
  if (next.column == nullptr) return from;
  const ColumnPlace last = place_within(schema, next, to, steps - 1);
  const bool fits = to == Dialect::mysql ? fits_mysql(*from.column, *last.column)
                                         : fits_postgres(*from.column, *last.column);
  return fits ? from : last;
}

}  // namespace

ColumnPlace type_place(const Schema& schema, const Table& table, const TableColumn& column,
                       Dialect to) {
  const ColumnPlace own{.table = &table, .column = &column};
  const bool compares_anything = to == Dialect::sqlite || to == schema.dialect;
  return compares_anything ? own : place_within(schema, own, to, kMostSteps);
}

}  // namespace heddle::sql
