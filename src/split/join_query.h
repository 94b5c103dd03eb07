// A statement on tables of several services, read as a plain join: what each table gives to it, and
// what is done with a joined row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "find/forms/statement_form.h"
#include "heddle/program.h"
#include "split/fresh_names.h"
#include "split/services.h"

namespace heddle::chopping {

// A table of the join, or the subquery of `x IN (SELECT y ...)`, which has each y once.
struct JoinSource {
  const Table* table = nullptr;  // null: a subquery
  std::string name;
  std::string alias;
  std::size_t service = 0;
  std::string locking;         // FOR UPDATE; empty: none
  bool is_optional = false;    // of LEFT JOIN
  std::vector<Expression> on;  // of LEFT JOIN
  std::string subquery;
};

enum class AggregateKind : std::uint8_t {
  rows,
  values,
  distinct_values,
  sum,
  least,
  greatest,
  mean
};

struct Aggregate {
  AggregateKind kind = AggregateKind::rows;
  Expression argument;          // of rows: none
  std::size_t placeholder = 0;  // the outputs call it `$placeholder`
};

struct JoinOrder {
  Expression value;
  std::string direction;  // "", " DESC", " NULLS LAST"
};

// Expressions name columns as those of find::StatementForm do, and the client's values by `$1`, ...
struct JoinQuery {
  StatementKind kind = StatementKind::select;
  // Scalar subqueries, which are read before: into a row each.
  std::vector<RunStatement> before;
  // With the subqueries replaced, where one service has all that is left.
  std::optional<ProgramStatement> whole;
  std::vector<JoinSource> sources;
  std::optional<std::size_t> written;  // of UPDATE and DELETE
  std::vector<Expression> conjuncts;   // of WHERE, and ON of inner joins
  std::vector<Expression> outputs;
  std::vector<std::string> output_names;
  std::vector<Aggregate> aggregates;
  bool is_aggregate = false;
  std::vector<JoinOrder> order;
  std::optional<std::string> limit;  // a number, or a value of the client's: `$1`
  std::vector<find::Assignment> assignments;
  std::string insert_head;            // INSERT INTO t (a, b)
  std::string insert_tail;            // ON CONFLICT DO NOTHING
  std::vector<Expression> arguments;  // for `$1`, `$2`, ...; of placeholders nothing
};

constexpr std::string_view kNoPlainLimit = "its LIMIT is neither a number nor a variable of a loop";

// Why it is none.
struct JoinReading {
  std::optional<JoinQuery> query;
  std::string reason;
};

JoinReading read_join(const ProgramStatement& statement, const Schema& schema,
                      const TableServices& services, FreshNames& names);

// The sources whose columns the expression has.
std::vector<std::size_t> sources_in(const Expression& expression);
bool is_known(const Expression& expression);
// `$3`: 3; else none.
std::optional<std::size_t> placeholder_of(const Expression& expression);
Expression source_column(std::size_t source, const std::string& column);

}  // namespace heddle::chopping
