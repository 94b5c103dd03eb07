/// Statement: what one SQL statement reads, writes and locks, as far as its text tells; or one
/// command of Redis.
///
///   Result<std::vector<Statement>> statements =
///       parse_statements("UPDATE account SET balance = balance - 10 WHERE id = 1",
///       Dialect::postgres);
///   (*statements)[0].kind                        // StatementKind::update
///   (*statements)[0].tables[0].columns_written   // {"balance"}
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle {

struct Schema;  ///< the tables of a database, heddle/schema.h

/// Whose SQL it is; of Redis, its commands, one per line as redis-cli takes them.
enum class Dialect : std::uint8_t { postgres, mysql, sqlite, redis };

enum class StatementKind : std::uint8_t {
  select,
  insert,
  update,
  delete_,
  merge,
  truncate,
  lock_table,
  begin,
  commit,
  rollback,
  savepoint,
  rollback_to_savepoint,
  release_savepoint,
  prepare_transaction,
  commit_prepared,
  rollback_prepared,
  set,                 ///< SET, RESET, SHOW
  set_transaction,     ///< SET TRANSACTION, SET SESSION CHARACTERISTICS
  data_definition,     ///< CREATE, ALTER, DROP of objects of the database
  cluster_definition,  ///< roles, databases, tablespaces, ALTER SYSTEM: beyond one database
  maintenance,         ///< VACUUM, ANALYZE, REINDEX, CLUSTER, CHECKPOINT
  call,                ///< CALL, DO: code we do not follow
  notify,              ///< LISTEN, NOTIFY, UNLISTEN
  cursor,              ///< DECLARE, FETCH, MOVE, CLOSE
  prepare,             ///< PREPARE, EXECUTE, DEALLOCATE
  copy,
  explain,
  other,  ///< anything else: reads and writes everything, as far as we know
};

/// "select", "lock table", "rollback to savepoint": the enumerator in words.
std::string_view to_string(StatementKind kind);

/// FOR UPDATE and its weaker forms.
enum class LockingClause : std::uint8_t { none, key_share, share, no_key_update, update };
/// "for no key update"; empty for none.
std::string_view to_string(LockingClause clause);
/// What a locking clause does about rows that are locked.
enum class WaitPolicy : std::uint8_t { wait, nowait, skip_locked };
/// "nowait", "skip locked"; empty for wait.
std::string_view to_string(WaitPolicy policy);

/// What the outermost query of a statement makes of the rows that it finds.
enum class ResultRows : std::uint8_t {
  each,    ///< one for each
  groups,  ///< one for each group of them (GROUP BY, HAVING, DISTINCT, UNION)
  one,     ///< one, also of none (aggregates without GROUP BY and HAVING)
};

/// A table as one statement uses it.
struct TableUse {
  std::string schema;  ///< empty when the text does not name one
  std::string table;   ///< folded as the dialect folds names
  std::string alias;   ///< empty: none
  bool read = false;
  bool written = false;
  std::vector<std::string> columns_read;  ///< sorted; "*" stands for all
  std::vector<std::string>
      columns_written;  ///< sorted; "*" stands for all (INSERT without a list, DELETE)
  LockingClause locking = LockingClause::none;
  WaitPolicy wait_policy = WaitPolicy::wait;
  /// The statement may find rows where this table has none for them: it stands in a subquery, in a
  /// part of a UNION, or on the side of an outer join whose rows may be missing.
  bool may_be_missing = false;
  /// Of such a table: which of its rows matter, as SQL text, which may name tables around it and
  /// beside it. Empty: any.
  std::string join_condition = {};
};

/// `column = expression` of an INSERT or UPDATE.
struct WrittenValue {
  std::string table;
  std::string column;        ///< empty when the INSERT names no columns: `position` tells
  std::size_t position = 0;  ///< in the list of written columns, from 0
  std::string expression;    ///< SQL text
  std::vector<std::string> columns_read;  ///< columns the expression mentions
  bool generated = false;    ///< the expression calls a sequence, the clock, random or uuid
  std::size_t row = 0;       ///< of an INSERT's VALUES, from 0
  bool on_conflict = false;  ///< of DO UPDATE or ON DUPLICATE KEY UPDATE
};

/// What PostgreSQL calls a column for which it has no name.
inline constexpr std::string_view kUnnamedColumn = "?column?";

/// One column of what the statement returns.
struct OutputColumn {
  std::string name;        ///< alias, or as PostgreSQL calls it; empty where it has no name for it
  std::string expression;  ///< SQL text; "*" for all
  std::vector<std::string> columns_read;
  bool generated = false;  ///< calls a sequence, the clock, random or uuid
  bool is_count = false;   ///< count(...): never fed by the values of the columns it mentions
};

/// Fragments of SQL (the predicate, expressions) are in PostgreSQL's syntax for all dialects. A
/// command of Redis uses the table `redis`, whose rows are keys: its predicate is `key = 'a'`,
/// `key IN ('a', 'b')`, or empty, and what is sent between MULTI and EXEC happens at EXEC.
struct Statement {
  StatementKind kind = StatementKind::other;
  std::string text;         ///< the statement as written, without the semicolon
  SourcePosition position;  ///< of its first token, within the text given to the parser
  std::vector<TableUse> tables;
  std::string predicate;  ///< WHERE (and ON) as SQL text; empty: all rows
  /// The predicate without what outer joins say of the side that may be missing.
  std::string filter = {};
  std::vector<std::string> predicate_columns;
  bool single_table_predicate = false;  ///< one table, no subquery, no set-returning or unknown
                                        ///< call: can be evaluated row by row
  bool ordered = false;                 ///< the outermost query has ORDER BY
  bool limited = false;                 ///< LIMIT or OFFSET
  bool aggregate = false;               ///< aggregates or GROUP BY or DISTINCT: a predicate read
  ResultRows result_rows = ResultRows::each;
  bool drops_rows = false;  ///< HAVING, OFFSET, EXCEPT, ...: perhaps no result, whatever it finds
  bool returns_rows = false;
  bool on_conflict = false;  ///< INSERT ... ON CONFLICT / ON DUPLICATE KEY / IGNORE / REPLACE
  bool replaces = false;     ///< REPLACE: rows in its way are deleted
  /// Of ON CONFLICT, as it names them, `*` for an expression; empty: any unique key.
  std::vector<std::string> conflict_columns = {};
  bool calls_unknown_function = false;  ///< a function that may read or write anything
  std::vector<WrittenValue> values;
  std::vector<OutputColumn> output;
  std::optional<std::string>
      isolation;  ///< level named by BEGIN, START or SET TRANSACTION, lower case
  std::optional<bool> read_only;
  std::optional<bool> deferrable;
  std::vector<std::string> functions;  ///< names of called functions, sorted, lower case
  std::vector<std::string>
      over_approximated;  ///< constructs we could not read exactly, for diagnostics
};

/// Splits and reads a text of several statements. An error has bad_input and the position within
/// `sql`; of Redis there is none but that of a quote that is not closed. Statements that parse but
/// that we do not know become StatementKind::other.
Result<std::vector<Statement>> parse_statements(std::string_view sql, Dialect dialect);

/// MySQL text to text that PostgreSQL's parser reads (backticks, `?`, LIMIT a,b, index hints,
/// ON DUPLICATE KEY ...). Positions are kept where the rewriting allows it.
std::string rewrite_mysql(std::string_view sql);

/// A statement in the words of another dialect.
struct PrintedStatement {
  std::string text;  ///< without a semicolon
  /// Which placeholder of the source each placeholder of `text` stands for, counted from 1. In
  /// MySQL and SQLite the placeholders of `text` are `?`, and this has one number for each of them,
  /// in the order of the text; a number may come twice. In PostgreSQL `$n` keeps its number, and
  /// this is 1, 2, ... up to the highest.
  std::vector<std::size_t> parameters;
};

/// Says one data statement or statement of transaction control of the dialect `from` in the dialect
/// `to`: SELECT, VALUES, INSERT, UPDATE, DELETE, BEGIN, COMMIT, ROLLBACK, SAVEPOINT. Between equal
/// dialects the meaning stays exactly what it was. Between others it does as far as the text alone
/// can tell; what belongs to the schema or to the store's ways stays theirs: collations of columns,
/// how many digits a quotient has, how a value is written out (true or 1), what is an error. MySQL
/// means MariaDB 10.11. Names are taken as the store of `from` compares them: where it ignores
/// case, lower case goes to PostgreSQL.
///
/// `schema`, the tables that `sql` is about: PostgreSQL wants to hear which unique key of a row is
/// in the way of an INSERT, and MySQL and SQLite do not say it. Where the row can meet only one key
/// of the table, ON DUPLICATE KEY UPDATE, REPLACE and INSERT IGNORE become ON CONFLICT of that key;
/// where it can meet none, a plain INSERT. A REPLACE updates all columns of the row instead of
/// deleting it, so that rows that refer to it stay.
///
/// An error has bad_input, the position within `sql`, the construct, and why `to` cannot express
/// it; or bound, when the statement is nested too deeply. Nothing is left out silently, other than
/// comments.
Result<PrintedStatement> print_statement(std::string_view sql, Dialect from, Dialect to,
                                         const Schema* schema = nullptr);

/// Splits a text at top-level semicolons as psql does, without parsing; never fails. Comments,
/// quotes, dollar quotes and BEGIN ATOMIC bodies are respected. Offsets count bytes.
struct StatementText {
  std::size_t offset = 0;
  std::string text;
};
std::vector<StatementText> split_statements(std::string_view sql);

}  // namespace heddle
