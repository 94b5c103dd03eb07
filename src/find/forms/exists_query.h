// SELECT EXISTS (SELECT ... FROM t WHERE c), read as what it means: whether a count is above zero.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/sql/words/lexer.h"
#include "heddle/statement.h"

namespace heddle::find {

// SELECT count(*) > 0 FROM t WHERE c, of one table, with the same placeholders; `= 0` for NOT
// EXISTS. None: the statement is no such query.
std::optional<Statement> as_count(const Statement& statement, Dialect dialect);

// An INSERT that makes its row where no row of its table meets a condition: the row, and the query
// that says whether there is such a row, as as_count() says it.
struct GuardedInsert {
  Statement insert;
  Statement query;
};
std::optional<GuardedInsert> as_guarded_insert(const Statement& statement, Dialect dialect);

// [NOT] EXISTS (SELECT ... FROM table alias WHERE condition), one of the conditions that all have
// to hold in a predicate; or `outer` [NOT] IN (SELECT `inner` FROM table alias WHERE condition), as
// if nothing were null.
struct ExistsCondition {
  bool is_negated = false;
  std::string alias;
  std::string condition;   // empty: there is none
  std::string inner = {};  // empty: it is not about values
  std::string outer = {};
};

// Those of the predicate that are of one table each, and the predicate with `true` in their place.
struct ExistsConditions {
  std::vector<ExistsCondition> conditions;
  std::string rest;
};
ExistsConditions exists_conditions(std::string_view predicate);

// A query of one table within a statement: SELECT ... FROM table [AS] [alias] [WHERE condition].
struct InnerQueryWords {
  std::size_t from = 0;  // the token
  std::string alias;
  std::string condition;    // empty: there is none
  bool is_ordered = false;  // or limited
};
// From the token of SELECT to before `close`; none: it is more.
std::optional<InnerQueryWords> inner_query_words(const sql::Tokens& tokens, std::size_t select,
                                                 std::size_t close);

struct StatementForm;
// What becomes of the form of an INSERT that makes its row only where a query finds none.
void stop_by_rows_of(const StatementForm& query, StatementForm& form);

}  // namespace heddle::find
