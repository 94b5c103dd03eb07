/// Schema: the tables of a database as its CREATE TABLE files define them.
///
///   SchemaReading reading = parse_schema(
///       "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0))",
///       Dialect::postgres);
///   const Table* account = find_table(reading.schema, "account", Dialect::postgres);
///   account->primary_key                      // {"id"}
///   account->checks[0].expression             // "balance >= 0"
///   find_column(*account, "balance", Dialect::postgres)->type.type   // ValueType::integer32
///   print_schema(reading.schema, Dialect::mysql).text                // CREATE TABLE `account` ...
///
/// Fragments of SQL (defaults, checks, generated columns) are in PostgreSQL's syntax for all
/// dialects, as those of Statement are. Names are folded as a Statement's of PostgreSQL are; those
/// of MySQL and SQLite stay as written, because they are compared regardless of case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "heddle/statement.h"
#include "heddle/value_type.h"

namespace heddle {

/// A type with all that its text says.
struct ColumnType {
  ValueType type = ValueType::unknown;       ///< of a domain: that of its base type
  ValueType element = ValueType::unknown;    ///< of an array
  std::vector<std::uint32_t> arguments = {}; /**< varchar(10): 10; numeric(10,2): 10 and 2; time(3):
                                                  3. Empty: not given, or not numbers. */
  bool is_unsigned = false;                  ///< MySQL; `type` is wide enough for its values
  std::vector<std::string> labels = {};      ///< of an enumeration, in its order
  std::string text = {};  ///< as written, in the syntax of Schema::dialect; empty: none (SQLite)

  friend bool operator==(const ColumnType&, const ColumnType&) = default;
};

/// Where a value comes from when an INSERT gives none, other than from the column's default.
enum class Generation : std::uint8_t {
  none,
  identity,    ///< a new number: serial, IDENTITY, AUTO_INCREMENT, DEFAULT nextval(...), the key of
               ///< SQLite's rowid
  expression,  ///< computed from other columns; it can never be written
};

struct TableColumn {
  std::string name = {};
  ColumnType type = {};
  bool not_null = false;                ///< also where a primary key says so
  std::string default_expression = {};  ///< SQL text; empty: none
  Generation generation = Generation::none;
  bool always_generated = false;           ///< GENERATED ALWAYS: an INSERT may not give it
  std::string generation_expression = {};  ///< SQL text, of Generation::expression
  bool written_by_any_update = false;      ///< MySQL's ON UPDATE CURRENT_TIMESTAMP
  SourcePosition position = {};

  friend bool operator==(const TableColumn&, const TableColumn&) = default;
};

/// When a constraint is checked: at each statement, or at COMMIT if a transaction asks for it, or
/// at COMMIT unless a transaction asks otherwise.
enum class CheckTime : std::uint8_t { statement, deferrable, deferred };

/// UNIQUE, or a unique index of all rows on plain columns.
struct UniqueConstraint {
  std::string name = {};  ///< empty: not named
  std::vector<std::string> columns = {};
  bool nulls_not_distinct = false;
  CheckTime check_time = CheckTime::statement;
  SourcePosition position = {};

  friend bool operator==(const UniqueConstraint&, const UniqueConstraint&) = default;
};

/// What happens to rows whose referenced row is deleted or gets another key.
enum class ReferentialAction : std::uint8_t { no_action, restrict, cascade, set_null, set_default };

struct ForeignKeyConstraint {
  std::string name = {};  ///< empty: not named
  std::vector<std::string> columns = {};
  std::string referenced_schema = {};  ///< empty when the text does not name one
  std::string referenced_table = {};
  std::vector<std::string> referenced_columns =
      {};  ///< the primary key's, where the text names none
  ReferentialAction on_delete = ReferentialAction::no_action;
  ReferentialAction on_update = ReferentialAction::no_action;
  CheckTime check_time = CheckTime::statement;
  SourcePosition position = {};

  friend bool operator==(const ForeignKeyConstraint&, const ForeignKeyConstraint&) = default;
};

struct Check {
  std::string name = {};                  ///< empty: not named
  std::string expression = {};            ///< SQL text, without the parentheses around it
  std::vector<std::string> columns = {};  ///< that it mentions, sorted
  SourcePosition position = {};

  friend bool operator==(const Check&, const Check&) = default;
};

struct Table {
  std::string schema = {};  ///< empty when the text does not name one
  std::string name = {};
  bool columns_known = true;  ///< false: CREATE TABLE ... AS, whose query tells them
  std::vector<TableColumn> columns = {};
  std::vector<std::string> primary_key = {};  ///< empty: none
  std::string primary_key_name = {};          ///< empty: not named
  std::vector<UniqueConstraint> unique_constraints = {};
  bool unique_known = true;  ///< false: it has others, of some rows or on expressions, or one that
                             ///< excludes more than equal values
  std::vector<ForeignKeyConstraint> foreign_keys = {};
  std::vector<Check> checks = {};
  SourcePosition position = {};

  friend bool operator==(const Table&, const Table&) = default;
};

/// CREATE SEQUENCE; those that belong to columns are not listed.
struct Sequence {
  std::string schema = {};
  std::string name = {};
  SourcePosition position = {};

  friend bool operator==(const Sequence&, const Sequence&) = default;
};

/// CREATE TYPE ... AS ENUM. MySQL's enumerations are in their columns alone.
struct Enumeration {
  std::string schema = {};
  std::string name = {};
  std::vector<std::string> labels = {};
  SourcePosition position = {};

  friend bool operator==(const Enumeration&, const Enumeration&) = default;
};

/// CREATE DOMAIN. Its checks call the value VALUE.
struct Domain {
  std::string schema = {};
  std::string name = {};
  ColumnType type = {};
  bool not_null = false;
  std::string default_expression = {};
  std::vector<Check> checks = {};
  SourcePosition position = {};

  friend bool operator==(const Domain&, const Domain&) = default;
};

/// CREATE VIEW. Materialized views are no views here: their rows are those of the last REFRESH.
struct View {
  std::string schema = {};
  std::string name = {};
  std::vector<std::string> columns = {};  ///< their names, where the text gives some
  std::string query = {};                 ///< SQL text, in the syntax of Schema::dialect
  SourcePosition position = {};

  friend bool operator==(const View&, const View&) = default;
};

/// In the order of the text, which is an order in which they can be created but for foreign keys.
struct Schema {
  Dialect dialect = Dialect::postgres;  ///< of the text it was read from
  std::vector<Enumeration> enumerations = {};
  std::vector<Domain> domains = {};
  std::vector<Sequence> sequences = {};
  std::vector<Table> tables = {};
  std::vector<View> views = {};

  friend bool operator==(const Schema&, const Schema&) = default;
};

/// What a text of definitions says, and what is wrong with it. Positions are those in the text.
struct SchemaReading {
  Schema schema;
  std::vector<Diagnostic> errors =
      {};  ///< wrong or unreadable: the schema lacks what they are about
  std::vector<Diagnostic> notes = {};  ///< not read exactly: a constraint or a type is missing
};

/// Reads CREATE, ALTER and DROP of tables, unique indices, sequences, enumerations, domains and
/// views one after the other, as a database would. All other statements, the data of COPY and the
/// commands of psql are skipped. Never fails as a whole; whoever needs an exact schema refuses one
/// with errors. REQUIRES: dialect is not Dialect::redis.
SchemaReading parse_schema(std::string_view sql, Dialect dialect);

/// The dialect that definitions can only be of, by words such as AUTO_INCREMENT, names in backticks
/// or serial columns; none: they may be of any. Cheap: it looks at tokens.
std::optional<Dialect> recognise_dialect(std::string_view sql);

/// The table of that name, or nullptr. PostgreSQL: names are equal or not, because both sides are
/// folded already (fold_name). SQLite: regardless of case. MySQL: columns regardless of case, and
/// tables too, although a server on Linux tells them apart by default: the names in a Statement are
/// in lower case, and no program that runs on all systems has two tables that differ in case alone.
/// `in_schema` empty: in any schema.
const Table* find_table(const Schema& schema, std::string_view name, Dialect dialect,
                        std::string_view in_schema = {});

/// The view that the name of a table means, or nullptr: there is none, or a table of that name.
/// Names are compared as by find_table.
const View* find_view(const Schema& schema, std::string_view name, std::string_view in_schema = {});

/// The column of that name, or nullptr. Names are compared as by find_table, of MySQL always
/// regardless of case.
const TableColumn* find_column(const Table& table, std::string_view name, Dialect dialect);

/// The name that a piece of SQL means: quotes are taken off; PostgreSQL's is in lower case where it
/// has none, the others' are as written.
std::string fold_name(std::string_view written, Dialect dialect);

/// The same schema with no positions, for comparing what two texts define.
Schema without_positions(Schema schema);

/// Definitions as text.
struct SchemaPrinting {
  std::string text = {};
  std::vector<Diagnostic> notes = {};  ///< what the dialect cannot express and why, with the
                                       ///< position in the text that the schema was read from
};

/// CREATE statements for PostgreSQL, MariaDB (Dialect::mysql) or SQLite, in an order in which they
/// can be run. parse_schema of the text gives an equal schema, positions apart, when the dialect is
/// the schema's own and there are no notes.
/// REQUIRES: dialect is not Dialect::redis.
SchemaPrinting print_schema(const Schema& schema, Dialect dialect);

}  // namespace heddle
