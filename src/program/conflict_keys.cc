#include "program/conflict_keys.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::program {

namespace {

bool expression_asks_store(const std::string& expression) {
  const sql::Tokens tokens(expression);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens.word(i) == "select") return true;
  }
  return false;
}

// Of a constant, a client computes what the store would put there.
bool is_constant(const std::string& expression) {
  const sql::Tokens tokens(expression);
  return tokens.size() == 1 && (tokens.word(0).empty() || tokens.word(0) == "null" ||
                                tokens.word(0) == "true" || tokens.word(0) == "false");
}

bool makes_several_rows(const Statement& statement) {
  const auto is_another = [](const WrittenValue& value) { return value.row > 0; };
  return statement.tables.size() > 1 || statement.values.empty() || !statement.predicate.empty() ||
         std::ranges::any_of(statement.values, is_another);
}

class KeyReader {
 public:
  KeyReader(const Statement& statement, const Table& table, Dialect dialect)
      : statement_(statement), table_(table), dialect_(dialect) {}

  ConflictKeys read() {
    if (!table_.columns_known) return {.doubt = "the columns of " + table_.name + " are not known"};
    if (makes_several_rows(statement_)) return {.doubt = "not one row is inserted"};
    add(table_.primary_key, false);
    for (const UniqueConstraint& unique : table_.unique_constraints) {
      add(unique.columns, unique.nulls_not_distinct);
    }
    if (!table_.unique_known) {
      doubt(table_.name +
            " has a unique index on some rows or on expressions, or an exclusion "
            "constraint");
    }
    // IGNORE of MySQL also leaves out rows that lack the one that they refer to.
    if (dialect_ == Dialect::mysql && !table_.foreign_keys.empty()) {
      doubt(table_.name + " has foreign keys, which are ignored, too");
    }
    return std::move(result_);
  }

 private:
  bool is_met(const std::vector<std::string>& key, bool nulls_are_equal) const {
    return std::ranges::all_of(key, [&](const std::string& name) {
      const TableColumn* column = find_column(table_, name, dialect_);
      if (column == nullptr) return true;
      if (inserted_value(statement_, table_, name, dialect_) != nullptr) return true;
      const bool is_empty =
          column->generation == Generation::none && column->default_expression.empty();
      // MySQL puts a value of its own where NULL is refused.
      const bool is_null =
          is_empty && !nulls_are_equal && !(column->not_null && dialect_ == Dialect::mysql);
      return column->generation != Generation::identity && !is_null;
    });
  }

  void add(const std::vector<std::string>& key, bool nulls_are_equal) {
    const bool is_new = !key.empty() && std::ranges::find(result_.keys, key) == result_.keys.end();
    if (!is_new || !is_met(key, nulls_are_equal)) return;
    result_.keys.push_back(key);
    for (const std::string& name : key) {
      if (!is_known(name, nulls_are_equal)) {
        doubt(fmt::format("the value of {}.{} is not known", table_.name, name));
      }
    }
  }

  // REQUIRES: a row can meet another one in it.
  bool is_known(const std::string& name, bool nulls_are_equal) const {
    const TableColumn* column = find_column(table_, name, dialect_);
    if (column == nullptr || (nulls_are_equal && !column->not_null)) return false;
    if (const WrittenValue* value = inserted_value(statement_, table_, name, dialect_)) {
      return !value->generated && !expression_asks_store(value->expression) &&
             !statement_.calls_unknown_function;
    }
    return column->generation == Generation::none && is_constant(column->default_expression);
  }

  void doubt(std::string why) {
    if (result_.doubt.empty()) result_.doubt = std::move(why);
  }

  const Statement& statement_;
  const Table& table_;
  Dialect dialect_;
  ConflictKeys result_;
};

}  // namespace

bool does_nothing_at_any_key(const Statement& statement) {
  return statement.kind == StatementKind::insert && statement.on_conflict && !statement.replaces &&
         statement.conflict_columns.empty() &&
         std::ranges::none_of(statement.values, &WrittenValue::on_conflict);
}

ConflictKeys conflict_keys(const Statement& statement, const Table& table, Dialect dialect) {
  return KeyReader(statement, table, dialect).read();
}

const WrittenValue* inserted_value(const Statement& statement, const Table& table,
                                   const std::string& column, Dialect dialect) {
  const TableColumn* wanted = find_column(table, column, dialect);
  for (const WrittenValue& value : statement.values) {
    if (value.on_conflict || wanted == nullptr) continue;
    const TableColumn* written = nullptr;
    if (!value.column.empty()) {
      written = find_column(table, value.column, dialect);
    } else if (value.position < table.columns.size()) {
      written = &table.columns[value.position];
    }
    if (written != wanted) continue;
    return equal_ignoring_case(value.expression, "default") ? nullptr : &value;
  }
  return nullptr;
}

void judge_conflict(Statement& statement, const Schema& schema) {
  if (!does_nothing_at_any_key(statement)) return;
  const auto target = std::ranges::find(statement.tables, true, &TableUse::written);
  if (target == statement.tables.end()) return;
  const Table* table = find_table(schema, target->table, schema.dialect, target->schema);
  const std::string doubt = table == nullptr
                                ? "no file defines " + target->table
                                : conflict_keys(statement, *table, schema.dialect).doubt;
  if (doubt.empty()) return;
  statement.over_approximated.push_back("ON CONFLICT without columns, where " + doubt + ",");
}

}  // namespace heddle::program
