// The tables of a statement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/program.h"
#include "heddle/schema.h"

namespace heddle::find {

// Assigned to a column.
struct Assignment {
  std::string column;
  Expression value;
};

// Why a statement uses a table.
enum class SourceRole : std::uint8_t {
  named,      // it says so
  follows,    // rows go or change with those that they refer to, of an earlier source (CASCADE,
              // SET NULL, SET DEFAULT)
  referred,   // rows to which those of an earlier source come to refer have to be there
  referring,  // no row may refer to one that goes or gets another key, of an earlier source
  taken,      // no row may have a unique key that rows of an earlier source come to have
};

// A table as the statement uses it. Expressions name its columns by a field of the variable that
// source_variable() says, and the client's values by variables `$1`, `$2`, ...
struct RowSource {
  const Table* table = nullptr;  // null: a table that no file defines
  std::string name;              // of the table
  std::string alias;             // how the statement calls it
  bool is_read = false;
  bool is_written = false;
  bool is_locked = false;     // FOR UPDATE and its like
  bool is_shared = false;     // FOR SHARE and its like: others may lock it so, too
  bool locks_key = false;     // FOR UPDATE itself: nobody may refer to its rows
  bool keeps_key = false;     // FOR KEY SHARE: others may change all but the keys of its rows
  bool skips_locked = false;  // it waits for nobody
  std::vector<std::string> predicate_columns;  // and of ORDER BY, where only the first row counts
  std::vector<std::string> output_columns;     // also what written values are computed from
  std::vector<std::string> written_columns;
  // Where the predicate says nothing of the rows, as in a subquery: any row may be meant, and there
  // need not be one.
  bool is_any_row = false;
  bool is_inner = false;  // of a query that gives a value (StatementForm::inner_values)
  SourceRole role = SourceRole::named;  // else no expression of the statement names it
  std::size_t referred = 0;             // that earlier source
  std::vector<Expression> reference;    // what holds of a row and of that source's
  bool is_deferred = false;             // it may be looked at when the transaction ends
  // What is done to its rows, where it is not what the statement does.
  StatementKind kind = StatementKind::other;
  std::vector<Assignment> assignments;  // to columns of rows that change with others

  bool is_named() const { return role == SourceRole::named; }
  // Whether it is looked at for a row that decides that the statement is refused.
  bool is_checked() const {
    return role == SourceRole::referred || role == SourceRole::referring ||
           role == SourceRole::taken;
  }
  // Whether one of its rows refuses the statement, whoever reads in a snapshot besides.
  bool is_in_the_way() const { return role == SourceRole::referring || role == SourceRole::taken; }
};

// Copies share what they hold until one of them is changed: statements that may use every table of
// a program are many.
class RowSources {
 public:
  using value_type = RowSource;
  using const_iterator = std::vector<RowSource>::const_iterator;

  const_iterator begin() const { return all().begin(); }
  const_iterator end() const { return all().end(); }
  std::size_t size() const { return all().size(); }
  bool empty() const { return all().empty(); }
  const RowSource& operator[](std::size_t i) const { return all()[i]; }
  // Whether they are the same by being shared.
  bool is_shared_with(const RowSources& other) const { return all_ && all_ == other.all_; }

  RowSource& add(RowSource source) {
    std::vector<RowSource>& own = detach();
    own.push_back(std::move(source));
    return own.back();
  }
  // REQUIRES: i < size().
  RowSource& edit(std::size_t i) { return detach()[i]; }

 private:
  const std::vector<RowSource>& all() const {
    static const std::vector<RowSource> kNone;
    return all_ ? *all_ : kNone;
  }

  std::vector<RowSource>& detach() {
    if (!all_ || all_.use_count() > 1) all_ = std::make_shared<std::vector<RowSource>>(all());
    return *all_;
  }

  std::shared_ptr<std::vector<RowSource>> all_;
};

// All tables, whose rows may all be read and changed, but for their keys.
RowSources rows_of_every_table(const Schema& schema);

// Adds all tables that are not among the sources as those whose rows may all be read: REFRESH
// MATERIALIZED VIEW runs a query that is not known.
void read_every_table(const Schema& schema, RowSources& sources);

std::string source_variable(std::size_t source);
// The source that the leaf is a column of; none: it is a value of the client.
std::optional<std::size_t> source_of(const Expression& leaf);

}  // namespace heddle::find
