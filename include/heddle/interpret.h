/// interpret: runs one functionality of a Program as a client of a store would, and records what it
/// did.
///
///   Result<Interpretation> run = interpret(program, program.functionalities[0], {"1", "10.50"},
///                                          runner);   // a StatementRunner of the caller
///   run->trace      // every statement with its values and rows, every branch taken
///   run->returned   // the rows that the functionality gives back
///   run->error      // or the error that it ends with
///
/// Values of the client are computed as PL/pgSQL of PostgreSQL 15 computes them, errors included:
/// exact decimals, three-valued logic, casts on assignment, overflow. Texts are UTF-8 in locale C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle {

/// A value on its way to a store: in PostgreSQL's text format, and the type that the client gives
/// it, as PostgreSQL writes it; "unknown" where the client does not say.
struct ClientValue {
  Cell text;  ///< none: null
  std::string type;

  friend bool operator==(const ClientValue&, const ClientValue&) = default;
};

/// A column of a result.
struct ResultColumn {
  std::string name;
  std::string type;  ///< as PostgreSQL writes it: integer, numeric(12,2), text[]
};

/// Why a store refused a statement.
struct StoreRefusal {
  std::string sqlstate;
  std::string message;
};

/// What a store answered.
struct StatementResult {
  std::vector<ResultColumn> columns;
  std::vector<Row> rows;
  std::size_t affected = 0;  ///< rows returned or changed: the number in the command tag
  std::optional<StoreRefusal> refusal;
};

/// What delimits a transaction or a part of it.
enum class Boundary : std::uint8_t {
  begin,
  commit,
  rollback,
  savepoint,
  rollback_to_savepoint,
  release_savepoint,
};

/// "begin", "rollback to savepoint": the enumerator in words.
std::string_view to_string(Boundary boundary);

/// What a functionality's statements are run with: one session of a store, with as many connections
/// as the functionality uses (ProgramStatement::connection). What a store refuses is
/// part of a StatementResult; a Diagnostic means that the store cannot be asked at all, and ends
/// the interpretation.
class StatementRunner {
 public:
  StatementRunner() = default;
  StatementRunner(const StatementRunner&) = delete;
  StatementRunner& operator=(const StatementRunner&) = delete;
  virtual ~StatementRunner() = default;

  /// `values` are for `$1`, `$2`, ... of the statement's text.
  virtual Result<StatementResult> run(const ProgramStatement& statement,
                                      const std::vector<ClientValue>& values) = 0;
  /// Of the transaction of that connection. `savepoint` is a plain name; empty where there is none.
  virtual Result<StatementResult> cross(Boundary boundary, const std::string& savepoint,
                                        std::size_t connection) = 0;
  /// The calls of both since that one, counted from 0, were an attempt of which nothing is left in
  /// the store or the client, and another one begins now: without it the functionality would have
  /// done the same.
  virtual void leave_out(std::size_t /*first*/) {}
};

/// A value that cannot be computed here: of the clock, of chance, of a sequence, of a function that
/// is not known, or of ExpressionKind::unknown.
struct UnknownValue {
  const Expression* expression = nullptr;
  std::vector<ClientValue> operands;  ///< their values
  std::string type;                   ///< that is needed; "unknown": any
  SourceLocation source;              ///< of the action
};

/// Supplies such values, as texts in PostgreSQL's format.
using ValueSource = std::function<Result<Cell>(const UnknownValue&)>;

struct InterpretOptions {
  ValueSource unknown_value;          ///< none: a value that is not known is an error
  std::size_t max_steps = 1'000'000;  ///< actions and loop iterations
  std::size_t max_depth = 200;        ///< of blocks in each other
};

/// A statement that the store was sent.
struct ExecutedStatement {
  const ProgramStatement* statement = nullptr;  ///< owned by the functionality
  std::vector<ClientValue> values;
  StatementResult result;
  std::string made_text = {};  ///< what was sent, where the text is made while it runs
};

/// The beginning or end of a transaction or savepoint. SAVEPOINT as a statement of the
/// functionality is an ExecutedStatement.
struct CrossedBoundary {
  Boundary boundary = Boundary::begin;
  std::string savepoint;                        ///< empty: none
  const ProgramStatement* statement = nullptr;  ///< that states it; null: the interpreter's own
  std::optional<StoreRefusal> refusal;
  std::size_t connection = 0;  ///< as ProgramStatement::connection
};

/// The condition of a branch, or of a loop before an iteration.
struct TakenBranch {
  SourceLocation source;
  std::optional<bool> condition;  ///< none: null, which is taken for false
};

/// A loop's body begins.
struct LoopIteration {
  SourceLocation source;
  std::size_t number = 1;  ///< of this run of the loop
};

/// An error was handled by a recovery of an Attempt.
struct HandledError {
  SourceLocation source;  ///< of the Attempt
  std::string sqlstate;
};

/// One thing that the functionality did.
using TraceEvent =
    std::variant<ExecutedStatement, CrossedBoundary, TakenBranch, LoopIteration, HandledError>;

/// The error that a functionality ended with.
struct RaisedError {
  std::string sqlstate;
  std::string message;
  SourceLocation source;       ///< of the action
  std::string exception = {};  ///< of a program in Java: its class, without the package
  /// It was raised because an UPDATE or DELETE of the functionality changed no row.
  bool gives_up = false;
};

/// One run of a functionality.
struct Interpretation {
  std::vector<TraceEvent> trace;      ///< in order
  std::vector<ResultColumn> columns;  ///< of `returned`
  std::vector<Row> returned;          ///< a functionality that returns one value has one row
  std::optional<RaisedError> error;   ///< then nothing is returned
};

/// Runs the functionality. A functionality that states no boundaries is one transaction. Of one
/// that does, and has no BEGIN of its own, a transaction begins at the start and after each COMMIT
/// and ROLLBACK, as in PL/pgSQL; otherwise its statements alone say what is a transaction, and what
/// is open at the end is rolled back. Each connection has transactions of its own; those that are
/// open at the end are ended in the order of their connections. `arguments` are texts in
/// PostgreSQL's format, one for each parameter. The result refers to `functionality`.
///
/// Errors: bad_input for arguments that do not fit, and for values that nobody knows, with
/// expression and place; bound when a limit of `options` was hit; whatever `runner` says. Before
/// that an open transaction is rolled back.
Result<Interpretation> interpret(const Program& program, const Functionality& functionality,
                                 const std::vector<Cell>& arguments, StatementRunner& runner,
                                 const InterpretOptions& options = {});

/// The SQLSTATEs that PostgreSQL calls by that name, as in "unique_violation"; several names have
/// two. Empty: there is no such name. A state itself, also as SQLSTATE '23505', stands for itself.
std::vector<std::string> condition_states(std::string_view condition);

/// Whether a recovery of that condition, "others" included, handles an error of that SQLSTATE. A
/// class, which ends in 000, handles all of it.
bool is_handled(std::string_view condition, std::string_view sqlstate);

}  // namespace heddle
