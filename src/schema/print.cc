// print_schema: CREATE statements for a dialect.
//
// The schema's own dialect gets its types as they were written. For another one types go through
// one table, expressions through expression.h, and names of constraints are left out, which
// each database scopes in its own way. All that is lost becomes a note.
#include <algorithm>
#include <set>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "schema/builder.h"
#include "schema/printer.h"

namespace heddle::sql {
namespace {

constexpr std::string_view kActionWords[] = {"NO ACTION", "RESTRICT", "CASCADE", "SET NULL",
                                             "SET DEFAULT"};

std::string_view dialect_words(Dialect dialect) {
  if (dialect == Dialect::mysql) return "MariaDB";
  return dialect == Dialect::sqlite ? "SQLite" : "PostgreSQL";
}

}  // namespace

void SchemaPrinter::note(SourcePosition position, const std::string& what, const std::string& why) {
  result_.notes.push_back(
      {.what = what + " is not the same in " + std::string(dialect_words(to_)) + ": " + why,
       .what_to_do = "",
       .file = {},
       .position = position});
}

// PostgreSQL's statements have names of other dialects in lower case.
std::string SchemaPrinter::name(std::string_view written) const {
  const bool folds = to_ == Dialect::postgres && !is_own();
  return dialect_name(folds ? to_lower(written) : std::string(written), to_);
}

std::string SchemaPrinter::names(const std::vector<std::string>& written) const {
  std::vector<std::string> texts;
  for (const std::string& one : written) texts.push_back(name(one));
  return "(" + join(texts, ", ") + ")";
}

std::string SchemaPrinter::object(std::string_view in_schema, std::string_view written) const {
  const bool qualifies = !in_schema.empty() && is_own();
  return (qualifies ? name(in_schema) + "." : "") + name(written);
}

std::string SchemaPrinter::constraint(const std::string& given) const {
  return given.empty() || !is_own() ? "" : "CONSTRAINT " + name(given) + " ";
}

SchemaPrinting SchemaPrinter::print() {
  print_schemas();
  print_enumerations();
  print_sequences();
  print_domains();
  for (const Table& table : schema_.tables) print_table(table);
  print_late_keys();
  print_views();
  return std::move(result_);
}

void SchemaPrinter::print_schemas() {
  if (!is_own() || to_ == Dialect::sqlite) return;
  std::set<std::string> schemas;
  auto add = [&](const auto& objects) {
    for (const auto& one : objects) schemas.insert(one.schema);
  };
  add(schema_.enumerations);
  add(schema_.domains);
  add(schema_.sequences);
  for (const Table& table : schema_.tables) {
    if (table.columns_known) schemas.insert(table.schema);
  }
  for (const std::string& one : schemas) {
    if (one.empty()) continue;
    result_.text += "CREATE SCHEMA IF NOT EXISTS " + name(one) + ";\n";
  }
}

void SchemaPrinter::print_enumerations() {
  if (to_ != Dialect::postgres) return;
  auto create = [&](const std::string& type, const std::vector<std::string>& labels) {
    std::vector<std::string> texts;
    for (const std::string& label : labels) texts.push_back(dialect_string(label, to_));
    result_.text += "CREATE TYPE " + type + " AS ENUM (" + join(texts, ", ") + ");\n";
  };
  for (const Enumeration& one : schema_.enumerations) {
    create(object(one.schema, one.name), one.labels);
  }
  if (is_own()) return;
  for (const Table& table : schema_.tables) {
    for (const TableColumn& column : table.columns) {
      if (column.type.type != ValueType::enumeration) continue;
      std::string type = to_lower(table.name) + "_" + to_lower(column.name) + "_enum";
      while (!type_names_.insert(type).second) type += "_";
      enumerations_[&column] = dialect_name(type, to_);
      create(enumerations_[&column], column.type.labels);
    }
  }
}

void SchemaPrinter::print_sequences() {
  for (const Sequence& one : schema_.sequences) {
    if (to_ == Dialect::sqlite) {
      note(one.position, "sequence " + one.name, "it has no sequences");
    } else {
      result_.text += "CREATE SEQUENCE " + object(one.schema, one.name) + ";\n";
    }
  }
}

// Other dialects have the domains' rules in their columns.
void SchemaPrinter::print_domains() {
  if (to_ != Dialect::postgres) return;
  for (const Domain& one : schema_.domains) {
    std::string text = "CREATE DOMAIN " + object(one.schema, one.name) + " AS " + one.type.text;
    if (!one.default_expression.empty()) text += " DEFAULT " + one.default_expression;
    if (one.not_null) text += " NOT NULL";
    for (const Check& check : one.checks) {
      text += " " + constraint(check.name) + "CHECK (" + check.expression + ")";
    }
    result_.text += text + ";\n";
  }
}

void SchemaPrinter::print_table(const Table& table) {
  if (!table.columns_known) {
    return note(table.position, "table " + table.name, "its columns are those of a query");
  }
  if (table.columns.empty() && to_ != Dialect::postgres) {
    return note(table.position, "table " + table.name, "a table needs a column");
  }
  const bool has_namesake = std::any_of(printed_.begin(), printed_.end(), [&](const Table* other) {
    return !is_own() && equal_ignoring_case(other->name, table.name);
  });
  if (has_namesake) {
    return note(table.position, "table " + table.schema + "." + table.name,
                "there is another table of that name");
  }
  printed_.insert(&table);
  lines_.clear();
  for (const TableColumn& column : table.columns) lines_.push_back(column_text(table, column));
  add_key(table);
  for (const UniqueConstraint& one : table.unique_constraints) add_unique(table, one);
  for (const Check& one : table.checks) add_check(one.name, one.expression, table, one.position);
  for (const TableColumn& column : table.columns) add_checks_of_types(table, column);
  // The order of a table's foreign keys is kept: once one is late, all behind it are.
  bool is_late = false;
  for (const ForeignKeyConstraint& key : table.foreign_keys) {
    const std::string text = foreign_key_text(table, key);
    if (text.empty()) continue;
    const Table* referenced =
        find_table(schema_, key.referenced_table, schema_.dialect, key.referenced_schema);
    is_late = is_late || (to_ != Dialect::sqlite && !printed_.contains(referenced));
    if (is_late) {
      late_.push_back("ALTER TABLE " + object(table.schema, table.name) + " ADD " + text + ";\n");
    } else {
      lines_.push_back(text);
    }
  }
  result_.text += "CREATE TABLE " + object(table.schema, table.name) + " (";
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    result_.text += (i > 0 ? ",\n  " : "\n  ") + lines_[i];
  }
  result_.text += is_without_rowid(table) ? "\n) WITHOUT ROWID;\n" : "\n);\n";
}

// SQLite's own table whose integer key does not count up.
bool SchemaPrinter::is_without_rowid(const Table& table) const {
  if (!is_own() || to_ != Dialect::sqlite || table.primary_key.size() != 1) return false;
  const TableColumn* column = find_column(table, table.primary_key[0], Dialect::sqlite);
  return column != nullptr && column->generation == Generation::none &&
         equal_ignoring_case(column->type.text, "integer");
}

void SchemaPrinter::print_late_keys() {
  for (const std::string& one : late_) result_.text += one;
}

// Another dialect's has other words, and statements on views may be said on tables.
void SchemaPrinter::print_views() {
  if (!is_own()) return;
  for (const View& view : schema_.views) {
    result_.text += "CREATE VIEW " + object(view.schema, view.name);
    if (!view.columns.empty()) result_.text += " " + names(view.columns);
    result_.text += " AS " + view.query + ";\n";
  }
}

// What a type says of its values and the dialect's does not.
void SchemaPrinter::add_checks_of_types(const Table& table, const TableColumn& column) {
  if (is_own()) return;
  const std::string name_text = name(column.name);
  if (column.type.is_unsigned) lines_.push_back("CHECK (" + name_text + " >= 0)");
  if (column.type.type == ValueType::enumeration && to_ == Dialect::sqlite) {
    std::vector<std::string> labels;
    for (const std::string& one : column.type.labels) labels.push_back(dialect_string(one, to_));
    lines_.push_back("CHECK (" + name_text + " IN (" + join(labels, ", ") + "))");
  }
  const Domain* domain = find_domain(schema_, column.type);
  if (domain == nullptr) return;
  for (const Check& check : domain->checks) {
    add_check({}, rename_in_expression(check.expression, "value", column.name, Dialect::postgres),
              table, column.position);
  }
}

void SchemaPrinter::add_key(const Table& table) {
  if (!table.primary_key.empty()) {
    lines_.push_back(constraint(table.primary_key_name) + "PRIMARY KEY " +
                     names(table.primary_key));
  }
  if (to_ != Dialect::mysql) return;
  // MariaDB wants an index that starts with the column that counts up, and with the columns that a
  // foreign key refers to.
  std::set<std::vector<std::string>> wanted;
  for (const TableColumn& column : table.columns) {
    const bool counts = column.generation == Generation::identity &&
                        (is_own() || is_integer(column.type.type) || column.type.is_unsigned);
    if (counts && wanted.empty()) wanted.insert({column.name});
  }
  for (const Table& other : schema_.tables) {
    for (const ForeignKeyConstraint& key : other.foreign_keys) {
      const bool is_this = find_table(schema_, key.referenced_table, schema_.dialect,
                                      key.referenced_schema) == &table;
      if (is_this) wanted.insert(key.referenced_columns);
    }
  }
  for (const std::vector<std::string>& columns : wanted) {
    if (!has_index_on(table, columns)) lines_.push_back("KEY " + names(columns));
  }
}

bool SchemaPrinter::has_index_on(const Table& table, const std::vector<std::string>& columns) {
  auto starts = [&](const std::vector<std::string>& key) {
    return key.size() >= columns.size() && std::equal(columns.begin(), columns.end(), key.begin());
  };
  return starts(table.primary_key) ||
         std::any_of(table.unique_constraints.begin(), table.unique_constraints.end(),
                     [&](const UniqueConstraint& one) { return starts(one.columns); });
}

std::string SchemaPrinter::check_time_text(CheckTime time, const Table& table,
                                           SourcePosition position) {
  if (time == CheckTime::statement) return "";
  if (to_ == Dialect::mysql) {
    note(position, "a constraint of table " + table.name, "it checks none at COMMIT");
    return "";
  }
  return time == CheckTime::deferred ? " DEFERRABLE INITIALLY DEFERRED" : " DEFERRABLE";
}

void SchemaPrinter::add_unique(const Table& table, const UniqueConstraint& unique) {
  std::string text = constraint(unique.name) + "UNIQUE ";
  if (unique.nulls_not_distinct && to_ == Dialect::postgres) text += "NULLS NOT DISTINCT ";
  if (unique.nulls_not_distinct && to_ != Dialect::postgres) {
    note(unique.position, "a unique constraint of table " + table.name,
         "each null is distinct there");
  }
  text += names(unique.columns);
  if (to_ == Dialect::sqlite && unique.check_time != CheckTime::statement) {
    note(unique.position, "a unique constraint of table " + table.name,
         "it checks none at COMMIT but foreign keys");
  } else {
    text += check_time_text(unique.check_time, table, unique.position);
  }
  lines_.push_back(std::move(text));
}

void SchemaPrinter::add_check(const std::string& given, const std::string& expression,
                              const Table& table, SourcePosition position) {
  const ExpressionText translated = rule_text(table, expression);
  if (translated.text.empty()) {
    return note(position, "the check " + expression + " of table " + table.name, translated.lost);
  }
  lines_.push_back(constraint(given) + "CHECK (" + translated.text + ")");
}

// PostgreSQL and SQLite demand a key; MariaDB takes any index.
bool SchemaPrinter::can_be_referenced(const ForeignKeyConstraint& key) const {
  const Table* table =
      find_table(schema_, key.referenced_table, schema_.dialect, key.referenced_schema);
  if (table == nullptr || !table->columns_known) return false;
  if (is_own() || to_ == Dialect::mysql) return true;
  auto sorted = [](std::vector<std::string> columns) {
    std::sort(columns.begin(), columns.end());
    return columns;
  };
  const auto wanted = sorted(key.referenced_columns);
  if (sorted(table->primary_key) == wanted) return true;
  for (const UniqueConstraint& one : table->unique_constraints) {
    if (sorted(one.columns) == wanted) return true;
  }
  return false;
}

bool SchemaPrinter::has_not_null(const Table& table,
                                 const std::vector<std::string>& columns) const {
  return std::any_of(columns.begin(), columns.end(), [&](const std::string& name) {
    const TableColumn* column = find_column(table, name, schema_.dialect);
    return column != nullptr && is_not_null(*column);
  });
}

std::string SchemaPrinter::foreign_key_text(const Table& table, const ForeignKeyConstraint& key) {
  const std::string of = "a foreign key of table " + table.name;
  if (!can_be_referenced(key)) {
    note(key.position, of, "the columns of " + key.referenced_table + " are no key");
    return "";
  }
  std::string text = constraint(key.name) + "FOREIGN KEY " + names(key.columns) + " REFERENCES " +
                     object(key.referenced_schema, key.referenced_table) + " " +
                     names(key.referenced_columns);
  auto add_action = [&](std::string_view event, ReferentialAction action) {
    if (action == ReferentialAction::no_action) return;
    const bool lacks = to_ == Dialect::mysql && !is_own();
    if (action == ReferentialAction::set_default && lacks) {
      return note(key.position, of, "it has no SET DEFAULT");
    }
    if (action == ReferentialAction::set_null && lacks && has_not_null(table, key.columns)) {
      return note(key.position, of, "it has no SET NULL of columns that cannot be null");
    }
    text += std::string(event) + std::string(kActionWords[static_cast<std::size_t>(action)]);
  };
  add_action(" ON DELETE ", key.on_delete);
  add_action(" ON UPDATE ", key.on_update);
  return text + check_time_text(key.check_time, table, key.position);
}

}  // namespace heddle::sql

namespace heddle {

SchemaPrinting print_schema(const Schema& schema, Dialect dialect) {
  HEDDLE_ASSERT(dialect != Dialect::redis);
  return sql::SchemaPrinter(schema, dialect).print();
}

}  // namespace heddle
