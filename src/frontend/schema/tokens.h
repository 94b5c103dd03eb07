// Definitions of MySQL and SQLite -> changes of a schema.
//
// Their CREATE and ALTER TABLE are read from the rewriter's tokens, not from the tree of the
// rewritten text, because rewriting drops what a schema needs: widths, signs, labels,
// AUTO_INCREMENT, the spelling of names. Only expressions go through the rewriter and PostgreSQL's
// parser.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/sql/mysql.h"
#include "schema/builder.h"

namespace heddle::sql {

class TokenDefinitions {
 public:
  // `sql` is the whole text.
  TokenDefinitions(SchemaBuilder& builder, std::string_view sql, const MysqlStatement& statement)
      : builder_(builder), sql_(sql), statement_(statement) {}

  // What is no definition changes nothing.
  void read();

 private:
  struct Expression {
    std::string text;
    std::vector<std::string> columns;
  };
  // The columns of a key; not plain: one is an expression, or only the start of a value counts.
  struct KeyColumns {
    std::vector<std::string> names;
    bool is_plain = true;
  };
  // FIRST and AFTER x.
  struct Placement {
    bool is_first = false;
    std::string after;
  };

  // tokens.cc: statements
  void read_create();
  void read_create_table(bool replaces);
  void read_virtual_table();
  bool find_view_word();
  void read_view();
  void read_rest_of_table(Table& table);
  void read_unique_index();
  void read_drop();
  void read_rename();
  void read_elements(Table& table, std::size_t end);
  bool read_element(Table& table, std::size_t end);

  // tokens_alter.cc
  void read_alter();
  bool read_change(const ObjectName& name, std::size_t end);
  bool read_addition(Table& table, std::size_t end);
  bool read_removal(Table& table, std::size_t end);
  bool read_redefinition(Table& table, std::size_t end, bool renames);
  bool read_alteration(Table& table, std::size_t end);
  bool read_renaming(const ObjectName& name, Table& table);
  void place(Table& table, const std::string& column, const Placement& placement);
  void add_constraints(Table& table, Table& from);

  // tokens_column.cc
  bool read_column(Table& table, std::size_t end);
  ColumnType read_type(std::size_t end, TableColumn& column, bool& is_unique);
  std::vector<std::string> read_type_arguments(std::size_t end, ColumnType& type);
  bool read_attribute(Table& table, TableColumn& column, std::size_t end);
  bool read_key_attribute(Table& table, TableColumn& column);
  bool read_generated(TableColumn& column, std::size_t end);
  void read_default(Table& table, TableColumn& column, std::size_t end);
  bool read_constraint(Table& table, std::size_t end);
  bool read_key(Table& table, std::string name, bool is_primary);
  bool read_foreign_key(Table& table, std::string name, std::vector<std::string> columns,
                        std::size_t where);
  void read_references_options(ForeignKeyConstraint& key);
  bool read_check(Table& table, std::string name);
  bool read_key_columns(KeyColumns& key);
  std::optional<Expression> read_expression(std::size_t begin, std::size_t end,
                                            const std::string& of);

  // The cursor.
  bool at_word(std::string_view words) const { return statement_.are_words(at_, words); }
  bool accept(std::string_view words);
  bool accept_symbol(std::string_view symbol);
  bool accept_name(std::string& name);
  bool accept_object(ObjectName& name);
  bool skip_parenthesis();
  std::size_t offset() const;
  std::size_t end_of_part(std::size_t end) const;
  std::string text_between(std::size_t begin, std::size_t end) const;
  bool fail(const std::string& what);

  SchemaBuilder& builder_;
  std::string_view sql_;
  const MysqlStatement& statement_;
  std::size_t at_ = 0;
  Placement placement_;  // of the column read last
};

// Whether an attribute of a column starts with token `i`.
bool starts_attribute(const MysqlStatement& statement, std::size_t i);

}  // namespace heddle::sql
