// SchemaBuilder: the schema as it stands while a text of definitions is read, one change after the
// other. What is wrong with a change becomes a diagnostic, and the change is left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heddle/schema.h"

namespace heddle::sql {

// The name of a table, sequence or type as a statement writes it.
struct ObjectName {
  std::string schema;  // empty: none named
  std::string name;
  std::size_t offset = 0;  // in the whole text
};

// "schema.name" or "name", for messages.
std::string to_string(const ObjectName& name);

// Whether two names of columns or tables are the same in the dialect; both are folded.
bool is_same_name(std::string_view a, std::string_view b, Dialect dialect);
// An unqualified name may be one of any schema, since a text can set the path that is searched.
bool is_same_schema(std::string_view a, std::string_view b, Dialect dialect);
// Likewise, but an unqualified name is one of PostgreSQL's schema public.
bool is_exactly_schema(std::string_view a, std::string_view b, Dialect dialect);

class SchemaBuilder {
 public:
  // Keeps a view of the text, for positions.
  SchemaBuilder(std::string_view sql, Dialect dialect);

  Dialect dialect() const { return reading_.schema.dialect; }
  SourcePosition position(std::size_t offset) const;
  void error(SourcePosition position, std::string what, std::string what_to_do);
  void note(SourcePosition position, std::string what, std::string what_to_do = {});

  // Tables. Those that answer with a pointer have reported what is missing when it is null:
  // source_table(), whose columns another one has, as an error, and change_table() as a note, since
  // what is not known needs no change.
  void create_table(Table table, const ObjectName& name, bool if_not_exists);
  void drop_table(const ObjectName& name, bool if_exists, bool cascade);
  void rename_table(const ObjectName& name, const std::string& to);
  Table* find_table(const ObjectName& name);
  Table* find_exactly(const ObjectName& name);
  Table* change_table(const ObjectName& name, bool if_exists = false);
  Table* source_table(const ObjectName& name);

  // Columns and constraints of a table that is known or under construction.
  // Near constant time, however wide the table is, while one table is asked for after another.
  TableColumn* find_column(Table& table, std::string_view name) const;
  const TableColumn* find_column(const Table& table, std::string_view name) const;
  TableColumn* change_column(Table& table, std::string_view name, std::size_t offset);
  bool add_column(Table& table, TableColumn column, bool if_not_exists = false);
  void drop_column(Table& table, const std::string& name, std::size_t offset, bool if_exists);
  void rename_column(Table& table, const std::string& from, const std::string& to,
                     std::size_t offset);
  void set_primary_key(Table& table, std::vector<std::string> columns, std::string name,
                       std::size_t offset);
  void drop_primary_key(Table& table);
  void drop_constraint(Table& table, const std::string& name, std::size_t offset, bool if_exists);
  void rename_constraint(Table& table, const std::string& from, const std::string& to) const;
  // Columns, and what the flags say, of `from`.
  struct Copied {
    bool defaults = true;
    bool identities = true;
    bool generated = true;
    bool keys = true;
    bool checks = true;
  };
  void copy_table(const Table& from, Table& to, const Copied& copied);

  // Other objects; they are looked up when all is read, since they can change.
  std::vector<Enumeration>& enumerations() { return reading_.schema.enumerations; }
  std::vector<Domain>& domains() { return reading_.schema.domains; }
  std::vector<Sequence>& sequences() { return reading_.schema.sequences; }
  std::vector<Table>& tables() { return reading_.schema.tables; }
  std::vector<View>& views() { return reading_.schema.views; }
  // A view replaces one of its name.
  void create_view(View view, const ObjectName& name);
  void drop_view(const ObjectName& name);
  // Rows of a partition are rows of its parent, in which they are kept: it is a view of that.
  void create_partition(const ObjectName& name, const ObjectName& parent);

  // Resolves types and foreign keys, and drops constraints on what does not exist.
  SchemaReading finish();

 private:
  // Where the columns of the table that was asked for last stand, by their folded names.
  struct ColumnIndex {
    const TableColumn* columns = nullptr;
    std::size_t size = 0;  // so many are indexed
    std::unordered_map<std::string, std::size_t> places;
  };

  std::string column_key(std::string_view name) const;
  bool is_index_of(const Table& table) const;
  void index_columns(const Table& table) const;
  void check_table(Table& table);
  void check_foreign_keys(Table& table);
  bool check_foreign_key(const Table& table, ForeignKeyConstraint& key);
  bool check_referenced(const Table& table, ForeignKeyConstraint& key);
  void check_checks(Table& table);
  bool spell_columns(const Table& table, std::vector<std::string>& columns, const std::string& of,
                     SourcePosition position);
  void resolve_type(ColumnType& type, SourcePosition position, const std::string& of);

  std::vector<std::size_t> lines_;  // where each starts
  SchemaReading reading_;
  mutable ColumnIndex index_;
};

// An expression with a name of a column put in the place of another one.
std::string rename_in_expression(std::string_view expression, std::string_view from,
                                 std::string_view to, Dialect dialect);

// The domain or enumeration of PostgreSQL that a type names, or nullptr.
const Domain* find_domain(const Schema& schema, const ColumnType& type);
const Enumeration* find_enumeration(const Schema& schema, const ColumnType& type);

}  // namespace heddle::sql
