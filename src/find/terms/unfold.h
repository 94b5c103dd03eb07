// A functionality unfolded: its statements in the order in which they may run, each with the
// condition under which it does, loops for as many rounds as a bound says. Values of the client are
// terms, so that what a later statement does with an earlier one's result is known.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "find/forms/statement_form.h"
#include "find/terms/rows.h"
#include "find/terms/span.h"
#include "heddle/program.h"

namespace heddle::find {

class ForeignKeys;

// What is the same for all unfoldings of a functionality.
struct FormedStatement {
  const ProgramStatement* statement = nullptr;
  StatementForm form;
};
// In the order of list_statements().
// `every_table`: form_of()'s.
std::vector<FormedStatement> form_statements(const Functionality& functionality,
                                             const Schema& schema, const ForeignKeys& foreign_keys,
                                             RowSources& every_table);

// Sets StatementForm::reads_idly; all statements of the functionality.
void note_idle_reads(const Functionality& functionality, std::vector<FormedStatement>& statements);

// A row that a query gives the client.
struct FetchedRow {
  std::vector<RowKey> keys;  // of each source
  Term exists;               // whether there is one
};

// A statement that may run.
struct Event {
  std::size_t statement = 0;  // into the formed statements
  const StatementForm* form = nullptr;
  std::vector<std::size_t> rounds;  // of the loops around it, the outermost first, from 0
  std::string viewer;               // what it sees rows as
  Term guard;
  Term refused;  // because of a foreign key, or of keys that it changes or gives to several rows
  Term obtained = {};  // a lock that it only tries to get
  Term undone;         // when its functionality ends in an error, and its transaction with it
  std::vector<SqlValue> arguments;  // $1, $2, ...
  // Of the functionality; a higher number is a later one of the same store, without spans.
  std::size_t transaction = 0;
  std::optional<Span> span = {};  // of its transaction, where several connections are used
  // A command of Redis: a transaction of its own, or of the group that it is in.
  bool is_redis = false;
  std::size_t open_transaction = 0;  // then: that of the database which is open meanwhile
  std::vector<RowKey> result;        // the row of each source that the client gets, if any
  bool is_pinned = false;            // `result` is the only row that it may mean
  Term has_result;                   // whether it gets one, or changes one
  std::vector<FetchedRow> fetched;   // where `result` is not pinned: those it gets, in their order
  std::vector<RowKey> group;         // where each row of the result is one of a group: a row of it
  std::vector<RowKey> in_its_way;  // the row, of another key than its own, by which an INSERT does
                                   // nothing, if it does; may be empty
  std::vector<RowKey> referring;   // of each source, a row in the way because of which it is
                                   // refused, if it is
  std::vector<SqlValue> aggregates;  // the columns of the result of an aggregate
  std::vector<SqlValue> returned;  // what the client gets of the row that it inserts; may be empty
};

// Numbers that a condition of the client compares, where it asks.
struct Border {
  Term live;
  SqlValue one;
  SqlValue other;
  bool is_strict = false;  // whether equal ones are on the side of those that are out of order
};

struct Unfolding {
  std::vector<Event> events;
  std::map<std::string, SqlValue> parameters;
  // When the functionality ends in an error: an outcome like any other, but for what its last
  // transaction wrote.
  std::vector<Term> raises;
  std::vector<Term> refusals;  // when it ends in an error that says: nothing happened, try again
  std::vector<Term> facts;     // what holds of its values
  bool recovers = false;       // from errors, if there are some
  std::vector<Term> overruns;  // when a loop has more rounds than were unfolded
  std::vector<Border> borders = {};  // only for who looks behind loops
  Term reaches_end;
};

struct UnfoldOptions {
  std::size_t rounds = 2;           // of each loop
  std::size_t max_events = 2000;    // the rest is left out
  bool looks_behind_loops = false;  // for overruns and borders
  bool shows_undone = false;        // what is rolled back may have been seen by others
  // Names of errors that say that nothing happened (interpret/refusal.h).
  std::vector<std::string> refusals = {};
  // Whether nobody waits for the terms of the group any more, so that what builds them may throw
  // smt::Abandoned; empty: it never does.
  std::function<bool()> is_abandoned = {};
};

// The statement as one who sees its snapshot only.
std::string in_snapshot(const Event& event);

// As whom the event looks at the rows of a source: a unique index has rows that it does not see
// otherwise, and what changes rows looks at those of its inner values in its snapshot.
std::string viewer_at(const Event& event, std::size_t source);

// When the event runs and what it writes is there for others.
Term lasts(const Event& event, Terms& terms);

// `name` makes its symbols different from those of others.
Unfolding unfold(const Functionality& functionality, const std::vector<FormedStatement>& formed,
                 const std::string& name, Evaluator& evaluator, Rows& rows,
                 const UnfoldOptions& options);

// Of StatementForm::inner_values.
SqlValue inner_value_of(const Event& event, std::size_t number, Evaluator& evaluator, Rows& rows);
// The only row that it may be of; none: that is not known.
std::optional<RowKey> named_by_inner_query(const Event& event, const InnerValue& inner,
                                           Evaluator& evaluator, Rows& rows);

// The values of the columns and of the client that an expression of the event names, in these rows
// as `viewer` sees them.
Lookup lookup_in(const Event& event, const std::vector<RowKey>& keys, std::string viewer,
                 Evaluator& evaluator, Rows& rows);

}  // namespace heddle::find
