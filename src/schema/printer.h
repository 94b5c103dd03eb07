// print_schema's printer, for the files that it is made of.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/schema.h"
#include "schema/expression.h"
#include "schema/types.h"

namespace heddle::sql {

class SchemaPrinter {
 public:
  SchemaPrinter(const Schema& schema, Dialect to) : schema_(schema), to_(to) {}

  SchemaPrinting print();

 private:
  bool is_own() const { return schema_.dialect == to_; }
  void note(SourcePosition position, const std::string& what, const std::string& why);
  std::string name(std::string_view written) const;
  std::string names(const std::vector<std::string>& written) const;
  std::string object(std::string_view in_schema, std::string_view written) const;
  std::string constraint(const std::string& given) const;

  void print_schemas();
  void print_enumerations();
  void print_sequences();
  void print_domains();
  void print_table(const Table& table);
  void print_late_keys();
  void print_views();

  std::string column_text(const Table& table, const TableColumn& column);
  std::string type_text(const Table& table, const TableColumn& column);
  TypeText translated_type(const Table& table, const TableColumn& column) const;
  TypeText enumeration_text(const TableColumn& column) const;
  std::string generation_text(const Table& table, const TableColumn& column);
  std::string default_text(const Table& table, const TableColumn& column);
  ExpressionText default_for_postgres(const ColumnType& type, const std::string& written) const;
  ExpressionText rule_text(const Table& table, const std::string& expression) const;
  std::string identity_text(const Table& table, const TableColumn& column);
  void add_checks_of_types(const Table& table, const TableColumn& column);
  void add_key(const Table& table);
  static bool has_index_on(const Table& table, const std::vector<std::string>& columns);
  void add_unique(const Table& table, const UniqueConstraint& unique);
  void add_foreign_key(const Table& table, const ForeignKeyConstraint& key);
  void add_check(const std::string& given, const std::string& expression, const Table& table,
                 SourcePosition position);
  std::string foreign_key_text(const Table& table, const ForeignKeyConstraint& key);
  bool is_not_null(const TableColumn& column) const;
  bool has_not_null(const Table& table, const std::vector<std::string>& columns) const;
  bool can_be_referenced(const ForeignKeyConstraint& key) const;
  bool is_without_rowid(const Table& table) const;
  bool is_in_key(const Table& table, const std::string& column) const;
  std::string check_time_text(CheckTime time, const Table& table, SourcePosition position);

  const Schema& schema_;
  Dialect to_;
  SchemaPrinting result_;
  std::vector<std::string> lines_;  // of the table that is printed
  std::vector<std::string> late_;   // foreign keys to tables that come later
  std::set<const Table*> printed_;
  std::set<std::string> type_names_;
  std::map<const TableColumn*, std::string> enumerations_;  // made for columns
};

}  // namespace heddle::sql
