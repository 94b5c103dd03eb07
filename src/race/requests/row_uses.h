// Which rows the requests of a trace read and wrote, as far as statements, parameters and results
// tell: values of single columns, and where these are not known, the table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heddle/race.h"
#include "heddle/trace.h"
#include "race/requests/predicate_values.h"

namespace heddle {

// Rows of one table, as one statement used them.
struct RowUse {
  std::uint64_t unit = 0;  // the statement
  TraceTime arrived = 0;
  std::string store = {};  // the name that counts
  std::string table = {};  // without its schema; empty: it may be any
  bool is_write = false;
  bool may_insert = false;    // rows that were not there before
  bool is_insert = false;     // and nothing else: it reads no rows but those in its way
  ColumnValues values = {};   // what the columns of these rows may hold; others may hold anything
  ColumnValues written = {};  // what they were set to
  ColumnValues seen = {};     // what was returned of columns that tell rows apart
};

// The rows of each flow, in the order of the trace; statements that may belong to one of several
// flows are with all of these.
std::map<std::uint64_t, std::vector<RowUse>> row_uses(const Trace& trace,
                                                      const RaceSettings& settings);

// The unique keys of a table, or none where the catalogue is not known.
using TableKeys = std::vector<std::vector<std::string>>;
std::map<std::pair<std::string, std::string>, TableKeys> table_keys(const Trace& trace,
                                                                    const RaceSettings& settings);

}  // namespace heddle
