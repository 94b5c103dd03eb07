// A schema as text, for tests: one line per column and constraint, then errors and notes.
#pragma once

#include <string>

#include "heddle/schema.h"

namespace heddle::sql {

struct SchemaCase {
  const char* sql;
  const char* expected;
};

inline std::string list_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return "(" + text + ")";
}

inline std::string render(const ColumnType& type) {
  std::string text = to_string(type.type);
  if (type.type == ValueType::array) text += " of " + to_string(type.element);
  std::string arguments;
  for (std::uint32_t one : type.arguments) {
    arguments += (arguments.empty() ? "" : ",") + std::to_string(one);
  }
  if (!arguments.empty()) text += "(" + arguments + ")";
  if (type.is_unsigned) text += " unsigned";
  if (!type.labels.empty()) text += list_text(type.labels);
  return text + " [" + type.text + "]";
}

inline std::string render(const TableColumn& column) {
  std::string text = "  " + column.name + " " + render(column.type);
  if (column.not_null) text += " not-null";
  if (column.generation == Generation::identity) text += " identity";
  if (column.generation == Generation::expression) {
    text += " is " + column.generation_expression;
  } else if (column.always_generated) {
    text += " always";
  }
  if (!column.default_expression.empty()) text += " default " + column.default_expression;
  if (column.written_by_any_update) text += " on-update";
  return text + "\n";
}

inline std::string render(CheckTime time) {
  if (time == CheckTime::statement) return "";
  return time == CheckTime::deferred ? " deferred" : " deferrable";
}

inline std::string name_prefix(const std::string& name) { return name.empty() ? "" : name + " "; }

inline std::string render(const ForeignKeyConstraint& key) {
  constexpr const char* kActions[] = {"", "restrict", "cascade", "set-null", "set-default"};
  std::string text = "  foreign " + name_prefix(key.name) + list_text(key.columns) + " -> " +
                     (key.referenced_schema.empty() ? "" : key.referenced_schema + ".") +
                     key.referenced_table + list_text(key.referenced_columns);
  if (key.on_delete != ReferentialAction::no_action) {
    text += std::string(" delete:") + kActions[static_cast<int>(key.on_delete)];
  }
  if (key.on_update != ReferentialAction::no_action) {
    text += std::string(" update:") + kActions[static_cast<int>(key.on_update)];
  }
  return text + render(key.check_time) + "\n";
}

inline std::string render(const Table& table) {
  std::string text = "table " + (table.schema.empty() ? "" : table.schema + ".") + table.name;
  text += table.columns_known ? "\n" : " of unknown columns\n";
  for (const TableColumn& one : table.columns) text += render(one);
  if (!table.primary_key.empty()) {
    text += "  key " + name_prefix(table.primary_key_name) + list_text(table.primary_key) + "\n";
  }
  for (const UniqueConstraint& one : table.unique_constraints) {
    text += "  unique " + name_prefix(one.name) + list_text(one.columns);
    text += (one.nulls_not_distinct ? " nulls-not-distinct" : "") + render(one.check_time) + "\n";
  }
  for (const ForeignKeyConstraint& one : table.foreign_keys) text += render(one);
  for (const Check& one : table.checks) {
    text += "  check " + name_prefix(one.name) + one.expression + " <- " + list_text(one.columns) +
            "\n";
  }
  return text;
}

inline std::string render(const Schema& schema) {
  std::string text;
  for (const Enumeration& one : schema.enumerations) {
    text += "enumeration " + one.name + list_text(one.labels) + "\n";
  }
  for (const Domain& one : schema.domains) {
    text += "domain " + one.name + " " + render(one.type) + (one.not_null ? " not-null" : "") +
            (one.default_expression.empty() ? "" : " default " + one.default_expression) + "\n";
    for (const Check& check : one.checks) {
      text += "  check " + name_prefix(check.name) + check.expression + "\n";
    }
  }
  for (const Sequence& one : schema.sequences) {
    text += "sequence " + (one.schema.empty() ? "" : one.schema + ".") + one.name + "\n";
  }
  for (const Table& one : schema.tables) text += render(one);
  for (const View& one : schema.views) {
    text += "view " + (one.schema.empty() ? "" : one.schema + ".") + one.name +
            (one.columns.empty() ? "" : list_text(one.columns)) + " is " + one.query + "\n";
  }
  return text;
}

inline std::string render(const std::string& kind, const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& one : diagnostics) {
    text += kind + " " + std::to_string(one.position.line) + ":" +
            std::to_string(one.position.column) + " " + one.what + "\n";
  }
  return text;
}

inline std::string render(const SchemaReading& reading) {
  return render(reading.schema) + render("error", reading.errors) + render("note", reading.notes);
}

}  // namespace heddle::sql
