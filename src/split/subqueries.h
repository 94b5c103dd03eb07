// Subqueries that can be asked before the statement around them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/program.h"
#include "split/fresh_names.h"
#include "split/services.h"

namespace heddle::chopping {

// The subquery of `x IN (SELECT y ...)`, which became `x = $n`.
struct ListedSubquery {
  std::string text;    // SELECT DISTINCT y ..., with the arguments' numbers of the statement
  std::string column;  // as its rows call it
  std::size_t service = 0;
};

struct LiftedStatement {
  ProgramStatement statement;                   // with `$n` in place of each
  std::vector<RunStatement> before;             // those with one value
  std::map<std::size_t, ListedSubquery> lists;  // by n
  std::string reason;                           // why not; empty: it is done
};

LiftedStatement lift_subqueries(const ProgramStatement& statement, const Schema& schema,
                                const TableServices& services, FreshNames& names);

// A statement with `text`, whose placeholders are those of `like`; those it does not use are left
// out. None: it is no statement.
std::optional<ProgramStatement> statement_with(std::string_view text,
                                               const std::vector<Expression>& arguments,
                                               const ProgramStatement& like, const Schema& schema);

}  // namespace heddle::chopping
