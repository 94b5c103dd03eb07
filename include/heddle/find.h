/// find: every cycle of dependencies that the transactions of a program allow at a level of
/// isolation, up to bounds.
///
///   Result<FindReport> report = find_anomalies(*program, FindOptions{});
///   for (const FoundCause& cause : report->causes) use(cause.cores[0].nodes);
///
/// What is found is possible: the analysis takes what it cannot compute for any value. Nothing
/// within the bounds is missed; what a bound or the time left out is said.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/constraints.h"
#include "heddle/dependency.h"
#include "heddle/finding.h"
#include "heddle/isolation.h"
#include "heddle/program.h"
#include "heddle/replay.h"
#include "heddle/result.h"
#include "heddle/scenario.h"
#include "heddle/verdict.h"

namespace heddle {

/// What a statement does at a place of a cycle. A statement that computes what it writes from what
/// it reads is two operations.
enum class OperationPart : std::uint8_t { read, write };

/// An operation of a cycle.
struct FoundNode {
  std::size_t instance = 0;       ///< which of the cycle's transactions, from 0
  std::size_t functionality = 0;  ///< into Program::functionalities
  std::size_t statement = 0;      ///< in the order of list_statements()
  OperationPart part = OperationPart::read;
  std::vector<std::size_t> rounds = {};  ///< of the loops around it, from 0
  std::size_t call = 0;                  ///< of a session of several calls: of which, from 0

  friend bool operator==(const FoundNode&, const FoundNode&) = default;
};

/// "from must precede to", because of what both do to a row of a table.
struct FoundEdge {
  DependencyKind kind = DependencyKind::wr;
  bool predicate = false;  ///< rw: the reader would have found another set of rows
  bool by_lock = false;    ///< wr, rw: the reader passes over a row that the other one has locked
  std::size_t from = 0;    ///< into FoundCycle::nodes
  std::size_t to = 0;
  std::string table;
  std::vector<std::string> columns;  ///< that both touch, sorted; empty: the row itself

  friend bool operator==(const FoundEdge&, const FoundEdge&) = default;
};

/// Two arguments of one call of a cycle that have to be equal for it.
struct EqualArguments {
  std::size_t instance = 0;  ///< which of the cycle's transactions, or behind these of its prefix
  std::string first;         ///< parameters
  std::string second;

  friend bool operator==(const EqualArguments&, const EqualArguments&) = default;
};

/// A cycle: operations of two or more transactions, joined by dependencies and by being of one
/// transaction.
struct FoundCycle {
  std::vector<FoundNode> nodes;  ///< as the cycle goes, each transaction's next to each other
  std::vector<FoundEdge> edges;  ///< as many as transactions, as the cycle goes
  AnomalyKind kind = AnomalyKind::serialization_cycle;
  bool is_core = true;     ///< false: no run shows it without a shorter cycle inside it
  bool is_decided = true;  ///< false: the solver gave up, so that it may be impossible
  /// Functionalities that have run one after the other before the cycle's transactions began:
  /// without them the rows that it needs are not there.
  std::vector<std::size_t> prefix = {};
  /// It cannot happen where all arguments of one call that name rows of one table differ: those of
  /// which each has to be equal, or, where no single one has to be, all that may be.
  std::vector<EqualArguments> equal_arguments = {};

  /// Whether it needs arguments of one call that are equal.
  bool needs_equal_arguments() const { return !equal_arguments.empty(); }
};

/// What became of a confirmed cause when the program itself ran, not what was read of it.
struct ProgramRun {
  bool is_confirmed = false;
  std::string reason;  ///< why it is not; empty: it is
};

/// A run of a cause that breaks what its other runs keep.
struct FoundBreak {
  Finding finding;
  std::vector<std::string> invariants;  ///< of FoundExecution's those that no run before it breaks
};

/// What became of a cause on a store.
struct FoundExecution {
  FindingStatus status = FindingStatus::possible;
  std::string reason;              ///< why it is not confirmed; empty: it is
  bool was_run = false;            ///< whether there were rows and arguments to execute it with
  std::size_t runs = 0;            ///< that were executed, each with its serial orders
  bool is_cut_short = false;       ///< a limit left something of it untried
  std::optional<Finding> finding;  ///< the run that confirms it
  /// Not confirmed: a run that showed nothing, if there was one and ExecuteOptions keeps these.
  std::optional<Finding> unconfirmed = {};
  /// Of the invariants those that the run, or a further one, breaks and that hold after every
  /// serial order of its sessions. What is in no further run, `finding` shows.
  std::vector<std::string> broken_invariants = {};
  std::optional<ProgramRun> by_program = {};  ///< none: nobody tried
  /// Tables that the program fills, and in which the finding begins with rows that were made up.
  std::vector<std::string> made_up_tables = {};
  std::vector<FoundBreak> further = {};
};

/// Cycles of one kind through the same statements.
struct FoundCause {
  AnomalyKind kind = AnomalyKind::serialization_cycle;
  /// The shortest first, behind those that need no equal arguments.
  std::vector<FoundCycle> cores;
  std::vector<FoundCycle> extensions;            ///< cycles in which one of the cores is
  std::optional<FoundExecution> execution = {};  ///< none: nobody tried
  /// Stays when lines move and other statements come: a hash of its kind and its statements.
  std::string id = {};
  /// Ids that earlier versions gave it, under another kind: who wrote one down means this cause.
  std::vector<std::string> former_ids = {};
  std::optional<std::string> suppressed = {};  ///< why it is known and left alone; none: it counts

  /// Whether all its cycles need arguments of one call that are equal.
  bool needs_equal_arguments() const {
    return std::ranges::all_of(cores, &FoundCycle::needs_equal_arguments) &&
           std::ranges::all_of(extensions, &FoundCycle::needs_equal_arguments);
  }
};

/// How much was looked at.
struct FindCounts {
  std::size_t groups = 0;     ///< sets of transactions
  std::size_t skeletons = 0;  ///< cycles by their statements alone
  std::size_t refuted = 0;    ///< of these, by the level alone
  std::size_t checks = 0;     ///< questions to the solver
  std::size_t undecided = 0;  ///< of these, that it gave up
};

/// How cycles are looked for.
enum class FindEngine : std::uint8_t {
  fast,  ///< enumerates cycles of statements, with a small formula for each
  /// One formula for each set of functionalities and length, as in the CLOTHO paper: slow, and
  /// for levels only that are told by visibility and arbitration.
  reference,
};

struct FindOptions {
  FindEngine engine = FindEngine::fast;
  /// Of all functionalities; none: what the code sets, else the default of its database.
  std::optional<IsolationLevel> level = {};
  std::map<std::string, IsolationLevel> levels = {};  ///< of single functionalities, by name
  /// Of statements, in the order of list_statements() of each functionality: at which level their
  /// transactions run. Empty, or none: that of the functionality. REQUIRES of users: statements of
  /// one transaction have the same.
  std::vector<std::vector<std::optional<IsolationLevel>>> levels_of_statements = {};
  /// A guarantee across the transactions of a functionality, which may be several: what happens is
  /// legal at the levels above, and also at this one if each functionality is taken for one
  /// transaction. None, or `eventual`: nothing is promised.
  std::optional<IsolationLevel> across = {};
  /// What must look as if it ran alone: a functionality, or each of its transactions. REQUIRES of
  /// users: transaction with the fast engine only.
  Unit unit = Unit::session;
  /// What is known beyond the levels. Facts about rows: the fast engine only.
  Constraints constraints = {};
  /// Errors that say that nothing happened, beside those that do so by themselves: SQLSTATEs, names
  /// of conditions and exceptions, messages with `*` (docs/programs.md).
  std::vector<std::string> refusals = {};
  /// Axioms that no level has, to see what they do. REQUIRES of users: the fast engine.
  std::vector<Axiom> without = {};
  /// Of a cycle, in operations; none: 4, and 6 where the level rules out lost updates, because what
  /// is left then takes more.
  std::optional<std::size_t> max_length = {};
  std::size_t max_instances = 3;  ///< transactions in a cycle
  std::size_t rounds = 2;         ///< of each loop
  /// Where the program is small: also up to larger bounds, for cycles of these transactions alone
  /// that do not go through all statements of a smaller one. REQUIRES of users: the fast engine.
  bool widens = false;
  /// Where there are facts of the rows at the beginning: calls that may have run one after the
  /// other between that beginning and a cycle. None: as many as the program's size allows.
  std::optional<std::size_t> max_prefix = {};
  std::size_t least_prefix = 0;  ///< of max_prefix, where nobody says it
  std::size_t jobs = 0;          ///< 0: one for each processor
  std::optional<std::uint32_t> timeout_ms = {};
  /// Asks once what cycles have in common: what levels say of their shape, and which dependencies
  /// cannot hold together. Without it each cycle is asked about alone: slower, the same answers.
  bool groups_by_structure = true;
  /// That the solver may take for one question; none: the engine's own bound. A cycle that it gives
  /// up on is reported as undecided.
  std::optional<std::uint32_t> solver_steps = {};
  /// Sets of functionalities done, and of how many; may be empty. Any thread, one at a time.
  std::function<void(std::size_t, std::size_t)> progress = {};
  /// Only causes in which one of these functionalities takes part, by name: those that a search
  /// without this has of them. Empty: all.
  std::vector<std::string> only = {};
  /// Only causes that may leave other rows than any serial order, by what flows where: each read in
  /// their cycles has a say in what its functionality writes. How many others there are is counted.
  bool internal_only = false;
};

/// Where a level comes from.
enum class LevelOrigin : std::uint8_t {
  given,     ///< by FindOptions
  stated,    ///< by the code
  fallback,  ///< nobody says: what the database does then
};

/// The level at which a functionality was taken to run.
struct FunctionalityLevel {
  IsolationLevel level = IsolationLevel::postgres_read_committed;
  LevelOrigin origin = LevelOrigin::fallback;
};

/// How large a cycle may be.
struct FindBounds {
  std::size_t length = 4;     ///< in operations
  std::size_t instances = 3;  ///< in transactions

  friend bool operator==(const FindBounds&, const FindBounds&) = default;
};

struct FindReport {
  std::vector<FunctionalityLevel> levels;  ///< of each functionality
  std::string constraints = {};            ///< the file whose constraints hold; empty: none
  std::vector<std::string> own_rows = {};  ///< tables whose rows are all made by calls
  std::size_t max_length = 4;              ///< of a cycle, in operations
  std::size_t max_instances = 3;           ///< of a cycle, in transactions
  std::size_t max_prefix = 0;              ///< calls before a cycle
  std::size_t rounds = 2;                  ///< of each loop
  /// Where the search was widened: within these bounds all cycles were looked for, and beyond them
  /// those that do not go through all statements of one of these.
  std::optional<FindBounds> all_within = {};
  bool widened = false;            ///< because the program is small, not because somebody asked
  std::vector<FoundCause> causes;  ///< the gravest kind first
  FindCounts counts;
  std::string bound;  ///< which limit was hit, and what was not searched; empty: none
  std::size_t external_left_out = 0;  ///< causes that concern reads alone, if nobody wants those
};

/// Searches for cycles. The report refers to functionalities and statements of `program` by their
/// numbers. The same program and options give the same report, unless time runs out. Errors:
/// bad_input for a level of a functionality that does not exist, for one that the engine does not
/// know, for a level across transactions that is told by what a product does or by a clock, and for
/// constraints that name what the program does not have.
Result<FindReport> find_anomalies(const Program& program, const FindOptions& options);

/// Leaves out of the report, and counts there, causes that concern reads alone: of those that were
/// executed what a run has confirmed as external, and of those that were not what has in each cycle
/// a read without a say in what its functionality writes. `program`: that of find_anomalies().
void keep_internal(const Program& program, FindReport& report);

/// A cause that the levels remove.
struct RemovedCause {
  FoundCause cause;  ///< as it is at `eventual`
  /// A smallest set of axioms of its levels without which one of its cores is possible. Each of
  /// them alone is enough to remove these. Empty: nobody knows.
  std::vector<Axiom> axioms;
};

struct RemovedReport {
  std::vector<FunctionalityLevel> levels;  ///< of each functionality
  std::size_t max_length = 4;              ///< of a cycle, in operations
  std::size_t max_instances = 3;           ///< of a cycle, in transactions
  std::vector<RemovedCause> causes;
  std::size_t left = 0;  ///< causes at `eventual` that the levels allow
  std::string bound;     ///< which limit was hit, and what was not searched; empty: none
};

/// Searches at the levels of the options and at `eventual`, and says of each cause that only the
/// latter has which axioms remove it. Errors: as find_anomalies().
Result<RemovedReport> explain_removed(const Program& program, const FindOptions& options);

struct ExecuteOptions {
  StoreAddresses on;
  std::size_t jobs = 0;  ///< 0: one for each processor
  std::uint32_t step_timeout_ms = 30'000;
  std::optional<std::uint32_t> timeout_ms = {};  ///< of all causes together
  std::vector<Invariant> invariants = {};        ///< asked at the end of each run
  /// What fills the program's tables at first; none: each cause has rows made up for it.
  std::optional<SourceText> rows = {};
  /// On PostgreSQL: who shares its tables with nobody; each run divides them. Their levels are the
  /// weakest of the store that keep what these promise.
  std::vector<ServiceDeclaration> services = {};
  /// What is confirmed is then run once more by the compiled program itself. Empty: it is not.
  ProgramOpener program = {};
  bool keep_unconfirmed = false;  ///< fill FoundExecution::unconfirmed
  /// Causes done, and of how many; may be empty. Any thread, one at a time.
  std::function<void(std::size_t, std::size_t)> progress = {};
  /// Each cause when it has been executed, and again when a later call has broken more; may be
  /// empty. Any thread, one at a time.
  std::function<void(const FoundCause&)> executed = {};
};

/// Executes each cause: makes up rows, arguments and an order of steps under which its shortest
/// cycles come about, runs them on a real store, and compares the outcome with those of all serial
/// orders. A cause is confirmed by a run that no serial order explains; no number of runs refutes
/// one, only a proof does: that no rows and arguments let any of its cycles happen, or that their
/// statements do and return the same in either order. On PostgreSQL, MariaDB (one
/// server, or two in a ring) or the replicated store; a level that the store does not have is taken
/// for the weakest of its levels that keeps the level's promises.
/// An invariant that no run breaks is looked for in runs with one more call behind a cycle's
/// transactions, which may bring to light what these have done.
/// Causes for which no time is left are not executed, and the report's bound says how many.
/// `report` is what find_anomalies() gave for the same program and options. Errors: the store
/// cannot be started or reached; bad_input where it refuses the given rows; environment where there
/// is a compiled program that cannot be opened.
Result<void> execute_findings(const Program& program, const FindOptions& options,
                              const ExecuteOptions& execution, FindReport& report);

}  // namespace heddle
