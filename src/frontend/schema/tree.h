// Definitions in PostgreSQL's parse tree -> changes of a schema.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"
#include "schema/builder.h"

namespace heddle::sql {

// The columns that an expression mentions, sorted.
std::vector<std::string> mentioned_columns(const Node& expression);

// The text of tokens [begin, end) with one blank where there were blanks or comments.
std::string plain_text(const Tokens& tokens, std::size_t begin, std::size_t end);

class TreeDefinitions {
 public:
  // `tokens` are those of one statement, which starts at `base` in the whole text.
  TreeDefinitions(SchemaBuilder& builder, const Tokens& tokens, std::size_t base)
      : builder_(builder), tokens_(tokens), base_(base) {}

  // Reads {"CreateStmt": {...}} or another definition; what is none changes nothing.
  void read(const Node& statement);

 private:
  using Columns = std::vector<std::string>;

  // tree.cc: statements
  void read_create(const Node& create);
  void read_parents(const Node& create, Table& table);
  void read_elements(const Node& elements, Table& table);
  void read_like(const Node& like, Table& table);
  void read_create_as(const Node& create);
  void read_select_into(const Node& select);
  void read_index(const Node& index);
  void read_sequence(const Node& create);
  void read_enumeration(const Node& create);
  void read_new_label(const Node& alter);
  void read_domain(const Node& create);
  void read_drop(const Node& drop);
  void read_rename(const Node& rename);
  void read_new_schema(const Node& alter);
  void read_schema(const Node& create);
  void read_view(const Node& create);
  void read_alter(const Node& alter);
  void read_command(const Node& command, Table& table, std::size_t begin, std::size_t end);
  void read_identity_command(const Node& command, TableColumn& column);

  // tree_column.cc: columns and constraints
  void read_column(const Node& definition, Table& table, bool if_not_exists);
  ColumnType read_type(const Node& type, std::size_t begin, std::size_t end, bool* is_serial);
  void read_column_constraint(const Node& constraint, Table& table, std::size_t index,
                              std::size_t end);
  void read_constraint(const Node& constraint, Table& table, const TableColumn* column);
  void read_key(const Node& constraint, Table& table, const TableColumn* column, bool is_primary);
  bool take_index(const Node& constraint, Table& table, bool is_primary);
  void read_foreign_key(const Node& constraint, Table& table, const TableColumn* column);
  Check read_check(const Node& constraint);
  void set_default(TableColumn& column, const Node& expression, std::string text);
  std::string expression_after(std::size_t begin, std::string_view word, std::size_t end) const;
  std::size_t end_of_element(std::size_t begin) const;

  // Of a RangeVar.
  ObjectName name_of(const Node& range) const;
  // Of a list of names.
  ObjectName name_in(const Node& names) const;
  std::size_t offset_of(const Node& node) const;
  SourcePosition position_of(const Node& node) const;

  SchemaBuilder& builder_;
  const Tokens& tokens_;
  std::size_t base_;
};

// The number that a scalar field holds; absent: 0, which the tree leaves out.
std::size_t number_of(const Node& node, std::string_view field);

}  // namespace heddle::sql
