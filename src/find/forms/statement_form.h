// What a statement does to rows, as expressions over the columns of its tables and the client's
// values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "find/forms/named_locks.h"
#include "find/forms/row_sources.h"
#include "heddle/program.h"
#include "heddle/schema.h"

namespace heddle::find {

// One expression of ORDER BY.
struct OrderKey {
  Expression value;
  bool descending = false;
};

// A value of a query within the statement, in whose expressions inner_value() stands for it: an
// aggregate of the rows of a source, or a column of the only one that there may be.
struct InnerValue {
  std::size_t source = 0;  // StatementForm::joined_by says which of its rows
  Expression value;
};

struct StatementForm {
  StatementKind kind = StatementKind::other;
  RowSources sources;
  std::vector<Expression> conjuncts;  // of the predicate; what is not understood is unknown
  // What a row of one source meets that must not be there (NOT EXISTS).
  std::vector<std::pair<std::size_t, Expression>> absences;
  // What the rows of a source are joined by that may be missing (LEFT JOIN), or that an inner value
  // is of.
  std::vector<std::pair<std::size_t, Expression>> joined_by;
  std::vector<InnerValue> inner_values;
  std::vector<Assignment> assignments;        // to columns of the written table
  std::vector<std::vector<Assignment>> made;  // the same of an INSERT of several rows, of each
  std::vector<Assignment> updates;            // of an INSERT, to the row in its way
  std::vector<Expression> checks;  // that what is written may break, over the written table
  std::vector<Expression> outputs;
  std::vector<std::string> output_names;
  std::vector<NamedLock> locks;
  std::vector<NamedLock> releases;
  bool only_locks = false;    // a table, or by a name, for which no snapshot is taken
  bool is_aggregate = false;  // what it gives is of many rows
  ResultRows result_rows = ResultRows::each;
  bool drops_rows = false;   // perhaps it gives none although it finds some
  bool stops_early = false;  // it may not look at all rows of which its predicate holds
  bool takes_first = false;  // LIMIT 1 on one table, in this order
  bool gives_all = false;    // a query of one table, all rows of its predicate, in this order
  std::vector<OrderKey> order;
  bool on_conflict = false;
  bool keeps_existing = false;   // ON CONFLICT DO NOTHING: writes only where no row is in its way
  bool meets_other_key = false;  // the row in its way may have another key than the one made
  bool may_pass_over = false;    // ... and it is not known whether it is in its way, or is changed
  bool is_stopped_by_rows = false;  // ... by nothing else than a row in its way
  bool inserts_query = false;       // INSERT ... SELECT: how many rows is not known
  // A plain INSERT of one row: the store refuses it where a row is in its way, by any of the unique
  // keys whose values are known. The conjuncts say which rows are.
  bool checks_keys = false;
  // ON CONFLICT of a key other than the primary one, which is known: a unique index says which row
  // is in its way, and lets it wait for who is about to make one.
  bool asks_index = false;
  bool is_blind = false;  // changes rows that it names by values of the client alone, and
                          // nobody looks at how many: all it reads is whether they are there,
                          // and nothing keeps it from changing them if they are
  // Such a DELETE where an earlier transaction of its functionality has read rows of the table:
  // what that did goes by a row which another one may have taken meanwhile.
  bool takes_what_was_read = false;

  // It may do anything, and is taken for two updates of any rows of all tables.
  bool is_unknown = false;

  // In a search for other rows (FindOptions::internal_only): nothing of what this query finds has a
  // say in what its functionality writes, so that no dependency of it counts.
  bool reads_idly = false;

  // Whether nobody knows which row is in the way of an INSERT.
  bool meets_any_row() const { return meets_other_key && conjuncts.empty(); }
  // Whether an INSERT finds the row that it has made itself in its way.
  bool keeps_own_row() const {
    return keeps_existing && !inserts_query && !may_pass_over && !conjuncts.empty() &&
           conjuncts.front().kind != ExpressionKind::literal;
  }
  // Whether an INSERT changes the row in its way, if there is one.
  bool updates_row() const { return !updates.empty(); }
  // What it does to the rows of a source.
  StatementKind kind_at(std::size_t source) const {
    return sources[source].kind == StatementKind::other ? kind : sources[source].kind;
  }
  bool makes(std::size_t source) const { return kind_at(source) == StatementKind::insert; }
  bool updates_rows(std::size_t source) const { return kind_at(source) == StatementKind::update; }
  bool removes(std::size_t source) const {
    const StatementKind done = kind_at(source);
    return done == StatementKind::delete_ || done == StatementKind::truncate;
  }
  // Whether the rows that it makes have numbers for keys that the table counts up, so that none of
  // them was there before.
  bool makes_numbered_rows(std::size_t source) const;
  // Whether it changes one row, and all that it reads is the key of that.
  bool changes_named_row() const;
  // Whether the store looks at other rows, or at what it leaves, before it lets it change one.
  bool may_be_refused() const;
  bool deletes() const { return kind == StatementKind::delete_ || kind == StatementKind::truncate; }
  // How many tables the statement itself names, beside its inner values; those behind them are
  // there because of foreign keys.
  std::size_t named_sources() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        sources, [](const RowSource& source) { return source.is_named() && !source.is_inner; }));
  }
  // Whether it finds rows of the source only where there are some.
  bool may_miss(std::size_t source) const {
    const bool is_absence =
        std::ranges::any_of(absences, [&](const auto& absence) { return absence.first == source; });
    return sources[source].is_named() && sources[source].is_any_row && !sources[source].is_inner &&
           !is_absence;
  }
  // Whether its query goes through the rows of a source.
  bool is_looked_at(std::size_t source) const {
    const RowSource& of = sources[source];
    return of.is_named() && !of.is_any_row && !(makes(source) && of.is_written);
  }
  bool has(SourceRole role) const {
    return std::ranges::find(sources, role, &RowSource::role) != sources.end();
  }
  bool reads() const { return std::ranges::any_of(sources, &RowSource::is_read); }
  bool writes() const { return std::ranges::any_of(sources, &RowSource::is_written); }
  // Whether the output says if a lock has been got.
  bool tries_lock(std::size_t output) const {
    return std::ranges::any_of(locks, [&](const NamedLock& lock) { return lock.tried == output; });
  }
};

// `is_observed`: the client looks at how many rows it found. `every_table`: shared by the forms of
// all statements that may use any table; made where it is empty.
StatementForm form_of(const ProgramStatement& statement, const Schema& schema, bool is_observed,
                      RowSources& every_table);
// None of these knows foreign keys (foreign_keys.h).
StatementForm form_of(const ProgramStatement& statement, const Schema& schema, bool is_observed);
// Of a statement that stands alone.
StatementForm form_of(const Statement& statement, const Schema& schema);

}  // namespace heddle::find
