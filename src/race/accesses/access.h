// Access: what one statement of a trace reads and writes of one table: which rows, which columns.
//
//   const ParsedText parsed = parse_text(statement.text);
//   for (const Access& each : read_accesses(statement, parsed, tables)) use(each.table,
//   each.looks);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/statement.h"
#include "heddle/trace.h"
#include "race/accesses/condition.h"
#include "race/accesses/parsed_text.h"
#include "race/accesses/store_tables.h"

namespace heddle::race {

// Stands for all tables of a store.
inline constexpr std::string_view kAnyTable = "*";

struct Access {
  std::uint64_t unit = 0;
  std::size_t place = 0;   // of the statement in the unit's text
  std::string table = {};  // "public.seats"; kAnyTable
  const TraceTable* definition = nullptr;
  StatementKind kind = StatementKind::other;

  // Names of columns, sorted; "*" stands for all.
  std::vector<std::string> columns_read = {};
  std::vector<std::string> columns_written = {};
  std::vector<std::string> deciding_columns = {};  // that say which rows it looks at

  bool reads = false;  // rows that are there
  bool updates = false;
  bool deletes = false;
  bool inserts = false;
  Condition looks = always();           // on the rows that it reads, updates, deletes
  std::vector<KnownRow> there = {};     // that stand for those, as partial_rows() does
  std::vector<KnownRow> new_rows = {};  // of an INSERT
  std::vector<std::string> drawn = {};  // columns of these whose values the store made up
  KnownRow assigned = {};               // of an UPDATE

  std::vector<KnownRow> seen = {};  // rows that were there and that it returned
  bool has_seen_all = false;        // it looked at no others
  bool is_coarse = false;           // the trace does not tell which rows
  std::uint64_t rows = 0;           // that it returned or changed
  std::size_t uses = 0;             // queries of the statement that use the table
  std::string through = {};         // "trigger total", "ON DELETE CASCADE of items(order_id)"
  bool takes_snapshots = false;     // it looks at rows later than the statement itself does

  bool takes_conflicts = false;  // ON CONFLICT
  LockingClause locking = LockingClause::none;
  WaitPolicy wait_policy = WaitPolicy::wait;
  bool is_from_memory = false;  // a service answered from what it had read before

  bool writes() const { return updates || deletes || inserts; }
};

// What the statement does to each table; nothing where it was not executed. Deterministic.
std::vector<Access> read_accesses(const TraceStatement& unit, const ParsedText& parsed,
                                  const StoreTables& tables);

// Whether a table's rows are told apart by the column: it is of a unique key or refers to another
// table, its name says so (id, uid, guid, key, serial, *_id), or it fits a pattern of the team.
bool is_identity(const TraceTable* table, std::string_view column,
                 const std::vector<std::string>& patterns);

}  // namespace heddle::race
