// In which order a caller asks the services for the parts of a join, and what each is asked.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "split/join_query.h"

namespace heddle::chopping {

// What one service is asked about one table, or about several that it can join itself.
struct JoinPart {
  std::vector<std::size_t> sources;
  bool is_pinned = false;  // it has at most one row
  bool is_optional = false;
  Expression row;                                           // the variable of its row
  std::vector<std::pair<std::size_t, std::string>> needed;  // columns that are used later
  ProgramStatement statement;
  std::vector<Expression> filters;  // of WHERE, which the caller checks then
};

struct JoinPlan {
  std::vector<JoinPart> parts;
  // What the caller calls a column once it has it.
  std::map<std::pair<std::size_t, std::string>, Expression> columns;
  // No value of a column that is counted comes twice.
  bool counts_once = false;
  // Several rows of a part may be gone through.
  bool has_loops = false;
  std::optional<ProgramStatement> write;  // of UPDATE, DELETE and INSERT
};

// Why there is none.
struct JoinPlanning {
  std::optional<JoinPlan> plan;
  std::string reason;
};

// `like`: the statement that is divided.
JoinPlanning plan_join(const JoinQuery& query, const ProgramStatement& like, const Schema& schema,
                       FreshNames& names);

// A query of no table that has what the join returns as its row, or nulls.
std::optional<ProgramStatement> row_statement(const JoinQuery& query, const JoinPlan& plan,
                                              const ProgramStatement& like, const Schema& schema,
                                              bool has_row);

// Of a variable with a column's value; empty: it is not known.
std::string variable_type(const ColumnType& type);

// As the caller computes it from the rows that it has.
Expression in_client(const Expression& expression, const JoinQuery& query, const JoinPlan& plan);

}  // namespace heddle::chopping
