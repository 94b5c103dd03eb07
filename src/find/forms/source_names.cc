#include "find/forms/source_names.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "find/forms/expressions.h"
#include "find/forms/statement_form.h"

namespace heddle::find {

bool SourceNames::same(std::string_view a, std::string_view b) const {
  if (schema_.dialect == Dialect::postgres) return a == b;
  return std::ranges::equal(a, b,
                            [](char x, char y) { return std::tolower(x) == std::tolower(y); });
}

std::string SourceNames::column_name(const RowSource& source, const std::string& name) const {
  if (source.table == nullptr) return name;
  const TableColumn* column = find_column(*source.table, name, schema_.dialect);
  return column == nullptr ? name : column->name;
}

std::vector<std::string> SourceNames::columns_of(const RowSource& source,
                                                 const std::vector<std::string>& names) const {
  std::vector<std::string> columns;
  for (const std::string& name : names) {
    if (name == "*" && source.table != nullptr) {
      for (const TableColumn& column : source.table->columns) columns.push_back(column.name);
    } else {
      columns.push_back(column_name(source, name));
    }
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

std::optional<Expression> SourceNames::resolve(const std::vector<std::string>& path) const {
  if (path.size() == 1 && path[0].starts_with('$')) {
    return Expression{.kind = ExpressionKind::variable, .text = path[0], .operands = {}};
  }
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const RowSource& source = sources_[i];
    if (path.size() > 1 && !same(path[path.size() - 2], source.alias)) continue;
    // A query sees nothing of the rows that it makes.
    if (inserts_rows_of_others() && source.is_written) continue;
    const bool has = source.table == nullptr
                         ? sources_.size() == 1 || path.size() > 1
                         : find_column(*source.table, path.back(), schema_.dialect) != nullptr;
    if (!has) continue;
    Expression row{.kind = ExpressionKind::variable, .text = source_variable(i), .operands = {}};
    return Expression{.kind = ExpressionKind::field,
                      .text = column_name(source, path.back()),
                      .operands = {std::move(row)}};
  }
  return unknown_value(path.back());
}

bool SourceNames::inserts_rows_of_others() const {
  return statement_.kind == StatementKind::insert && !statement_.on_conflict &&
         (sources_.size() > 1 || statement_.drops_rows);
}

bool SourceNames::is_clear(const std::vector<std::string>& path, std::size_t source) const {
  const auto may_mean = [&](const RowSource& of) {
    if (path.size() > 1) return same(path[path.size() - 2], of.alias);
    return of.table == nullptr || find_column(*of.table, path.back(), schema_.dialect) != nullptr;
  };
  if (path.size() == 1 && (path[0].starts_with('$') || may_mean(sources_[source]))) {
    return true;
  }
  return std::ranges::count_if(sources_, may_mean) == 1;
}

std::optional<Expression> SourceNames::resolve_inside(const std::vector<std::string>& path,
                                                      std::size_t source) const {
  const RowSource& own = sources_[source];
  const bool is_own = path.size() == 1 && !path[0].starts_with('$') &&
                      find_column(*own.table, path[0], schema_.dialect) != nullptr;
  return is_own ? std::optional(column_of(source, column_name(own, path[0]))) : resolve(path);
}

}  // namespace heddle::find
