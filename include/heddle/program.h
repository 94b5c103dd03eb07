/// Program: what the code around a database does: its statements, in their order, under their
/// conditions, and how values flow from parameters and results into later statements.
///
///   Result<Program> program = parse_program({{"bank.sql", text}});
///   for (const ListedStatement& listed : list_statements(program->functionalities[0]))
///     use(listed.statement, listed.guards);
///   print_program(*program)   // the program as text, which reads as an equal one
///
/// A functionality's body is structured as PL/pgSQL is. Values live in variables of the client;
/// each SQL statement is text whose `$1`, `$2`, ... stand for variables and fields of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/coverage.h"
#include "heddle/result.h"
#include "heddle/schema.h"
#include "heddle/statement.h"

namespace heddle {

/// A place in one of the program's files.
struct SourceLocation {
  std::string file;  ///< as the user named it
  SourcePosition position;
};

enum class ExpressionKind : std::uint8_t {
  literal,   ///< `text` as SQL writes it: 1.50, 'it''s', true, null
  variable,  ///< `text` is its name
  field,     ///< column `text` of the row that is the operand
  element,   ///< of the array that is the first operand, at the place of the second, from 1
  call,      ///< an operator or function of the client, named by `text`: +, =, and, coalesce
  cast,      ///< of the operand to the type `text`
  choice,    ///< CASE: condition, value, condition, value, ..., and the value of ELSE
  unknown,   ///< a value that was not understood: `text` says what it is, operands what it uses
};

/// A value that the client computes, without asking the store.
struct Expression {
  ExpressionKind kind = ExpressionKind::literal;
  std::string text = "null";
  std::vector<Expression> operands;

  friend bool operator==(const Expression&, const Expression&) = default;
};

/// A statement does nothing unless such a part of it, or of what it is a part of, found rows, or
/// found none.
struct PartNeed {
  std::size_t back = 1;  ///< how many statements in front of it that part is
  bool has_rows = true;
};

/// A parameter of a statement behind those of its arguments: what a part in front of it found.
struct PartValue {
  std::size_t back = 1;    ///< how many statements in front of it that part is
  std::size_t column = 0;  ///< of the part's result; null where it found no row
};

/// One SQL statement in a program.
struct ProgramStatement {
  SourceLocation source;
  Statement statement;                ///< its text has `$1`, `$2`, ...
  std::vector<Expression> arguments;  ///< for `$1`, `$2`, ...: variables and fields
  std::string store;                  ///< empty: the program's only store
  /// On which of the connections that have transactions open at the same time it runs; 0 in each
  /// functionality that has one at a time.
  std::size_t connection = 0;
  std::vector<std::string> approximated;  ///< what was not read exactly, and how it is taken
  /// Where the text is made while the program runs: the text. `statement` says what it is with
  /// values in place of such pieces, if that is a statement; else it is unknown.
  std::optional<Expression> made_text = {};
  bool ends_call = false;  ///< a COMMIT behind a call of a session of several (with_sessions)
  /// What the statement that comes next changes within its WITH: nobody runs it alone.
  bool is_part = false;
  std::vector<PartNeed> needs = {};
  std::vector<PartValue> part_values = {};
};

/// One step of a body; defined below.
struct Action;
using Block = std::vector<Action>;

/// Runs a statement. Without rows, what it is to be stored in becomes null. Sets `found`, and what
/// CountRows reads.
struct RunStatement {
  ProgramStatement statement;
  std::vector<Expression> into;  ///< variables for the columns of the first row, or one row
  bool strict = false;           ///< anything but one row is an error
  bool returned = false;         ///< the rows go to the caller
};

/// Runs a query whose rows are fetched later. The read happens here.
struct OpenRows {
  std::string cursor;
  ProgramStatement statement;
};

/// Takes the next row; sets `found`.
struct FetchRow {
  std::string cursor;
  std::vector<Expression> into;  ///< empty: the row is skipped
};

/// Ends the fetching of rows.
struct CloseRows {
  std::string cursor;
};

struct Assign {
  Expression target;  ///< a variable, field or element
  Expression value;
};

/// The number of rows that the last statement returned or changed.
struct CountRows {
  Expression target;
};

/// One of two blocks.
struct Branch {
  Expression condition;
  Block then;
  Block otherwise;
};

/// While the condition holds; without one, until something in the body leaves it.
struct Loop {
  std::optional<Expression> condition;
  Block body;
  std::string label;  ///< empty: none
};

/// Runs a query and goes through its rows.
struct RowLoop {
  std::vector<Expression> into;
  ProgramStatement statement;
  Block body;
  std::string label;
};

/// From one number to another, both included.
struct CountLoop {
  std::string variable;
  Expression first;
  Expression last;
  std::optional<Expression> step;
  bool reverse = false;
  Block body;
  std::string label;
};

/// Through the elements of an array.
struct ElementLoop {
  std::string variable;
  Expression array;
  Block body;
  std::string label;
};

/// EXIT, or with `next` CONTINUE.
struct LeaveLoop {
  bool next = false;
  std::string label;  ///< empty: the innermost
};

/// Ends the functionality.
struct Return {
  std::vector<Expression> values;
};

/// One more row for the caller; the functionality goes on.
struct ReturnRow {
  std::vector<Expression> values;
};

/// Ends the functionality and rolls its transaction back, unless an Attempt around it handles it.
struct Raise {
  std::string condition;           ///< SQLSTATE or name; empty: raise_exception
  std::string message;             ///< empty and no condition: the error at hand, once more
  std::vector<Expression> values;  ///< for each % of the message
  /// Of a program in Java the class of the exception, without its package; else the HINT.
  std::string exception = {};
};

/// What runs in place of the rest when one of the conditions arises.
struct Recovery {
  std::vector<std::string> conditions;  ///< "others", names as in PostgreSQL's list, or SQLSTATEs
  Block body;
};

/// What the body did is undone when a recovery takes over. In a recovery the variables `sqlstate`
/// and `sqlerrm` have the error's SQLSTATE and message.
struct Attempt {
  Block body;
  std::vector<Recovery> recoveries;
  /// A client catches what the store refuses, and nothing else: nothing is undone, and the
  /// transaction stays as the store left it. PL/pgSQL has no such block; print_program() gives it
  /// the label heddle_client.
  bool by_client = false;
};

/// One step of a body.
struct Action {
  using What =
      std::variant<RunStatement, OpenRows, FetchRow, CloseRows, Assign, CountRows, Branch, Loop,
                   RowLoop, CountLoop, ElementLoop, LeaveLoop, Return, ReturnRow, Raise, Attempt>;
  SourceLocation source;
  What what;
};

/// A parameter or variable of a functionality. Names are unique in it and no column's.
struct Variable {
  std::string name;
  std::string type;  ///< as PostgreSQL writes it: integer, numeric(12,2), record, text[]

  friend bool operator==(const Variable&, const Variable&) = default;
};

/// One user-visible action.
struct Functionality {
  std::string name;
  SourceLocation source;
  std::vector<Variable> parameters;
  std::vector<Variable> variables;
  std::optional<std::string> returns;  ///< type; none: a procedure
  Block body;
  bool states_boundaries = false;  ///< commits or rolls back itself; else it is one transaction
  /// Of a program in Java what it is read from, with the classes of its parameters:
  /// bank.Accounts.pay(Connection, int, BigDecimal). Not printed.
  std::string method = {};
};

struct Program {
  Schema schema;  ///< positions count the lines of all files, one after the other
  std::vector<Functionality> functionalities;
  std::vector<Diagnostic> notes;  ///< what was taken for more than it may do, and why
  Coverage coverage = {};         ///< how much of it was read, where somebody has measured that
  bool has_triggers = false;      ///< or rules: they write what no statement says
};

/// A file as the user named it.
struct SourceText {
  std::string file;
  std::string text;
};

/// How files are read.
struct ProgramOptions {
  Dialect dialect = Dialect::postgres;  ///< of the files and of SQL in other languages, too
  std::optional<Schema> tables = {};    ///< of a database: what files define is passed over
  bool skips_unreadable = false;        ///< leaves out files with errors, with a note
};

/// Reads files of CREATE TABLE statements and routines in PL/pgSQL or SQL as one program. Where
/// there is a schema, columns are looked up in it: `*` becomes a table's columns, and a column
/// without a qualifier belongs to the tables that have it. What cannot be read exactly is
/// over-approximated with a note; an error has bad_input and its place. Of other dialects than
/// PostgreSQL's only the tables are read. The program's schema has the dialect of the options.
/// REQUIRES: dialect is not Dialect::redis, and that of the tables where there are some.
Result<Program> parse_program(const std::vector<SourceText>& files,
                              const ProgramOptions& options = {});

/// The program as such a file. Reading it again gives an equal program.
std::string print_program(const Program& program);

/// The expression as PostgreSQL writes it.
std::string print_expression(const Expression& expression);

/// A statement's text, or a fragment of it such as its predicate, with the client's names in place
/// of `$1`, `$2`, ...
std::string named_text(std::string_view text, const std::vector<Expression>& arguments);

/// The condition of a branch or loop that has to hold, or not to hold, for a statement to run.
struct Guard {
  Expression condition;
  bool holds = true;
  SourceLocation source;
};

/// A statement with its place in the functionality.
struct ListedStatement {
  const ProgramStatement* statement = nullptr;  ///< owned by the functionality
  std::vector<Guard> guards;                    ///< all of them together, the outermost first
  std::size_t loops = 0;                        ///< around it
};

/// All statements in program order. A branch that leaves the functionality or loop guards what
/// comes after it, too.
std::vector<ListedStatement> list_statements(const Functionality& functionality);

}  // namespace heddle
