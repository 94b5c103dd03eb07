// What transactions read and find when nothing is left open: of each cell the last version that
// the statement sees of those that the transactions write, else what the table held at the
// beginning; of each query all rows that are there, and no others.
//
// A formula about a cycle alone leaves open what its statements see of everything else. This closes
// it, so that its solution is a database with rows and a run on it. Rows that nobody names are not
// there. What joins of several tables find is left open, and so is what triggers do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "find/search/filled_row.h"
#include "find/search/other_writes.h"
#include "find/terms/group.h"
#include "find/terms/order.h"
#include "find/terms/row_effects.h"

namespace heddle::find {

// A row that may be in a table at the beginning.
struct InitialRow {
  const RowSource* source = nullptr;
  RowKey key;
  Term exists;
  std::map<std::string, SqlValue> cells;  // those that matter, without the key
};

// The first number that the store gives a generated column, beyond those of these rows.
std::int64_t first_generated(const std::vector<FilledRow>& rows);

class ClosedWorld {
 public:
  // Whether there may be rows at the beginning that no statement names. They are counted by
  // aggregates, which are left open then.
  enum class Others : std::uint8_t { possible, absent };
  // All outlive it. `uses`: where the group's rows record what is asked of them, since before the
  // formula was built. REQUIRES: all statements that read or write are points of the order.
  ClosedWorld(Group& group, Order& order, std::vector<RowUse>& uses, Others others);

  // Other transactions may write meanwhile: what these are known to write, each statement may see
  // at any time. It outlives this.
  void admit(const OtherWrites& others) { other_writes_ = &others; }
  // The tables hold these rows at the beginning and no others. The rows outlive it.
  void give(const std::vector<FilledRow>& rows);
  // What holds of everything that was asked for until now.
  std::vector<Term> close();
  // Of the last close(): that the store refuses nothing of what is written.
  const std::vector<Term>& accepted() const { return accepted_; }
  // Of the last close(). Two of them may be one row: their keys tell.
  const std::vector<InitialRow>& rows() const { return rows_; }

 private:
  struct Writer {
    std::size_t point = 0;
    const Event* event = nullptr;
    std::size_t source = 0;
  };
  // A statement that looks at rows: at all that it sees, or at those of its snapshot.
  struct Viewer {
    std::size_t point = 0;
    bool is_snapshot = false;
    bool is_index = false;  // a unique one, which knows the newest rows
  };
  // A version that a statement may see, and what the cell is then.
  struct Version {
    std::size_t point = 0;
    Term is_seen;
    SqlValue value;  // for rows: whether there is one
    bool is_known = true;
  };

  void ask_again();
  void see(const RowUse& use);
  std::vector<Term> key_terms(const RowUse& use) const;
  std::size_t row_of(const RowUse& use);
  Term sees_newest(const RowUse& use, const Viewer& viewer);
  bool looks_for_referring(const RowUse& use, const Viewer& viewer) const;
  Term touches(const Writer& writer, const RowKey& key);
  std::vector<Version> versions_of(const RowUse& use, const Viewer& viewer);
  void close_cell(const RowUse& use, const Viewer& viewer);
  std::optional<Term> seen_of_others(const RowUse& use, const SqlValue& seen);
  bool is_stored_as_given(const RowUse& use) const;
  void close_query(const Event& event, const InitialRow& row);
  void close_join(const Event& event);
  void close_choice(const Event& event, std::vector<RowKey>& keys, std::size_t& left);
  void close_aggregates(const Event& event);
  void ask_inner_values(const Event& event);
  void close_inner_values(const Event& event);
  SqlValue aggregate(const Event& event, const Expression& call, std::size_t source,
                     const std::string& viewer);
  std::vector<RowKey> keys_of(const std::string& table) const;
  void hold_same(const Event& event, const SqlValue& seen, const SqlValue& value);
  void close_key(const InitialRow& row);
  void close_checks(const InitialRow& row);
  void accept(const Event& event, std::size_t source, const RowKey& key);
  void close_unique(const InitialRow& a, const InitialRow& b);
  void ask_references(const Event& event);
  void close_writes();
  void close_returned(const Event& event, std::size_t source, const RowKey& key);
  using CellOf = std::function<SqlValue(const std::string& column)>;
  void close_references(const InitialRow& row);
  void close_references(const Event& event, std::size_t source, const RowKey& key);
  void refer(const Table& table, Term condition, std::string_view viewer, const CellOf& cell);
  void end_references(const Table& table, const ForeignKeyConstraint& foreign, const Table& target,
                      Term condition, const CellOf& cell);
  void close_generated();
  std::optional<SqlValue> given_value(const FilledRow& row, const std::string& column);
  void close_given();
  void close_facts();
  void close_fact(const StatementForm& fact, std::vector<std::size_t>& chosen, std::size_t& left);
  // When a check of the table refuses a row of these cells.
  Term refuses(const Table& table, const CellOf& cell);

  Group& group_;
  Order& order_;
  Evaluator& evaluator_;
  Terms& terms_;
  Rows& table_rows_;
  RowEffects effects_;
  std::map<std::string, Viewer> viewers_;
  std::vector<RowUse>& uses_;
  Others others_;
  const OtherWrites* other_writes_ = nullptr;  // null: there are none
  std::size_t seen_ = 0;                       // of uses_
  std::set<std::pair<std::string, std::vector<Term>>> known_uses_;
  std::map<std::pair<std::string, std::vector<Term>>, std::size_t> numbers_;  // of rows_
  std::map<std::pair<std::size_t, std::vector<Term>>, Term> touches_;         // by point and source
  std::size_t extremes_ = 0;                                                  // so many have names
  std::vector<InitialRow> rows_;
  std::vector<Term> holds_;
  std::vector<Term> accepted_;
  std::deque<RowSource> referenced_;  // and given
  // A row that the user gives, and which of rows_ it is.
  struct GivenRow {
    const FilledRow* row = nullptr;
    std::size_t number = 0;
  };
  bool has_given_ = false;
  std::int64_t first_generated_ = 0;
  std::map<std::string, std::vector<GivenRow>> given_;  // by table
};

}  // namespace heddle::find
