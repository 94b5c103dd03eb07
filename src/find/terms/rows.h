// Rows of tables as terms. A row is named by the values of its primary key; where a table has none
// that stays as it is, by a number of its own. What nobody in sight changes is a function of the
// row alone; everything else is a function of the row and of the operation that looks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "find/forms/generated_columns.h"
#include "find/forms/growing_columns.h"
#include "find/forms/statement_form.h"
#include "find/values/sql_value.h"
#include "heddle/schema.h"

namespace heddle::find {

// The columns that statements change, by table.
class Changes {
 public:
  void add(const StatementForm& form);
  void add(const Changes& other);

  bool changes(const std::string& table, const std::string& column) const;
  // Whether rows that are there get another value.
  bool updates(const std::string& table, const std::string& column) const;
  // Whether rows come or go.
  bool changes_rows(const std::string& table) const;
  // Whether rows go, or others take their place.
  bool loses_rows(const std::string& table) const;

 private:
  std::set<std::pair<std::string, std::string>> columns_;
  std::set<std::pair<std::string, std::string>> updated_;
  std::set<std::string> rows_;
  std::set<std::string> lost_;
};

// The values that name a row.
using RowKey = std::vector<SqlValue>;

// A cell that was asked for; without a column: whether there is such a row.
struct RowUse {
  std::string viewer;
  const RowSource* source = nullptr;
  std::string column;
  RowKey key;
};

// Who looks at rows: each name sees its own version of what changes.
class Rows {
 public:
  // `always`: what the whole program changes; `now`: what the transactions in sight do. All
  // outlive this.
  Rows(Evaluator& evaluator, Dialect dialect, const Changes& always, const Changes& now)
      : evaluator_(evaluator), dialect_(dialect), always_(always), now_(now) {}

  // The columns that name a row; empty: a number does.
  std::vector<std::string> key_columns(const RowSource& source) const;
  RowKey fresh_key(const RowSource& source, std::string_view stem);
  // The row that is met beside another one, by whoever the stem says: the same one each time.
  // Beside all rows that are met themselves it is one: a table that is joined with itself has no
  // end of them.
  RowKey key_beside(const RowSource& source, std::string_view stem, const RowKey& other);
  Term same_key(const RowKey& a, const RowKey& b);
  // `viewer` sees that value in the row.
  SqlValue cell(std::string_view viewer, const RowSource& source, const std::string& column,
                const RowKey& key);
  // Whether `viewer` sees that there is such a row.
  Term exists(std::string_view viewer, const RowSource& source, const RowKey& key);
  // Whether a transaction in sight gives the cell of a row another value, or makes or deletes rows.
  bool updates(const RowSource& source, const std::string& column) const {
    return now_.updates(source.name, column);
  }
  bool changes_rows(const RowSource& source) const { return now_.changes_rows(source.name); }
  bool changes(const RowSource& source, const std::string& column) const {
    return now_.changes(source.name, column);
  }
  Sort sort_of_column(const RowSource& source, const std::string& column) const;
  // What the column holds once the value has been written there.
  SqlValue stored(const RowSource& source, const std::string& column, const SqlValue& value);
  // From now on all that is asked for is appended there; null: no longer. Sources of tables have to
  // outlive it.
  void record(std::vector<RowUse>* uses) { uses_ = uses; }
  // Whether anybody in the program takes rows away, or gives the cell of a row another value.
  bool ever_loses_rows(const RowSource& source) const {
    return !knows_keys() || always_.loses_rows(source.name);
  }
  // Whether rows come or go.
  bool ever_changes_rows(const RowSource& source) const {
    return !knows_keys() || always_.changes_rows(source.name);
  }
  bool ever_updates(const RowSource& source, const std::string& column) const {
    return always_.updates(source.name, column);
  }
  // What transactions out of sight do to unique keys: they do nothing unseen (triggers), and keep
  // them in all that is seen of them, as products do, but not copies that do not see each other.
  enum class Keys : std::uint8_t { open, of_one_copy, of_copies };
  void know_keys(Keys known) { keys_ = known; }
  bool knows_keys() const { return keys_ != Keys::open; }
  // Which columns grow with each version of a row; it outlives this.
  void know_growth(const GrowingColumns& growing) { growing_ = &growing; }
  // Which columns are computed from others; it outlives this.
  void know_generated(const GeneratedColumns& generated) { generated_ = &generated; }
  // The value of the row's column, whose leaves are others of its columns; null: it is stored.
  const Expression* computed(const RowSource& source, const std::string& column) const {
    return generated_ == nullptr ? nullptr : generated_->find(source.name, column);
  }
  // Whether the column does, so that numbers tell which of two versions is the later one.
  bool grows(const RowSource& source, const std::string& column) const;
  // From now on the evaluator is told again which rows unique keys name, of each row that is asked
  // for: who forgets its facts has to.
  void name_rows_again() { named_.clear(); }

 private:
  RowKey new_key(const RowSource& source,
                 const std::function<SqlValue(const std::string&, Sort)>& part);
  std::vector<Term> key_terms(const RowKey& key) const;
  SqlValue cell_seen(std::string_view viewer, const RowSource& source, const std::string& column,
                     const RowKey& key);
  void know_kind(Term value, const TableColumn* column);
  bool is_number_of_mysql(const ColumnType& type) const;
  void name_by_unique_keys(const RowSource& source, const RowKey& key, Term there);

  Evaluator& evaluator_;
  Dialect dialect_;
  const Changes& always_;
  const Changes& now_;
  std::vector<RowUse>* uses_ = nullptr;
  std::set<Term> named_;  // that there are these rows
  std::set<Term> met_;    // parts of keys of rows that are met beside others
  Keys keys_ = Keys::open;
  const GrowingColumns* growing_ = nullptr;
  const GeneratedColumns* generated_ = nullptr;
};

}  // namespace heddle::find
