// Which rows of which tables the queries of one statement look at, make and change: subqueries,
// common tables and what they write are queries of their own.
#pragma once

#include <string>
#include <vector>

#include "frontend/sql/tree.h"
#include "heddle/trace.h"
#include "race/accesses/condition.h"
#include "race/accesses/store_tables.h"

namespace heddle::race {

// One table of one query.
struct RowUse {
  std::string schema = {};
  std::string table = {};
  std::string alias = {};
  Condition condition = always();  // on the rows that it looks at
  bool looks = false;              // it looks at rows that are there
  bool updates = false;
  bool deletes = false;
  bool inserts = false;
  std::vector<KnownRow> new_rows = {};  // of an INSERT; a row without columns may be any
  KnownRow assigned = {};               // of an UPDATE or DO UPDATE; values may be unknown
  bool takes_conflicts = false;         // ON CONFLICT: a row in the way is no error
  std::vector<std::string> conflict_columns = {};  // as it names them; empty: any unique key
};

// `statement`: {"SelectStmt": {...}} and its like, as parse_tree gives it.
std::vector<RowUse> read_row_uses(const sql::Node& statement,
                                  const std::vector<TraceParameter>& parameters,
                                  const StoreTables& tables);

}  // namespace heddle::race
