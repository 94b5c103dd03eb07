/// Scenario: what a spec file says. Initial rows, sessions with their steps, and which orders to
/// try.
///
///   Result<Scenario> scenario = parse_scenario(text, "lost_update.spec");
///   for (const Session& session : scenario->sessions)
///     for (StepId step : session.steps) use(scenario->steps[step.index()]);
///
/// The format is PostgreSQL's isolation spec format with upward-compatible extensions; see
/// docs/formats/spec.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/id.h"
#include "heddle/isolation.h"
#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle {

/// The text between braces, white space (not newlines) trimmed at both ends as PostgreSQL's
/// scanner does, and where its first character stands.
struct SqlBlock {
  std::string text;
  SourcePosition position;
  std::size_t store = 0;  ///< into Scenario::stores; 0 where the file declares none
};

/// One instruction of a step after psql's backslash commands were split off. A step without any is
/// one query whose text is the whole block.
struct Instruction {
  enum class Kind : std::uint8_t { query, if_begin, elif, else_begin, if_end };

  Kind kind = Kind::query;
  std::string text;   ///< the SQL to send, or the condition of \if and \elif
  bool gset = false;  ///< the query ended in \gset: its only row's columns become variables
  std::string gset_prefix;
  SourcePosition position;
};

/// A named piece of SQL that one session sends in one go.
struct Step {
  std::string name;
  SqlBlock sql;
  std::vector<Instruction> instructions;
  SessionId session;
  SourcePosition position;  ///< of the name
};

/// What a session does that runs a functionality of the program: each of its steps is the next
/// statement of it, the last one all that is left. What steps do is known only when they run.
struct Call {
  SqlBlock text;                                      ///< transfer(1, 2, 10.50)
  std::size_t functionality = 0;                      ///< of Scenario::program
  std::vector<std::optional<std::string>> arguments;  ///< as interpret() takes them
  std::optional<std::uint32_t> steps;                 ///< as the file states; none: chosen
  /// The method of the program in Java that this is read from: Bank.pay(Connection, int). It takes
  /// the arguments, in their order. Empty: there is none.
  std::string method = {};
};

/// One client: steps run in this order on one connection.
struct Session {
  std::string name;
  /// It runs alone before all that are not first, in every order; of several, one after the other.
  bool is_first = false;
  std::optional<IsolationLevel> isolation;  ///< of its transactions, whatever that of the others
  std::optional<SqlBlock> setup;
  std::optional<SqlBlock> teardown;
  std::vector<StepId> steps;
  std::optional<Call> call;  ///< then the steps have no instructions, and SQL that is a comment
  SourcePosition position;   ///< of the name
};

/// What delays the report of a step's completion in a stated permutation.
struct Blocker {
  enum class Kind : std::uint8_t {
    once,        ///< `(*)`: report the step as waiting as soon as it was sent
    other_step,  ///< `(step)`: not before that step has completed
    notices,     ///< `(step notices n)`: not before that step's session sent n notices
  };

  Kind kind = Kind::once;
  StepId step;                ///< the other one
  std::uint32_t notices = 0;  ///< how many of them

  friend bool operator==(const Blocker&, const Blocker&) = default;
};

/// A step at its place in an order of steps.
struct PlacedStep {
  StepId step;
  std::vector<Blocker> blockers;

  friend bool operator==(const PlacedStep&, const PlacedStep&) = default;
};

/// An order that the file asks for. It may leave steps out or repeat them.
struct Permutation {
  std::vector<PlacedStep> steps;
  SourcePosition position;
};

/// `store NAME KIND`: a place where data lives, of a kind that `--on` takes. The first one is that
/// of all blocks that name none.
struct StoreDeclaration {
  std::string name;
  std::string kind;
  SourcePosition position;
};

/// `service NAME { TABLE, ... }`: tables that nothing else shares a transaction with. They are in a
/// schema of their own, and each session has a connection of its own to them.
struct ServiceDeclaration {
  std::string name;
  std::optional<IsolationLevel> isolation;  ///< of its transactions, whatever that of the sessions
  std::vector<std::string> tables;          ///< folded as the store folds names
  SourcePosition position = {};             ///< of the word
};

/// `invariant "name" { SELECT ... }`: holds when every returned row is true in every column.
struct Invariant {
  std::string name;
  SqlBlock sql;
};

/// `program { CREATE FUNCTION ... }`: routines that sessions call.
struct ScenarioProgram {
  SqlBlock text;
  Program program;  ///< its tables are those of the setup blocks
};

struct Scenario {
  std::string file;                                ///< as the user named it, for messages
  std::shared_ptr<const ScenarioProgram> program;  ///< null: there is none
  std::vector<SqlBlock> setups;
  std::optional<SqlBlock> teardown;
  std::vector<Session> sessions;
  std::vector<Step> steps;                ///< of all sessions, session by session
  std::vector<Permutation> permutations;  ///< empty: all orders
  std::vector<StoreDeclaration> stores;
  std::vector<ServiceDeclaration> services;  ///< empty: the tables are not divided
  std::optional<IsolationLevel> isolation;
  std::vector<Invariant> invariants;
  /// Errors that say that nothing happened, and whose sessions are left out where outcomes are
  /// compared: SQLSTATEs, names of conditions and exceptions, messages with `*`.
  std::vector<std::string> refusals = {};
  std::vector<Diagnostic> warnings;  ///< e.g. steps that no permutation uses
};

/// Reads a spec file's text. Errors are of kind bad_input and name `file`, line and column.
/// Never crashes, whatever the bytes.
Result<Scenario> parse_scenario(std::string_view text, std::string_view file);

/// Of the sessions that still have something to run, by numbers in ascending order, those whose
/// turn it may be: while one is first, the first one of these.
std::vector<SessionId> runnable_sessions(const Scenario& scenario, std::vector<SessionId> waiting);

/// The functionality that the session runs, or nullptr: it has steps of its own.
const Functionality* called_functionality(const Scenario& scenario, SessionId session);

/// `transfer(1, 'it''s', NULL)`: what stands in `call { ... }` for these arguments, which are as
/// interpret() takes them.
std::string print_call(const Functionality& functionality,
                       const std::vector<std::optional<std::string>>& arguments);

/// Writes a scenario so that reading it again gives the same one (positions apart).
std::string to_spec(const Scenario& scenario);

}  // namespace heddle
