// Which tables, derived tables and common table expressions a name may mean at one place.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/statement.h"

namespace heddle::sql {

// What an expression mentions, its subqueries included.
struct Mentions {
  std::set<std::string> columns;
  bool generated = false;
  bool subquery = false;
  bool set_returning = false;
  bool unknown_function = false;
  bool aggregate = false;  // of the query itself

  void add(const Mentions& other);
};

// One item of FROM as names see it. A derived table, a CTE and a function have outputs instead of
// tables of their own.
struct Source {
  std::string schema;
  std::string name;                 // the alias, or the table's name; empty: cannot be named
  std::vector<std::size_t> tables;  // in Statement::tables, whose columns are visible through it
  std::vector<std::size_t> inner_tables;  // of a derived table: what FOR UPDATE reaches
  std::vector<OutputColumn> outputs;      // of a derived table or CTE
  bool renamed = false;  // the alias renames columns, so that names tell nothing of the table's
  bool own_row = false;  // the row that an INSERT just wrote: to name its columns reads no table
};

struct CommonTable {
  std::string name;
  std::vector<OutputColumn> outputs;
  std::optional<std::size_t> part;  // which part of a statement that is taken apart gives its rows
};

// Scopes lie on the stack of the reader, the innermost first.
struct Scope {
  const Scope* outer = nullptr;
  std::vector<Source> sources;
  std::vector<CommonTable> common_tables;
};

const CommonTable* find_common_table(const Scope& scope, std::string_view name);

// The innermost source of that name; a schema only when the text gives one.
const Source* find_source(const Scope& scope, std::string_view schema, std::string_view name);

// `*` or `t.*`: stands for columns that the text does not name.
bool is_star(const OutputColumn& output);

// Renames the first outputs as an alias's column list says.
void rename_outputs(std::vector<OutputColumn>& outputs, const std::vector<std::string>& names);

// The outputs of a set operation: those of the first query, fed by the columns of both. A `*` hides
// how columns meet, so that only the first query's are kept then.
void merge_outputs(std::vector<OutputColumn>& first, const std::vector<OutputColumn>& second);

// Sorted insertion without doubles.
void insert_name(std::vector<std::string>& names, const std::string& name);

}  // namespace heddle::sql
