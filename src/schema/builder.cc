#include "schema/builder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/sql/words/postgres_words.h"
#include "schema/expression.h"

namespace heddle::sql {
namespace {

// What PostgreSQL and MariaDB call constraints that have no name.
std::string default_name(const Table& table, const std::vector<std::string>& columns,
                         std::string_view kind) {
  std::string name = table.name;
  for (const std::string& column : columns) name += "_" + column;
  return name + "_" + std::string(kind);
}

bool mentions(const std::vector<std::string>& columns, std::string_view name, Dialect dialect) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const std::string& one) { return is_same_name(one, name, dialect); });
}

void replace_name(std::vector<std::string>& columns, std::string_view from, const std::string& to,
                  Dialect dialect) {
  for (std::string& one : columns) {
    if (is_same_name(one, from, dialect)) one = to;
  }
}

// Drops the constraints of a list for which `is_dropped` holds.
template <class Constraint, class Predicate>
bool drop_where(std::vector<Constraint>& constraints, Predicate is_dropped) {
  const std::size_t before = constraints.size();
  constraints.erase(std::remove_if(constraints.begin(), constraints.end(), is_dropped),
                    constraints.end());
  return constraints.size() < before;
}

// MySQL takes a dropped column out of its keys; the others drop the keys.
void drop_from_keys(Table& table, const std::string& name, Dialect dialect) {
  auto is_dropped = [&](std::vector<std::string>& columns) {
    if (!mentions(columns, name, dialect)) return false;
    if (dialect == Dialect::mysql) {
      drop_where(columns, [&](const std::string& one) { return is_same_name(one, name, dialect); });
      return columns.empty();
    }
    return true;
  };
  if (is_dropped(table.primary_key)) {
    table.primary_key.clear();
    table.primary_key_name.clear();
  }
  drop_where(table.unique_constraints,
             [&](UniqueConstraint& one) { return is_dropped(one.columns); });
}

}  // namespace

std::string to_string(const ObjectName& name) {
  return name.schema.empty() ? name.name : name.schema + "." + name.name;
}

bool is_same_name(std::string_view a, std::string_view b, Dialect dialect) {
  return dialect == Dialect::postgres ? a == b : equal_ignoring_case(a, b);
}

bool is_same_schema(std::string_view a, std::string_view b, Dialect dialect) {
  if (a.empty() || b.empty()) return true;
  return is_same_name(a, b, dialect);
}

bool is_exactly_schema(std::string_view a, std::string_view b, Dialect dialect) {
  auto whole = [&](std::string_view name) {
    return name.empty() && dialect == Dialect::postgres ? std::string_view("public") : name;
  };
  return is_same_name(whole(a), whole(b), dialect);
}

SchemaBuilder::SchemaBuilder(std::string_view sql, Dialect dialect) {
  reading_.schema.dialect = dialect;
  lines_.push_back(0);
  for (std::size_t at = 0; at < sql.size(); ++at) {
    if (sql[at] == '\n') lines_.push_back(at + 1);
  }
}

SourcePosition SchemaBuilder::position(std::size_t offset) const {
  auto after = std::upper_bound(lines_.begin(), lines_.end(), offset);
  const auto line = static_cast<std::size_t>(after - lines_.begin());
  return {.line = static_cast<std::uint32_t>(line),
          .column = static_cast<std::uint32_t>(offset - lines_[line - 1] + 1)};
}

void SchemaBuilder::error(SourcePosition position, std::string what, std::string what_to_do) {
  reading_.errors.push_back({.what = std::move(what),
                             .what_to_do = std::move(what_to_do),
                             .file = {},
                             .position = position});
}

void SchemaBuilder::note(SourcePosition position, std::string what, std::string what_to_do) {
  reading_.notes.push_back({.what = std::move(what),
                            .what_to_do = std::move(what_to_do),
                            .file = {},
                            .position = position});
}

void SchemaBuilder::create_table(Table table, const ObjectName& name, bool if_not_exists) {
  table.schema = name.schema;
  table.name = name.name;
  table.position = position(name.offset);
  if (find_exactly(name) != nullptr) {
    if (if_not_exists) return;
    return error(table.position, "table " + to_string(name) + " is defined before, too",
                 "keep one definition, or drop the table in between");
  }
  tables().push_back(std::move(table));
}

void SchemaBuilder::drop_table(const ObjectName& name, bool if_exists, bool cascade) {
  Table* table = change_table(name, if_exists);
  if (table == nullptr) return drop_view(name);
  const Table dropped = *table;
  tables().erase(tables().begin() + (table - tables().data()));
  if (!cascade || dialect() != Dialect::postgres) return;
  for (Table& other : tables()) {
    drop_where(other.foreign_keys, [&](const ForeignKeyConstraint& key) {
      return is_same_name(key.referenced_table, dropped.name, dialect()) &&
             is_same_schema(key.referenced_schema, dropped.schema, dialect());
    });
  }
}

void SchemaBuilder::create_view(View view, const ObjectName& name) {
  view.schema = name.schema;
  view.name = name.name;
  view.position = position(name.offset);
  drop_view(name);
  views().push_back(std::move(view));
}

void SchemaBuilder::create_partition(const ObjectName& name, const ObjectName& parent) {
  const Table* table = find_exactly(name);
  if (table != nullptr) tables().erase(tables().begin() + (table - tables().data()));
  const std::string schema =
      parent.schema.empty() ? "" : dialect_name(parent.schema, dialect()) + ".";
  create_view({.query = "SELECT * FROM " + schema + dialect_name(parent.name, dialect())}, name);
}

void SchemaBuilder::drop_view(const ObjectName& name) {
  drop_where(views(), [&](const View& view) {
    return is_same_name(view.name, name.name, dialect()) &&
           is_same_schema(view.schema, name.schema, dialect());
  });
}

void SchemaBuilder::rename_table(const ObjectName& name, const std::string& to) {
  Table* table = change_table(name);
  if (table == nullptr) return;
  const ObjectName renamed{.schema = table->schema, .name = to, .offset = name.offset};
  if (Table* known = find_table(renamed); known != nullptr && known != table) {
    return error(position(name.offset), "table " + to + " exists already", "choose another name");
  }
  for (Table& other : tables()) {
    for (ForeignKeyConstraint& key : other.foreign_keys) {
      const bool is_reference = is_same_name(key.referenced_table, table->name, dialect()) &&
                                is_same_schema(key.referenced_schema, table->schema, dialect());
      if (is_reference) key.referenced_table = to;
    }
  }
  table->name = to;
}

Table* SchemaBuilder::find_exactly(const ObjectName& name) {
  for (Table& table : tables()) {
    if (is_same_name(table.name, name.name, dialect()) &&
        is_exactly_schema(table.schema, name.schema, dialect())) {
      return &table;
    }
  }
  return nullptr;
}

Table* SchemaBuilder::find_table(const ObjectName& name) {
  if (Table* exact = find_exactly(name); exact != nullptr) return exact;
  for (Table& table : tables()) {
    if (is_same_name(table.name, name.name, dialect()) &&
        is_same_schema(table.schema, name.schema, dialect())) {
      return &table;
    }
  }
  return nullptr;
}

Table* SchemaBuilder::change_table(const ObjectName& name, bool if_exists) {
  Table* table = find_table(name);
  const bool is_view = heddle::find_view(reading_.schema, name.name, name.schema) != nullptr;
  if (table == nullptr && !is_view && !if_exists) {
    note(position(name.offset),
         "no table " + to_string(name) + " is defined before, so this changes nothing",
         "give the file that defines it before this one");
  }
  return table;
}

Table* SchemaBuilder::source_table(const ObjectName& name) {
  Table* table = find_table(name);
  if (table == nullptr) {
    error(position(name.offset), "no table " + to_string(name) + " is defined before",
          "define it first, or give the file that does before this one");
  }
  return table;
}

std::string SchemaBuilder::column_key(std::string_view name) const {
  return dialect() == Dialect::postgres ? std::string(name) : to_lower(name);
}

// Columns are added at the end, dropped and moved by several; the last one tells whether they were
// replaced by others in the same place.
bool SchemaBuilder::is_index_of(const Table& table) const {
  if (index_.columns != table.columns.data() || index_.size > table.columns.size()) return false;
  if (index_.size == 0) return true;
  const auto last = index_.places.find(column_key(table.columns[index_.size - 1].name));
  return last != index_.places.end() && last->second < index_.size;
}

void SchemaBuilder::index_columns(const Table& table) const {
  for (; index_.size < table.columns.size(); ++index_.size) {
    index_.places.try_emplace(column_key(table.columns[index_.size].name), index_.size);
  }
}

const TableColumn* SchemaBuilder::find_column(const Table& table, std::string_view name) const {
  constexpr std::size_t kWide = 64;
  if (table.columns.size() < kWide) return heddle::find_column(table, name, dialect());
  if (!is_index_of(table)) {
    // Who asks once more gets an index.
    index_ = {.columns = table.columns.data(), .size = 0, .places = {}};
    return heddle::find_column(table, name, dialect());
  }
  index_columns(table);
  const auto found = index_.places.find(column_key(name));
  if (found == index_.places.end()) return nullptr;
  const TableColumn& column = table.columns[found->second];
  if (is_same_name(column.name, name, dialect())) return &column;
  index_ = {};  // a column was moved
  return heddle::find_column(table, name, dialect());
}

TableColumn* SchemaBuilder::find_column(Table& table, std::string_view name) const {
  const TableColumn* found = find_column(std::as_const(table), name);
  if (found == nullptr) return nullptr;
  return &table.columns[static_cast<std::size_t>(found - table.columns.data())];
}

TableColumn* SchemaBuilder::change_column(Table& table, std::string_view name, std::size_t offset) {
  TableColumn* column = find_column(table, name);
  if (column == nullptr && table.columns_known) {
    error(position(offset), "table " + table.name + " has no column " + std::string(name),
          "check the name of the column");
  }
  return column;
}

bool SchemaBuilder::add_column(Table& table, TableColumn column, bool if_not_exists) {
  if (find_column(table, column.name) == nullptr) {
    table.columns.push_back(std::move(column));
    return true;
  }
  if (!if_not_exists) {
    error(column.position, "column " + column.name + " is defined twice", "remove one of them");
  }
  return false;
}

void SchemaBuilder::drop_column(Table& table, const std::string& name, std::size_t offset,
                                bool if_exists) {
  TableColumn* column = if_exists ? find_column(table, name) : change_column(table, name, offset);
  if (column == nullptr) return;
  table.columns.erase(table.columns.begin() + (column - table.columns.data()));
  drop_from_keys(table, name, dialect());
  drop_where(table.checks,
             [&](const Check& one) { return mentions(one.columns, name, dialect()); });
  drop_where(table.foreign_keys, [&](const ForeignKeyConstraint& one) {
    return mentions(one.columns, name, dialect());
  });
  for (Table& other : tables()) {
    drop_where(other.foreign_keys, [&](const ForeignKeyConstraint& one) {
      return is_same_name(one.referenced_table, table.name, dialect()) &&
             is_same_schema(one.referenced_schema, table.schema, dialect()) &&
             mentions(one.referenced_columns, name, dialect());
    });
  }
}

void SchemaBuilder::rename_column(Table& table, const std::string& from, const std::string& to,
                                  std::size_t offset) {
  TableColumn* column = change_column(table, from, offset);
  if (column == nullptr) return;
  if (TableColumn* known = find_column(table, to); known != nullptr && known != column) {
    return error(position(offset), "column " + to + " exists already", "choose another name");
  }
  column->name = to;
  index_ = {};
  replace_name(table.primary_key, from, to, dialect());
  for (UniqueConstraint& one : table.unique_constraints) {
    replace_name(one.columns, from, to, dialect());
  }
  for (ForeignKeyConstraint& one : table.foreign_keys)
    replace_name(one.columns, from, to, dialect());
  for (Check& one : table.checks) {
    replace_name(one.columns, from, to, dialect());
    one.expression = rename_in_expression(one.expression, from, to, dialect());
  }
  for (TableColumn& one : table.columns) {
    one.generation_expression =
        rename_in_expression(one.generation_expression, from, to, dialect());
  }
  for (Table& other : tables()) {
    for (ForeignKeyConstraint& one : other.foreign_keys) {
      const bool is_reference = is_same_name(one.referenced_table, table.name, dialect()) &&
                                is_same_schema(one.referenced_schema, table.schema, dialect());
      if (is_reference) replace_name(one.referenced_columns, from, to, dialect());
    }
  }
}

void SchemaBuilder::set_primary_key(Table& table, std::vector<std::string> columns,
                                    std::string name, std::size_t offset) {
  if (!table.primary_key.empty()) {
    return error(position(offset), "table " + table.name + " has two primary keys",
                 "keep one, and make the other one UNIQUE");
  }
  table.primary_key = std::move(columns);
  table.primary_key_name = std::move(name);
}

void SchemaBuilder::drop_primary_key(Table& table) {
  // The columns stay NOT NULL.
  for (const std::string& name : table.primary_key) {
    if (TableColumn* column = find_column(table, name); column != nullptr) column->not_null = true;
  }
  table.primary_key.clear();
  table.primary_key_name.clear();
}

void SchemaBuilder::drop_constraint(Table& table, const std::string& name, std::size_t offset,
                                    bool if_exists) {
  auto is_named = [&](const std::string& given, const std::vector<std::string>& columns,
                      std::string_view kind) {
    if (!given.empty()) return is_same_name(given, name, dialect());
    const bool is_first_column = dialect() == Dialect::mysql && kind == "key" && !columns.empty() &&
                                 is_same_name(columns[0], name, dialect());
    return is_first_column || is_same_name(default_name(table, columns, kind), name, dialect());
  };
  if (!table.primary_key.empty() && is_named(table.primary_key_name, {}, "pkey")) {
    return drop_primary_key(table);
  }
  const bool is_dropped =
      drop_where(table.unique_constraints,
                 [&](const auto& one) { return is_named(one.name, one.columns, "key"); }) ||
      drop_where(table.foreign_keys,
                 [&](const auto& one) { return is_named(one.name, one.columns, "fkey"); }) ||
      drop_where(table.checks,
                 [&](const auto& one) { return is_named(one.name, one.columns, "check"); });
  if (is_dropped || if_exists) return;
  note(position(offset), "no constraint " + name + " of table " + table.name + " is known",
       "name the constraint where it is defined");
}

void SchemaBuilder::rename_constraint(Table& table, const std::string& from,
                                      const std::string& to) const {
  auto rename = [&](std::string& name) {
    if (!name.empty() && is_same_name(name, from, dialect())) name = to;
  };
  rename(table.primary_key_name);
  for (UniqueConstraint& one : table.unique_constraints) rename(one.name);
  for (ForeignKeyConstraint& one : table.foreign_keys) rename(one.name);
  for (Check& one : table.checks) rename(one.name);
}

void SchemaBuilder::copy_table(const Table& from, Table& to, const Copied& copied) {
  if (!from.columns_known) to.columns_known = false;
  for (TableColumn column : from.columns) {
    const bool is_identity = column.generation == Generation::identity;
    // A serial's number comes from its default.
    const bool is_serial = is_identity && to_lower(column.type.text).find("serial") < 6;
    if (!copied.defaults) column.default_expression.clear();
    const bool keeps = is_identity ? copied.identities : copied.generated;
    if (!keeps && !(is_serial && copied.defaults)) {
      column.generation = Generation::none;
      column.always_generated = false;
      column.generation_expression.clear();
    }
    if (mentions(from.primary_key, column.name, dialect())) column.not_null = true;
    add_column(to, std::move(column), true);
  }
  if (copied.keys) {
    to.unique_known = to.unique_known && from.unique_known;
    if (to.primary_key.empty()) to.primary_key = from.primary_key;
    for (UniqueConstraint one : from.unique_constraints) {
      one.name.clear();
      to.unique_constraints.push_back(std::move(one));
    }
  }
  if (copied.checks) to.checks.insert(to.checks.end(), from.checks.begin(), from.checks.end());
}

std::string rename_in_expression(std::string_view expression, std::string_view from,
                                 std::string_view to, Dialect dialect) {
  Tokens tokens(expression);
  std::string result;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_name =
        tokens[i].kind == TokenKind::word || tokens[i].kind == TokenKind::quoted_name;
    if (!is_name || tokens.is_symbol(i + 1, '(') || tokens.is_symbol(i + 1, '.')) continue;
    if (!is_same_name(fold_name(tokens.text(i), Dialect::postgres), from, dialect)) continue;
    result += expression.substr(copied, tokens[i].offset - copied);
    result += postgres_name(to);
    copied = tokens[i].offset + tokens[i].size;
  }
  return result + std::string(expression.substr(copied));
}

}  // namespace heddle::sql
