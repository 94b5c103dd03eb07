// SchemaBuilder::finish: what only the whole text tells. Foreign keys may refer to tables that come
// later, and types change after their columns.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "schema/builder.h"

namespace heddle::sql {
namespace {

// The parts of a type's name as written, folded; whether brackets follow.
struct TypeName {
  std::string schema;
  std::string name;
  bool is_array = false;
};

TypeName read_type_name(std::string_view text) {
  Tokens tokens(text);
  TypeName result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_name =
        tokens[i].kind == TokenKind::word || tokens[i].kind == TokenKind::quoted_name;
    if (tokens.is_symbol(i, '[') || (i > 0 && tokens.word(i) == "array")) {
      result.is_array = true;
      break;
    }
    if (!is_name) continue;
    result.schema = std::exchange(result.name, fold_name(tokens.text(i), Dialect::postgres));
  }
  return result;
}

template <class Object>
const Object* find_type(const std::vector<Object>& objects, const TypeName& name) {
  for (const Object& one : objects) {
    if (one.name == name.name && is_same_schema(one.schema, name.schema, Dialect::postgres)) {
      return &one;
    }
  }
  return nullptr;
}

std::string names_of(const Table& table) {
  constexpr std::size_t kMost = 30;
  std::vector<std::string> names;
  for (const TableColumn& column : table.columns) {
    if (names.size() == kMost) {
      names.emplace_back("...");
      break;
    }
    names.push_back(column.name);
  }
  return join(names, ", ");
}

}  // namespace

const Domain* find_domain(const Schema& schema, const ColumnType& type) {
  if (schema.dialect != Dialect::postgres) return nullptr;
  return find_type(schema.domains, read_type_name(type.text));
}

const Enumeration* find_enumeration(const Schema& schema, const ColumnType& type) {
  if (schema.dialect != Dialect::postgres) return nullptr;
  return find_type(schema.enumerations, read_type_name(type.text));
}

SchemaReading SchemaBuilder::finish() {
  for (Domain& domain : domains()) {
    resolve_type(domain.type, domain.position, "domain " + domain.name);
  }
  for (Table& table : tables()) check_table(table);
  for (Table& table : tables()) check_foreign_keys(table);
  return std::move(reading_);
}

// Types of the user's own, in PostgreSQL alone.
void SchemaBuilder::resolve_type(ColumnType& type, SourcePosition position, const std::string& of) {
  const bool is_array = type.type == ValueType::array;
  const bool is_known =
      is_array ? type.element != ValueType::unknown : type.type != ValueType::unknown;
  if (is_known) return;
  ValueType& value = is_array ? type.element : type.type;
  if (const auto* enumeration = find_enumeration(reading_.schema, type); enumeration != nullptr) {
    value = ValueType::enumeration;
    type.labels = enumeration->labels;
    return;
  }
  // A domain is defined before those that use it.
  if (const auto* domain = find_domain(reading_.schema, type);
      domain != nullptr && &domain->type != &type) {
    if (domain->type.type == ValueType::unknown) return;  // told where the domain is
    value = domain->type.type;
    if (!is_array) type.element = domain->type.element;
    type.arguments = domain->type.arguments;
    type.labels = domain->type.labels;
    return;
  }
  if (type.text.empty()) {
    return note(position, of + " has no type and holds values of any",
                "give the column a type if all its values have the same");
  }
  note(position, "the type of " + of + " is not known: " + type.text,
       "values for it cannot be made up; create the type in the same file if it is your own");
}

void SchemaBuilder::check_table(Table& table) {
  for (TableColumn& column : table.columns) {
    resolve_type(column.type, column.position, table.name + "." + column.name);
  }
  if (!spell_columns(table, table.primary_key, "the primary key", table.position)) {
    table.primary_key.clear();
    table.primary_key_name.clear();
  }
  for (const std::string& name : table.primary_key) {
    // SQLite lets the columns of most primary keys be null.
    if (dialect() == Dialect::sqlite) break;
    if (TableColumn* column = find_column(table, name); column != nullptr) column->not_null = true;
  }
  auto is_wrong = [&](UniqueConstraint& one) {
    return !spell_columns(table, one.columns, "a unique constraint", one.position);
  };
  auto& unique = table.unique_constraints;
  unique.erase(std::remove_if(unique.begin(), unique.end(), is_wrong), unique.end());
  check_checks(table);
}

// Gives each column the spelling of its definition; false, and an error, when one does not exist.
bool SchemaBuilder::spell_columns(const Table& table, std::vector<std::string>& columns,
                                  const std::string& of, SourcePosition position) {
  if (!table.columns_known) return true;
  for (std::string& name : columns) {
    const TableColumn* column = find_column(table, name);
    if (column == nullptr) {
      error(position, of + " of table " + table.name + " names the unknown column " + name,
            "use one of: " + names_of(table));
      return false;
    }
    name = column->name;
  }
  return true;
}

void SchemaBuilder::check_checks(Table& table) {
  for (Check& check : table.checks) {
    std::vector<std::string> known;
    for (const std::string& name : check.columns) {
      const TableColumn* column = find_column(table, name);
      if (column != nullptr) {
        known.push_back(column->name);
      } else if (table.columns_known) {
        note(check.position,
             "a check of table " + table.name + " mentions the unknown column " + name + ": " +
                 check.expression,
             "check the name of the column");
      }
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    if (table.columns_known) check.columns = std::move(known);
  }
}

void SchemaBuilder::check_foreign_keys(Table& table) {
  auto is_wrong = [&](ForeignKeyConstraint& key) { return !check_foreign_key(table, key); };
  auto& keys = table.foreign_keys;
  keys.erase(std::remove_if(keys.begin(), keys.end(), is_wrong), keys.end());
}

bool SchemaBuilder::check_foreign_key(const Table& table, ForeignKeyConstraint& key) {
  const std::string of = "a foreign key";
  if (!spell_columns(table, key.columns, of, key.position)) return false;
  if (!check_referenced(table, key)) return false;
  if (key.columns.size() == key.referenced_columns.size()) return true;
  error(key.position,
        "a foreign key of table " + table.name + " has " + std::to_string(key.columns.size()) +
            " columns and refers to " + std::to_string(key.referenced_columns.size()) + " of " +
            key.referenced_table,
        "name as many columns on both sides");
  return false;
}

bool SchemaBuilder::check_referenced(const Table& table, ForeignKeyConstraint& key) {
  const Table* referenced =
      find_table({.schema = key.referenced_schema, .name = key.referenced_table, .offset = 0});
  if (referenced == nullptr) {
    error(key.position,
          "a foreign key of table " + table.name + " refers to the unknown table " +
              key.referenced_table,
          "define that table, too, or give the file that does as well");
    return false;
  }
  key.referenced_table = referenced->name;
  key.referenced_schema = referenced->schema;
  if (key.referenced_columns.empty()) key.referenced_columns = referenced->primary_key;
  if (key.referenced_columns.empty()) {
    error(key.position,
          "a foreign key of table " + table.name + " refers to " + referenced->name +
              ", which has no primary key",
          "name the columns that it refers to");
    return false;
  }
  if (!referenced->columns_known) return true;
  for (std::string& name : key.referenced_columns) {
    const TableColumn* column = find_column(*referenced, name);
    if (column == nullptr) {
      error(key.position,
            "a foreign key of table " + table.name + " refers to the unknown column " +
                referenced->name + "." + name,
            "use one of: " + names_of(*referenced));
      return false;
    }
    name = column->name;
  }
  return true;
}

}  // namespace heddle::sql
