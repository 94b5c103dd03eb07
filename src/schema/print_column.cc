// A column of a printed schema: its type, what counts or computes it, and its default.
#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "schema/builder.h"
#include "schema/key_types.h"
#include "schema/printer.h"

namespace heddle::sql {
namespace {

bool is_zero_date(const std::string& expression) { return expression.starts_with("'0000-00-00"); }

// 0, 1, '0', b'1' as a value of PostgreSQL's boolean; else as it is.
std::string to_boolean(const std::string& expression) {
  std::string digits = expression;
  std::erase_if(digits, [](char c) { return c == '\'' || c == 'b' || c == 'B'; });
  if (digits == "0") return "false";
  return digits == "1" ? "true" : expression;
}

bool is_number_type(ValueType type) {
  return is_integer(type) || type == ValueType::numeric || type == ValueType::real32 ||
         type == ValueType::real64;
}

// Whether a default of the one type is one of the other, which a foreign key gives its column.
bool takes_default(const ColumnType& from, const ColumnType& to) {
  return from.type == to.type || (is_number_type(from.type) && is_number_type(to.type));
}

}  // namespace

bool SchemaPrinter::is_in_key(const Table& table, const std::string& column) const {
  auto has = [&](const std::vector<std::string>& columns) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  if (has(table.primary_key)) return true;
  for (const UniqueConstraint& one : table.unique_constraints) {
    if (has(one.columns)) return true;
  }
  for (const ForeignKeyConstraint& one : table.foreign_keys) {
    if (has(one.columns)) return true;
  }
  for (const Table& other : schema_.tables) {
    for (const ForeignKeyConstraint& one : other.foreign_keys) {
      if (one.referenced_table == table.name && has(one.referenced_columns)) return true;
    }
  }
  return false;
}

std::string SchemaPrinter::column_text(const Table& table, const TableColumn& column) {
  std::string text = name(column.name);
  const std::string type = type_text(table, column);
  if (!type.empty()) text += " " + type;
  const bool not_null = is_not_null(column);
  const bool is_counter =
      is_own() && to_ == Dialect::postgres && is_serial(to_lower(column.type.text));
  if (not_null && !is_counter) text += " NOT NULL";
  // MariaDB's timestamps may be NOT NULL unless they say otherwise.
  if (!not_null && to_ == Dialect::mysql && type.starts_with("timestamp")) text += " NULL";
  text += generation_text(table, column);
  if (column.written_by_any_update && to_ == Dialect::mysql) {
    const auto& precision = column.type.arguments;
    text += " ON UPDATE CURRENT_TIMESTAMP" +
            (precision.empty() ? "" : "(" + std::to_string(precision[0]) + ")");
  } else if (column.written_by_any_update) {
    note(column.position, table.name + "." + column.name,
         "it has no ON UPDATE CURRENT_TIMESTAMP, which writes a column with any UPDATE");
  }
  return text;
}

std::string SchemaPrinter::type_text(const Table& table, const TableColumn& column) {
  if (is_own()) return column.type.text;
  const ColumnPlace place = type_place(schema_, table, column, to_);
  if (place.column != &column) {
    note(column.position, table.name + "." + column.name,
         "its foreign key needs the type of " + place.table->name + "." + place.column->name);
  }
  TypeText type = translated_type(*place.table, *place.column);
  if (!type.lost.empty() && place.column == &column) {
    note(column.position, table.name + "." + column.name, type.lost);
  }
  return std::move(type.text);
}

TypeText SchemaPrinter::translated_type(const Table& table, const TableColumn& column) const {
  if (column.type.type == ValueType::enumeration) return enumeration_text(column);
  const bool is_identity = column.generation == Generation::identity;
  const bool is_rowid = to_ == Dialect::sqlite && is_identity && table.primary_key.size() == 1;
  if (is_rowid) return {.text = "INTEGER"};
  if (to_ == Dialect::postgres && is_identity && column.type.type == ValueType::numeric) {
    return {.text = "bigint", .lost = "its numbers end at 63 bits"};
  }
  TypeText type = translate_type(column.type, to_, is_in_key(table, column.name));
  // As the only key an INTEGER would count up.
  const bool is_only_key = table.primary_key.size() == 1 && table.primary_key[0] == column.name;
  if (to_ == Dialect::sqlite && is_only_key && type.text == "INTEGER") type.text = "INT";
  return type;
}

TypeText SchemaPrinter::enumeration_text(const TableColumn& column) const {
  if (to_ == Dialect::postgres) return {.text = enumerations_.at(&column)};
  if (to_ == Dialect::sqlite) {
    return {.text = "TEXT", .lost = "it has no enumerations; labels compare as text"};
  }
  std::vector<std::string> labels;
  for (const std::string& label : column.type.labels) labels.push_back(dialect_string(label, to_));
  return {.text = "enum(" + join(labels, ",") + ")"};
}

std::string SchemaPrinter::generation_text(const Table& table, const TableColumn& column) {
  if (column.generation == Generation::identity) return identity_text(table, column);
  if (column.generation == Generation::none) return default_text(table, column);
  const ExpressionText expression = rule_text(table, column.generation_expression);
  if (!expression.text.empty()) return " GENERATED ALWAYS AS (" + expression.text + ") STORED";
  note(column.position, "the value of " + table.name + "." + column.name,
       expression.lost.empty() ? "its expression could not be read" : expression.lost);
  return "";
}

// Its types are strict: only texts go into all of them.
ExpressionText SchemaPrinter::default_for_postgres(const ColumnType& type,
                                                   const std::string& written) const {
  if (is_own()) return {.text = written, .lost = {}};
  const Tokens tokens(written);
  const bool is_bits = std::string_view("bBxX").find(written[0]) != std::string::npos &&
                       tokens.size() == 1 && tokens[0].kind == TokenKind::string;
  if (is_bits && type.type == ValueType::bits) return {.text = written, .lost = {}};
  if (is_bits && type.type == ValueType::bytes && to_lower(written)[0] == 'x') {
    return {.text = "'\\x" + written.substr(2), .lost = {}};
  }
  const bool is_number = tokens.size() > 0 && tokens[tokens.size() - 1].kind == TokenKind::number;
  const bool takes_numbers =
      is_number_type(type.type) || is_text(type.type) || type.type == ValueType::unknown;
  if (is_number && !takes_numbers) return {.text = {}, .lost = "its type takes no numbers"};
  if (is_zero_date(written)) return {.text = {}, .lost = "it has no such date"};
  return translate_expression(written, schema_.dialect, to_);
}

std::string SchemaPrinter::default_text(const Table& table, const TableColumn& column) {
  const Domain* domain = is_own() ? nullptr : find_domain(schema_, column.type);
  std::string written = column.default_expression;
  if (written.empty() && domain != nullptr) written = domain->default_expression;
  if (written.empty()) return "";
  const ColumnType& type = type_place(schema_, table, column, to_).column->type;
  if (!is_own() && type.type == ValueType::boolean) written = to_boolean(written);
  ExpressionText expression = to_ == Dialect::postgres
                                  ? default_for_postgres(type, written)
                                  : translate_expression(written, schema_.dialect, to_);
  if (!takes_default(column.type, type)) {
    expression = {.text = {}, .lost = "its foreign key needs another type"};
  }
  if (expression.text.empty()) {
    note(column.position, "the default of " + table.name + "." + column.name, expression.lost);
    return "";
  }
  if (to_ == Dialect::postgres) return " DEFAULT " + expression.text;
  const Tokens tokens(expression.text);
  const bool is_signed = tokens.size() == 2 && tokens.is_symbol(0, '-');
  const bool is_clock = tokens.word(0) == "current_timestamp";
  const bool has_precision =
      !type.arguments.empty() &&
      (type.type == ValueType::timestamp || type.type == ValueType::timestamp_with_zone);
  if (is_clock && tokens.size() == 1 && to_ == Dialect::mysql && has_precision) {
    return " DEFAULT CURRENT_TIMESTAMP(" + std::to_string(type.arguments[0]) + ")";
  }
  const bool is_bare = tokens.size() == 1 || is_signed || (is_clock && to_ == Dialect::mysql);
  return " DEFAULT " + (is_bare ? expression.text : "(" + expression.text + ")");
}

std::string SchemaPrinter::identity_text(const Table& table, const TableColumn& column) {
  const std::string of = table.name + "." + column.name;
  if (to_ == Dialect::postgres) {
    if (!column.default_expression.empty()) return " DEFAULT " + column.default_expression;
    if (is_own() && is_serial(to_lower(column.type.text))) return "";
    return column.always_generated ? " GENERATED ALWAYS AS IDENTITY"
                                   : " GENERATED BY DEFAULT AS IDENTITY";
  }
  if (to_ == Dialect::sqlite) {
    const bool is_key = table.primary_key.size() == 1 && table.primary_key[0] == column.name;
    if (!is_key) note(column.position, of, "only a primary key of one column counts up");
    return "";
  }
  if (!is_own() && !is_integer(column.type.type) && !column.type.is_unsigned) {
    note(column.position, of, "only integers count up");
    return "";
  }
  const auto first =
      std::find_if(table.columns.begin(), table.columns.end(),
                   [](const TableColumn& one) { return one.generation == Generation::identity; });
  if (&*first != &column) {
    note(column.position, of, "only one column of a table counts up");
    return "";
  }
  return " AUTO_INCREMENT";
}

// PostgreSQL compares neither truth nor texts with numbers; MariaDB's rules may not mention what
// counts up.
ExpressionText SchemaPrinter::rule_text(const Table& table, const std::string& expression) const {
  const Tokens tokens(expression);
  bool has_number = false;
  bool has_others = false;
  bool counts = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    has_number = has_number || tokens[i].kind == TokenKind::number;
    const TableColumn* column =
        find_column(table, fold_name(tokens.text(i), Dialect::postgres), schema_.dialect);
    if (column == nullptr) continue;
    has_others = has_others || column->type.type == ValueType::boolean ||
                 column->type.type == ValueType::unknown;
    counts = counts || column->generation == Generation::identity;
  }
  if (to_ == Dialect::postgres && !is_own() && has_number && has_others) {
    return {.text = {}, .lost = "its types may not be compared with numbers"};
  }
  if (to_ == Dialect::mysql && !is_own() && counts) {
    return {.text = {}, .lost = "it may not mention a column that counts up"};
  }
  return translate_expression(expression, schema_.dialect, to_);
}

bool SchemaPrinter::is_not_null(const TableColumn& column) const {
  const Domain* domain = is_own() ? nullptr : find_domain(schema_, column.type);
  return column.not_null || (domain != nullptr && domain->not_null);
}

}  // namespace heddle::sql
