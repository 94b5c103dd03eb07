// Printer: writes one statement of PostgreSQL's parse tree in the words of a dialect.
//
// Every node is written whole or refused: each function names the fields that it writes, and a
// field that it does not name is an error. The first error stands; what is returned after it is
// never used. Placeholders are marked in the text and numbered at its end, because only then their
// order is known.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/print/names.h"
#include "frontend/print/source.h"
#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"
#include "heddle/schema.h"
#include "heddle/statement.h"

namespace heddle::sql {

// How strongly the outermost operator of a text binds, as far as all dialects agree.
enum class Binding : std::uint8_t { or_, and_, not_, comparison, other, sum, product, sign, whole };

struct Piece {
  std::string text;
  Binding binding = Binding::whole;
};

class Printer {
 public:
  // `source` and `schema` outlive the printer. `schema`: the tables there are; null: not known.
  Printer(const PrintSource& source, Dialect to, const Schema* schema);

  Result<PrintedStatement> print();

 private:
  using Names = std::vector<std::string>;

  // print.cc
  std::string print_statement(const Node& node);
  std::string print_transaction(const Node& content);
  std::string print_begin(const Node& content);
  std::string print_modes(const Node& options, const Node& content);
  std::string print_setting(const Node& content);
  // Notes the first trouble; the returned text is never used.
  std::string refuse(const Node& node, const std::string& construct, const std::string& reason);
  // The dialect printed to has no such thing.
  std::string lacks(const Node& node, const std::string& construct);
  // Refuses fields other than these.
  bool has_only(const Node& content, std::initializer_list<std::string_view> fields);
  bool enter(const Node& node);
  std::string name(std::string_view value) const { return print_name(value, to_); }
  // A name as it was spelled at a node, where the dialects compare the case of such names.
  std::string spelled_name(const std::string& value, const Node& content);
  // The alias as it is first spelled in the source, where that matters.
  std::string spelled_alias(const std::string& value) const;
  std::string name_list(const Node& list);
  std::string placeholder(const Node& content);
  bool is_to(Dialect dialect) const { return to_ == dialect; }
  bool is_from(Dialect dialect) const { return from_ == dialect; }
  bool is_same() const { return from_ == to_; }

  // query.cc
  std::string print_query(const Node& query, const Names& outputs = {});
  std::string print_body(const Node& select, const Names& outputs);
  std::string print_set_operation(const Node& select, const Names& outputs);
  std::string print_operand(const Node& operand, const Names& outputs);
  std::string print_leaf(const Node& select, const Names& outputs);
  std::string print_distinct(const Node& select);
  std::string print_values(const Node& select, const Names& outputs);
  std::string print_outputs(const Node& targets, const Names& outputs);
  std::string print_output(const Node& target, const std::string& output);
  std::string print_grouping(const Node& select);
  std::string print_windows(const Node& windows);
  std::string print_limit(const Node& select);
  std::string print_locking(const Node& clauses);
  std::string print_with(const Node& with);
  std::string print_common_table(const Node& table);
  std::string print_order(const Node& list, const Node& targets, bool is_set_operation);
  std::string print_sorting(const Node& sort, const Node& targets, bool is_set_operation);
  std::string print_window(const Node& window);
  std::string print_frame(const Node& window, unsigned options);
  bool sorts_by_expression(const Node& select) const;

  // from.cc
  std::string print_from(const Node& items);
  std::string print_from_item(const Node& item);
  std::string print_table(const Node& range, bool with_alias = true);
  std::string print_table_name(const Node& range);
  std::string print_join(const Node& join);
  std::string print_derived(const Node& derived);
  std::string print_function_table(const Node& function);
  std::string print_sample(const Node& sample);
  std::string print_alias(const Node& alias, bool with_columns = true);
  std::string print_column_definitions(const Node& list);

  // write.cc
  struct Flattened {
    std::vector<const Node*> items;       // of FROM, without the target
    std::vector<const Node*> conditions;  // of its joins
    const Node* target = nullptr;         // {"RangeVar": ...}
  };
  std::string print_insert(const Node& insert);
  std::string insert_verb();
  std::string print_inserted(const Node& insert);
  std::string print_update(const Node& update);
  std::string print_update_from(const Node& update);
  std::string print_multi_table_update(const Node& update);
  std::string print_delete(const Node& remove);
  std::string print_delete_using(const Node& remove);
  std::string print_multi_table_delete(const Node& remove);
  std::string print_assignments(const Node& targets, const std::string& qualifier);
  std::string print_assignment(const Node& target, const std::string& qualifier);
  std::string print_multiple(const Node*& target, const std::string& qualifier);
  std::string assigned_name(const Node& target, const std::string& qualifier);
  std::string print_where(const Node& condition);
  std::string print_conditions(const std::vector<const Node*>& conditions);
  std::string print_returning(const Node& targets);
  bool flatten(const Node& item, const std::string& target, Flattened& flattened);
  bool flatten_all(const Node& items, const std::string& target, Flattened& flattened);

  // conflict.cc
  using Keys = std::vector<Names>;
  std::string print_conflict(const Node& insert);
  std::string print_conflict_target(const Node& infer);
  std::string print_conflict_action(const Node& conflict, const Node& insert);
  std::string print_met_conflict(const Node& conflict, const Node& insert);
  std::string print_replacement(const Table& table, const Names& key);
  std::string column_list(const Names& columns) const;
  std::string print_duplicate_key(const Node& conflict, const Node& insert);
  bool check_order_of_assignments(const Node& targets);

  // expression.cc
  Piece print_any(const Node& node);
  std::string print_value(const Node& node) { return print_any(node).text; }
  // In parentheses unless it binds at least so strongly.
  std::string operand(const Node& node, Binding least);
  std::string print_values_of(const Node& list, std::string_view separator = ", ");
  Piece print_constant(const Node& content);
  std::string integer_text(const Node& content);
  Piece print_column(const Node& content);
  Piece print_parameter(const Node& content);
  Piece print_boolean(const Node& content);
  Piece print_null_test(const Node& content);
  Piece print_boolean_test(const Node& content);
  Piece print_case(const Node& content);
  Piece print_coalesce(const Node& content);
  Piece print_extreme(const Node& content);
  Piece print_row(const Node& content);
  Piece print_array(const Node& content);
  Piece print_indirection(const Node& content);
  std::string indirection_text(const Node& list);
  Piece print_collation(const Node& content);
  Piece print_sublink(const Node& content);
  Piece print_clock(const Node& content);
  Piece print_default(const Node& content);
  Piece print_grouping_call(const Node& content);
  Piece print_grouping_set(const Node& content);
  Piece print_cursor(const Node& content);
  Piece print_named_argument(const Node& content);
  Piece print_list(const Node& content);

  // operator.cc
  Piece print_operator(const Node& content);
  Piece print_plain_operator(const Node& content);
  Piece print_unary(const Node& content, const std::string& symbol);
  Piece print_arithmetic(const Node& content, const std::string& symbol);
  Piece print_division(const Node& content);
  Piece print_bits(const Node& content, const std::string& symbol);
  Piece print_concatenation(const Node& content);
  Piece print_regular(const Node& content, const std::string& symbol);
  Piece print_own_operator(const Node& content);
  Piece print_distinct_from(const Node& content);
  Piece print_in(const Node& content);
  Piece print_like(const Node& content);
  Piece print_between(const Node& content);
  Piece print_nullif(const Node& content);
  Piece print_similar(const Node& content);
  Piece print_any_of_array(const Node& content);
  Piece like_to_glob(const Node& content, bool negated);
  Piece join_operands(const Node& content, const std::string& symbol, Binding binding);
  std::string own_operator_name(const Node& name);
  std::string pattern_text(const Node& content, const std::string& subject, bool negated);

  // function.cc
  Piece print_call(const Node& content);
  Piece print_plain_call(const Node& content);
  Piece print_syntax_call(const Node& content, const std::string& function);
  Piece print_by_table(const Node& content, const std::string& function);
  std::string fill_pattern(std::string_view pattern, const std::vector<const Node*>& arguments);
  Piece print_special_call(const Node& content, const std::string& function, bool& handled);
  Piece print_joined_strings(const Node& content, const std::string& function);
  Piece print_substring(const Node& content, const std::string& function);
  Piece print_concat(const Node& content);
  Piece print_extract(const Node& content);
  Piece print_sequence(const Node& content, const std::string& function);
  Piece print_interval(const Node& content);
  Piece print_variable(const Node& content);
  std::string call_tail(const Node& content);
  bool is_plain_call(const Node& content);

  // type.cc
  Piece print_cast(const Node& content);
  Piece print_cast_elsewhere(const Node& content, const std::string& type);
  std::string print_type(const Node& type);
  std::string print_own_type(const Node& type);
  std::string print_interval_type(const Node& type);

  // grouping.cc
  // Whether the operators of an expression group as in the dialect they were written in.
  void check_grouping(const Node& node);

  const PrintSource& source_;
  Dialect from_;
  Dialect to_;
  const Schema* schema_;
  Tokens tokens_;  // of what the tree was parsed from
  std::optional<Diagnostic> trouble_;
  std::size_t depth_ = 0;
  // Inside DO UPDATE: columns without a table are this one's.
  std::string conflict_table_;
  bool in_conflict_ = false;  // excluded.x may be written VALUES(x)
};

// {...} of {"SelectStmt": {...}} and of the bare {...} that some fields hold.
const Node& bare(const Node& node);
// How the table that a statement changes is called in it.
std::string target_name(const Node& relation);
// Whether there is a node in a field.
inline bool has(const Node& content, std::string_view field) { return content[field].is_present(); }
// The last of a list of names, after pg_catalog if that is before it; empty: none such.
std::string plain_function_name(const Node& names);
// The text of a string constant.
std::optional<std::string> string_constant(const Node& node);
bool is_number_constant(const Node& node);
bool is_integer_constant(const Node& node);
std::size_t size_of(const Node& list);
std::size_t location_of(const Node& content);
// The names of the columns that a tree mentions.
std::set<std::string> columns_in(const Node& node);
// Whether asking twice may give two answers.
bool is_volatile(const Node& node);

}  // namespace heddle::sql
