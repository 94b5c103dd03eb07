// StatementReader: walks one statement of PostgreSQL's parse tree and fills a Statement.
//
// Names are resolved without a schema, so always from above: a column without a qualifier may be
// any visible table's, those of the enclosing queries included, unless a derived table is the only
// one that can have it. Whoever knows the schema can drop the columns that a table does not have; a
// read is never missed.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/sql/parts.h"
#include "frontend/sql/scope.h"
#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"
#include "heddle/statement.h"

namespace heddle::sql {

// What a rewriter knows of the statement and the tree cannot say.
struct ReaderOptions {
  Dialect dialect = Dialect::postgres;
  bool multi_table = false;                 // MySQL: the tables of UPDATE and DELETE are in FROM
  std::vector<std::string> delete_targets;  // MySQL: DELETE a, b FROM ...
  // What common tables of the statement itself change is read as statements of their own.
  bool takes_apart = false;
};

class StatementReader {
 public:
  // `tokens` are those of the whole text whose tree is read; both outlive the reader.
  StatementReader(const Tokens& tokens, ReaderOptions options);

  // Reads `node`, {"SelectStmt": {...}}. `too_deep` afterwards: a bound was hit, the rest is
  // missing.
  Statement read(const Node& node);
  bool too_deep() const { return too_deep_; }
  // Of a statement that was taken apart: what comes before the rest of it, in order, and what the
  // rest needs of that.
  std::vector<StatementPart> take_parts() { return std::move(parts_); }
  std::vector<PartNeed> take_needs() { return std::move(needs_); }

 private:
  using Outputs = std::vector<OutputColumn>;

  // What a nested query is to the statement.
  struct Place {
    const Scope* scope = nullptr;
    bool outermost = false;  // its predicate and order are the statement's
    std::size_t depth = 0;
    bool may_be_missing = false;  // the rows of a side of an outer join
  };

  // A condition of a query that is being read.
  struct Condition {
    std::string text;
    bool is_of_outer_join = false;  // it does not choose the rows of both sides
  };

  // The part of a SELECT's FROM, an UPDATE's FROM, ... that joins need.
  struct FromItem {
    std::vector<std::size_t> sources;  // in the scope
  };

  // statement.cc
  void read_query(const Node& node);
  void read_utility(std::string_view type, const Node& content);
  void read_executed(const Node& node);
  void read_code(const Node& content);
  void read_explained(const Node& content);
  void read_definition(std::string_view type, const Node& content);
  void read_dropped(const Node& content);
  void read_transaction(const Node& content);
  void read_setting(const Node& content);
  void read_modes(const Node& options);
  void read_copy(const Node& content);
  void add_named_table(const Node& range, bool written);

  // query.cc
  Outputs read_any(const Node& query, const Place& place, Mentions& mentions);
  Outputs read_select(const Node& select, const Place& place, Mentions& mentions);
  Outputs read_set_operation(const Node& select, const Place& place, Mentions& mentions);
  Outputs read_leaf(const Node& select, const Place& place, Mentions& mentions);
  Outputs read_values(const Node& lists, Scope& scope, const Place& place, Mentions& mentions);
  Outputs read_part(const Node& common, const Scope& scope, const Place& place);
  Statement finish();
  void read_sorting(const Node& select, const Scope& scope, const Outputs& outputs,
                    const Place& place, Mentions& mentions);
  void read_locking(const Node& clauses, const Scope& scope);
  void read_common_tables(const Node& with, Scope& scope, const Place& place, Mentions& mentions);
  Outputs read_outputs(const Node& targets, const Scope& scope, const Place& place,
                       Mentions& mentions);
  OutputColumn read_output(const Node& target, const Scope& scope, const Place& place,
                           Mentions& mentions);
  void judge_row_by_row(const Scope& scope, const Mentions& condition);
  void judge_rows(const Node& select, const Mentions& listed);
  void read_grouping(const Node& select, const Scope& scope, const Place& place,
                     Mentions& mentions);

  // from.cc
  void read_from(const Node& items, Scope& scope, const Place& place, Mentions& mentions);
  FromItem read_from_item(const Node& item, Scope& scope, const Place& place, Mentions& mentions);
  FromItem read_join(const Node& join, Scope& scope, const Place& place, Mentions& mentions);
  void read_join_columns(const Node& join, const Scope& scope, const FromItem& left,
                         const FromItem& right, const Place& place);
  FromItem read_range_table(const Node& range, Scope& scope, const Place& place);
  void join_by(std::size_t first, const Scope& scope, const FromItem& item);
  void let_miss(const Scope& scope, const FromItem& item);
  void end_conditions(std::size_t first, const Scope& scope);
  void choose_by(const std::vector<std::string>& texts, const Source& source);
  FromItem read_derived(const Node& derived, Scope& scope, const Place& place, Mentions& mentions);
  FromItem read_function(const Node& function, Scope& scope, const Place& place,
                         Mentions& mentions);
  std::size_t add_table(const Node& range);
  void read_needs(const Node& condition, const Scope& scope);
  void read_column_everywhere(const Scope& scope, const FromItem& item, const std::string& column);
  void read_condition(const Node& condition, std::string_view keyword, const Scope& scope,
                      const Place& place, Mentions& mentions);

  // write.cc
  Outputs read_insert(const Node& insert, const Place& place, Mentions& mentions);
  void read_inserted(const Node& insert, std::size_t index, Scope& scope, const Place& place,
                     Mentions& mentions);
  void add_value_rows(const Node& lists, std::size_t index, const std::vector<std::string>& columns,
                      const Place& place, Mentions& mentions);
  void read_conflict(const Node& conflict, std::size_t index, Scope& scope, const Place& place,
                     Mentions& mentions);
  Outputs read_update(const Node& update, const Place& place, Mentions& mentions);
  Outputs read_delete(const Node& remove, const Place& place, Mentions& mentions);
  Outputs read_merge(const Node& merge, const Place& place, Mentions& mentions);
  void read_merge_action(const Node& action, std::size_t index, const Scope& scope,
                         const Place& place, Mentions& mentions);
  void read_assignments(const Node& targets, const std::vector<std::size_t>& tables,
                        const Scope& scope, const Place& place, Mentions& mentions);
  // `shared` keeps what the one source of (a, b) = (...) mentions from column to column.
  WrittenValue read_assigned(const Node& target, const Scope& scope, const Place& place,
                             Mentions& shared);
  std::vector<std::size_t> assigned_tables(const Node& target,
                                           const std::vector<std::size_t>& tables,
                                           const Scope& scope, std::string& column);
  std::size_t add_target(const Node& relation, Scope& scope);
  void delete_rows(const Node& remove, const Scope& scope);
  std::vector<std::size_t> tables_of(const Scope& scope) const;

  // expression.cc
  Mentions read_expression(const Node& expression, const Scope& scope, const Place& place);
  void read_special(const Node& node, const Scope& scope, const Place& place, Mentions& mentions);
  void read_column(const Node& reference, const Scope& scope, Mentions& mentions);
  void read_star(const std::vector<std::string>& path, const Scope& scope, Mentions& mentions);
  void read_qualified(const std::vector<std::string>& path, const Scope& scope, Mentions& mentions);
  void read_unqualified(const std::string& column, const Scope& scope, Mentions& mentions);
  void read_of_source(const Source& source, const std::string& column, Mentions& mentions);
  void mark_read(const Source& source, const std::string& column);
  void read_call(const Node& call, Mentions& mentions);
  void read_cast(const Node& cast, Mentions& mentions);
  void note_function(const std::string& name, Mentions& mentions);

  void note(const std::string& construct);
  bool enter(const Place& place);
  TableUse& table(std::size_t index) { return statement_.tables[index]; }

  const Tokens& tokens_;
  ReaderOptions options_;
  Statement statement_;
  std::vector<Condition> conditions_;     // of the outermost query, and of those around the place
  std::set<std::size_t> aside_;           // tables on a side of an outer join that may be missing
  std::vector<std::size_t> from_tables_;  // of the query read last, those that FOR UPDATE reaches
  std::vector<StatementPart> parts_;
  std::vector<PartNeed> needs_;
  bool too_deep_ = false;
};

// Joined by AND; empty: there are none.
std::string all_of(const std::vector<std::string>& conditions);

// The texts of a list of String nodes.
std::vector<std::string> string_list(const Node& list);

}  // namespace heddle::sql
