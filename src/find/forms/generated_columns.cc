#include "find/forms/generated_columns.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "find/forms/expressions.h"
#include "frontend/plpgsql/expression.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::find {

namespace {

// Columns of MySQL may be computed from others that are.
constexpr std::size_t kDeepestChain = 8;

bool is_computed(const TableColumn& column) {
  return column.generation == Generation::expression && !column.generation_expression.empty();
}

std::vector<std::string> computed_from(const Table& table, const TableColumn& column,
                                       const Schema& schema) {
  const sql::Tokens tokens(column.generation_expression);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string name = fold_name(tokens.text(i), Dialect::postgres);
    const TableColumn* known = find_column(table, name, schema.dialect);
    if (known == nullptr || known == &column) continue;
    if (std::ranges::find(names, known->name) == names.end()) names.push_back(known->name);
  }
  return names;
}

// Of what cannot be read, equal values give equal ones.
Expression computed_value(const Table& table, const TableColumn& column, const Schema& schema) {
  const auto read = plpgsql::read_value(
      column.generation_expression,
      [&](const std::vector<std::string>& path) -> std::optional<Expression> {
        const TableColumn* known = find_column(table, path.back(), schema.dialect);
        return column_of(0, known == nullptr ? path.back() : known->name);
      });
  if (read.is_ok && !read.value.asks_store) return read.value.value;
  Expression call = call_of("generated " + table.name + "." + column.name, {});
  for (const std::string& name : computed_from(table, column, schema)) {
    call.operands.push_back(column_of(0, name));
  }
  return call;
}

void add_stored(const Table& table, const std::string& name, const Schema& schema,
                std::size_t depth, std::vector<std::string>& stored) {
  const TableColumn* column = find_column(table, name, schema.dialect);
  if (column != nullptr && is_computed(*column) && depth < kDeepestChain) {
    for (const std::string& from : computed_from(table, *column, schema)) {
      add_stored(table, from, schema, depth + 1, stored);
    }
  } else if (std::ranges::find(stored, name) == stored.end()) {
    stored.push_back(name);
  }
}

}  // namespace

GeneratedColumns::GeneratedColumns(const Schema& schema) {
  for (const Table& table : schema.tables) {
    for (const TableColumn& column : table.columns) {
      if (!is_computed(column)) continue;
      expressions_.emplace(std::pair(table.name, column.name),
                           computed_value(table, column, schema));
    }
  }
}

const Expression* GeneratedColumns::find(const std::string& table,
                                         const std::string& column) const {
  if (expressions_.empty()) return nullptr;
  const auto found = expressions_.find({table, column});
  return found == expressions_.end() ? nullptr : &found->second;
}

std::vector<std::string> stored_columns(const Table* table, const std::string& column,
                                        const Schema& schema) {
  if (table == nullptr) return {column};
  std::vector<std::string> stored;
  add_stored(*table, column, schema, 0, stored);
  return stored;
}

}  // namespace heddle::find
