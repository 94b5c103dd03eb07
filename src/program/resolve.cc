#include "program/resolve.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/sql/words/functions.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::program {

namespace {

// A table of the statement; null: the schema does not know it.
struct KnownUse {
  TableUse* use = nullptr;
  const Table* table = nullptr;
};

class ColumnResolver {
 public:
  ColumnResolver(Statement& statement, const Schema& schema)
      : schema_(schema), dialect_(schema.dialect) {
    find_own_names(statement.text);
    for (TableUse& use : statement.tables) {
      const Table* table = find_table(schema, use.table, dialect_, use.schema);
      if (table == nullptr) problems_.insert(unknown_table(use.table));
      uses_.push_back({&use, table != nullptr && table->columns_known ? table : nullptr});
    }
  }

  std::vector<std::string> resolve() {
    for (const KnownUse& known : uses_) {
      if (known.table == nullptr) continue;
      resolve_list(known, known.use->columns_read);
      resolve_list(known, known.use->columns_written);
    }
    return {problems_.begin(), problems_.end()};
  }

 private:
  std::string spelled(const TableColumn& column) const {
    return name_in_statements(column.name, dialect_);
  }

  // A query may name columns of its own: of a nested query, and behind AS or `f(...)`.
  void find_own_names(const std::string& text) {
    const sql::Tokens tokens(text);
    std::size_t queries = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string word = tokens.word(i);
      if (word == "select" || word == "values" || word == "with") ++queries;
      const bool is_named = i > 0 && (tokens.word(i - 1) == "as" || tokens.is_symbol(i - 1, ')'));
      if (is_named && !word.empty()) own_names_.insert(word);
    }
    is_nested_ = queries > 1;
  }

  std::string unknown_table(const std::string& name) const {
    std::vector<std::string> names;
    for (const Table& table : schema_.tables) names.push_back(table.name);
    return fmt::format("unknown table \"{}\"{}", name, guess(closest_word(name, names)));
  }

  std::string unknown_column(const Table& table, const std::string& name) const {
    std::vector<std::string> names;
    for (const TableColumn& column : table.columns) names.push_back(column.name);
    return fmt::format("unknown column \"{}\" of {}{}", name, table.name,
                       guess(closest_word(name, names)));
  }

  static std::string guess(const std::string& closest) {
    return closest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", closest);
  }

  void resolve_list(const KnownUse& known, std::vector<std::string>& columns) {
    std::set<std::string> found;
    for (const std::string& column : columns) {
      if (column == "*") {
        for (const TableColumn& each : known.table->columns) found.insert(spelled(each));
      } else if (const TableColumn* same = find_column(*known.table, column, dialect_)) {
        found.insert(spelled(*same));
      } else if (sql::is_system_column(column)) {
        found.insert(column);
      } else if (!is_of_another(column)) {
        found.insert(column);
        if (is_nested_ || own_names_.contains(column)) continue;
        problems_.insert(unknown_column(*known.table, column));
      }
    }
    columns.assign(found.begin(), found.end());
  }

  // A column without a qualifier was noted at every table that might have it.
  bool is_of_another(const std::string& column) const {
    return std::ranges::any_of(uses_, [&](const KnownUse& other) {
      return other.table == nullptr || find_column(*other.table, column, dialect_) != nullptr;
    });
  }

  const Schema& schema_;
  Dialect dialect_;
  std::vector<KnownUse> uses_;
  std::set<std::string> problems_;
  std::set<std::string> own_names_;
  bool is_nested_ = false;
};

}  // namespace

std::string name_in_statements(const std::string& name, Dialect dialect) {
  return dialect == Dialect::postgres ? name : to_lower(name);
}

std::vector<std::string> resolve_columns(Statement& statement, const Schema& schema) {
  if (schema.tables.empty()) return {};
  return ColumnResolver(statement, schema).resolve();
}

}  // namespace heddle::program
