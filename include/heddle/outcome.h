/// What one execution of a schedule showed: results, errors, waits, final rows.
///
/// A Run is the raw record; an Outcome is the part that the oracle compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/schedule.h"

namespace heddle {

/// One cell in the store's own text form; none is SQL NULL.
using Cell = std::optional<std::string>;
using Row = std::vector<Cell>;

/// A column of a result or of a table.
struct Column {
  std::string name;
  std::string table;   ///< "schema.table" the column comes from, empty for expressions
  std::string source;  ///< the column's name in that table
  bool generated =
      false;  ///< fed by a sequence, the clock, random or uuid: compared up to renaming
  /// generated: the columns that share their values, as a key and what references it; the renaming
  /// is a bijection within each domain, so that two sequences may both begin with 1.
  std::string domain = {};
  /// As the store writes it: numeric(12,2); known where sessions call functionalities only.
  std::string type = {};

  friend bool operator==(const Column&, const Column&) = default;
};

/// What one statement returned.
struct ResultSet {
  std::vector<Column> columns;
  std::vector<Row> rows;
  bool ordered = false;     ///< the statement has ORDER BY: the order of the rows counts
  bool has_rows = false;    ///< the statement returns rows, maybe none (SELECT, RETURNING)
  std::string command_tag;  ///< "UPDATE 1"
};

/// Why the store refused a statement.
enum class ErrorClass : std::uint8_t {
  deadlock,
  serialization_failure,
  lock_timeout,
  cancelled,  ///< by heddle's step timeout
  connection_lost,
  refused,  ///< by the program, which says that nothing happened: part of no outcome
  other,    ///< part of the outcome: unique violation, raised exception, ...
};

/// "deadlock", "serialization-failure", "lock-timeout", ...
std::string_view to_string(ErrorClass error_class);

struct StepError {
  ErrorClass error_class = ErrorClass::other;
  std::string code;      ///< SQLSTATE
  std::string severity;  ///< "ERROR"
  std::string message;   ///< primary message
  std::string text;      ///< the whole text, when the store gave no fields

  friend bool operator==(const StepError&, const StepError&) = default;
};

/// Whether errors of this class end a session's part in the run: they are no outcome of what it
/// does but say that it has to be tried again, by the store's concurrency control or the program's
/// own.
constexpr bool ends_session(ErrorClass error_class) {
  return error_class == ErrorClass::deadlock || error_class == ErrorClass::serialization_failure ||
         error_class == ErrorClass::lock_timeout || error_class == ErrorClass::connection_lost ||
         error_class == ErrorClass::refused;
}

/// What a reply holds, in the order in which the server sent it.
struct Reply {
  std::optional<ResultSet> result;
  std::optional<StepError> error;  ///< exactly one of the two is there
};

/// Where a session stands after a step.
enum class TransactionState : std::uint8_t { idle, open, failed };

/// "idle", "open", "failed".
std::string_view to_string(TransactionState state);

/// One step as it was executed.
struct StepRecord {
  StepId step;
  std::size_t launched = 0;   ///< position in the order of all launches and completions of the run
  std::size_t completed = 0;  ///< likewise; 0 when it never completed
  bool waited = false;        ///< the store made it wait for another session
  bool skipped = false;       ///< its session had ended before (deadlock, serialization failure)
  std::vector<SessionId> blocked_by;  ///< the sessions it waited for, when the store tells
  std::vector<std::string> sent;      ///< the texts sent, variables substituted
  /// Where services divide the tables: the first whose tables the step uses; empty: it uses none.
  /// Of a functionality that uses two stores: the name of the one that got the step's command. Of
  /// one that has transactions open on several connections at the same time: "connection 2".
  std::string service = {};
  std::vector<Reply> replies;
  TransactionState state_after = TransactionState::idle;
  /// What the functionality that ended with this step gave its caller: rows, or an error.
  std::optional<Reply> call_end = {};
  /// Of a call, for each of `sent`: which statement of the functionality it is, in the order of
  /// list_statements(); none: BEGIN and the like. Not kept in documents.
  std::vector<std::optional<std::size_t>> statements = {};
  /// Of a call with several connections, for each of `sent`: over which it went. Not kept in
  /// documents.
  std::vector<std::size_t> connections = {};
  /// Of a call, into `replies`: those of attempts that came to nothing and were made again, which
  /// are part of no outcome. Not kept in documents.
  std::set<std::size_t> left_out = {};
};

/// What a person watching the run would see, in order; `isolationtester` prints exactly these.
struct Event {
  enum class Kind : std::uint8_t {
    setup_result,    ///< rows returned by a setup block
    waiting,         ///< the step was reported as waiting
    completed,       ///< the step completed at once
    late_completed,  ///< the step completed after it had been reported as waiting
    notice,          ///< `text` is the notice, `session` who got it
    notification,    ///< NOTIFY; `text` is the whole line
    cancelled,       ///< the step was cancelled after the step timeout; `text` is the whole line
    setup_failed,    ///< `text` is the error; the run ends
    teardown_result,
    teardown_failed,
  };

  Kind kind = Kind::completed;
  SessionId session;
  bool global = false;         ///< of the scenario's own setup or teardown: `session` means nothing
  std::size_t record = 0;      ///< into Run::records for waiting, completed, late_completed
  std::vector<Reply> replies;  ///< of setup and teardown blocks
  std::string text;
};

/// The rows of one user table, sorted.
struct TableState {
  std::string name;  ///< "public.account", schema left out when it is public
  std::vector<Column> columns;
  std::vector<Row> rows;
};

struct InvariantOutcome {
  std::string name;
  bool holds = true;
  std::vector<Row> counterexample;  ///< the first rows that were not true, with `columns`
  std::vector<std::string> columns;
};

/// How a run ended.
enum class RunEnd : std::uint8_t {
  complete,
  timed_out,  ///< a step did not return within the step timeout
  setup_failed,
  connection_lost,
  interrupted,
};

/// "complete", "timed-out", "setup-failed", "connection-lost", "interrupted".
std::string_view to_string(RunEnd end);

struct Run {
  Schedule planned;
  std::vector<StepRecord> records;  ///< in the order of launch
  std::vector<Event> events;
  std::vector<TableState> tables;  ///< final state, sorted by name
  std::vector<InvariantOutcome> invariants;
  std::vector<SessionId> aborted;  ///< ended by deadlock, serialization failure, lock timeout
  RunEnd end = RunEnd::complete;
  std::string trouble;  ///< what went wrong unless complete
};

}  // namespace heddle
