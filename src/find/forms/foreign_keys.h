// What foreign keys make statements do: a row that refers to another one is refused where that is
// not there, one that others refer to cannot go or get another key, or they go or change with it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "find/forms/statement_form.h"
#include "heddle/program.h"
#include "heddle/schema.h"

namespace heddle::find {

// The foreign keys of a program's tables that are looked at: what somebody writes may decide how
// they are checked, or they change rows by themselves.
class ForeignKeys {
 public:
  ForeignKeys() = default;
  // The program outlives it.
  explicit ForeignKeys(const Program& program);

  // Adds sources for the tables in which a statement on one table looks for rows because of foreign
  // keys, or which it changes because of them, each foreign key once.
  void add_to(StatementForm& form) const;

 private:
  struct Key {
    const Table* table = nullptr;
    const ForeignKeyConstraint* constraint = nullptr;
    const Table* referenced = nullptr;
    std::vector<std::string> columns;             // of the table
    std::vector<std::string> referenced_columns;  // in the same order
  };
  // What a program does to a table.
  struct Writes {
    bool makes_rows = false;
    bool removes_rows = false;
    std::set<std::string> columns;  // of rows that are there
  };

  void add_keys(const Schema& schema);
  void add_writes(const Statement& statement);
  void add_consequences();
  bool changes(const Table* table, const std::vector<std::string>& columns) const;
  bool comes_and_goes(const Table* table) const;
  void add_referred(const Key& key, StatementForm& form) const;
  void add_referring(const Key& key, std::size_t referred, StatementForm& form) const;

  const Schema* schema_ = nullptr;
  std::vector<Key> keys_;
  std::map<const Table*, Writes> writes_;
};

}  // namespace heddle::find
