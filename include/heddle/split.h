/// split: what a program loses when its tables are divided among services.
///
///   Result<Cut> cut = parse_cut(R"({"M1": ["account"], "M2": ["wallet"]})", "cut.json");
///   Result<ChoppedProgram> chopped = chop_program(*program, *cut);
///   Result<SplitReport> report = split_program(*program, *cut, SplitOptions{});
///
/// Consecutive statements on tables of one service are a sub-transaction: the service runs it
/// alone, and nothing holds those of one functionality together any more. An anomaly that this adds
/// is a cycle through functionalities that enters one of them in one sub-transaction and leaves it
/// in another (Romão, Soares, Rodrigues, Manquinho, "Automatic Design-Time Detection of Anomalies
/// in Migrating Monolithic Applications to Microservices", MAD, 2025; transaction chopping: Shasha
/// et al., 1995).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heddle/find.h"
#include "heddle/isolation.h"
#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle {

/// A table as a cut names it.
struct CutTable {
  std::string name;
  SourcePosition position;
};

/// A service and the tables that it owns.
struct Service {
  std::string name;
  SourcePosition position;
  std::vector<CutTable> tables;
};

/// A plan that assigns tables to services.
struct Cut {
  std::string file;
  std::vector<Service> services;
};

/// Reads `{"M1": ["account"], "M2": ["wallet"]}`, or the same as YAML. Errors: bad_input with the
/// place, for what is no such object, and for a service or table that is named twice in the same
/// words.
Result<Cut> parse_cut(const std::string& text, const std::string& file);

/// The cut with the program's own names. Errors: bad_input with the place, for a table that the
/// program does not have or that two services own, and for tables of the program that none owns.
/// Names compare as the program's dialect says.
Result<Cut> match_cut(const Cut& cut, const Schema& schema);

/// One service with all tables. Of a chopping that somebody has edited, each part is then what its
/// COMMITs say, whatever tables it uses.
Cut undivided_cut(const Schema& schema);

/// Statements of a functionality that a service runs as one transaction.
struct SubTransaction {
  std::size_t service = 0;              ///< into Cut::services
  std::vector<std::size_t> statements;  ///< in the order of list_statements()
};

/// A program cut into services.
struct ChoppedProgram {
  /// With a COMMIT wherever a service hands over to another, and without foreign keys between
  /// services: callers ask in their place.
  Program program;
  std::vector<std::vector<SubTransaction>> sub_transactions;  ///< of each functionality
  /// Of each functionality's statements: which of the uncut program's they were; none: added.
  std::vector<std::vector<std::optional<std::size_t>>> origins;
  std::vector<Diagnostic> notes;  ///< statements that read tables of several services
  /// The last functionalities are sessions of several calls: of each, which ones it calls.
  std::vector<std::vector<std::size_t>> sessions = {};

  /// How many functionalities come before these.
  std::size_t single_calls() const { return program.functionalities.size() - sessions.size(); }
};

/// Cuts the program. REQUIRES: the cut is match_cut()'s.
Result<ChoppedProgram> chop_program(const Program& program, const Cut& cut);

struct SplitOptions {
  FindOptions find;  ///< how to search; its levels are set aside
  /// At which each service runs its sub-transactions, and the uncut program its transactions.
  IsolationLevel within = IsolationLevel::serializable;
  /// At which single services run theirs instead, by name.
  std::map<std::string, IsolationLevel> levels = {};
  /// Leaves out what has a cause of fewer functionalities in it, without asking whether it can
  /// happen: the same cores in less time.
  bool only_cores = false;
  bool finds_needs = false;  ///< also what would remove each core: three more searches
  bool counts_all = false;   ///< also what the uncut program allows at that level
  /// The program is a chopping, as print_program() writes one and people edit it: each of its
  /// COMMITs is one of the cut, and the uncut program has none of them.
  bool is_chopped = false;
  /// Also users who make so many calls one after the other (heddle/session_program.h); sessions
  /// that the constraints name are looked at in any case.
  std::size_t max_calls = 1;
};

/// The uncut program of a chopping: without its COMMITs.
Program unchopped(const Program& program);

/// A sub-transaction of a functionality.
struct SplitPart {
  std::size_t functionality = 0;
  std::size_t number = 0;  ///< into ChoppedProgram::sub_transactions

  friend auto operator<=>(const SplitPart&, const SplitPart&) = default;
};

/// Anomalies through the same sub-transactions of the same functionalities.
struct SplitCause {
  AnomalyKind kind = AnomalyKind::serialization_cycle;  ///< the gravest of them
  /// Of each functionality that runs, which may be one several times: its sub-transactions in the
  /// cycle. All sorted.
  std::vector<std::vector<SplitPart>> parts;
  std::vector<std::string> tables;  ///< on which they meet, sorted
  std::vector<FoundCycle> cycles;   ///< the shortest of the gravest kind first
  std::string id = {};              ///< as FoundCause::id
  bool is_core = true;              ///< no other cause has some of its sub-transactions alone
  /// The weakest of `causal`, `transactional-causal`, `snapshot` and `serializable` that removes
  /// all of its cycles when it is guaranteed across services; none: nobody asked, or a search was
  /// not complete.
  std::optional<IsolationLevel> needs = {};
  std::optional<FoundExecution> execution = {};  ///< none: nobody tried
};

/// An order of a functionality's statements in which it hands over less often, and does the same.
struct ProposedOrder {
  std::size_t functionality = 0;
  std::vector<std::size_t> statements;  ///< of the uncut program, list_statements() of them all
  std::size_t before = 0;               ///< sub-transactions as it is
  std::size_t after = 0;                ///< in this order
};

/// What it would be worth to have a table in another service, with the tables of that.
struct TableMerge {
  std::string table;
  std::size_t service = 0;  ///< into Cut::services
  std::size_t cores = 0;    ///< that would be gone
  std::size_t causes = 0;   ///< that would be gone
  /// Failures that would be gone (weigh_failures()); none: nobody asked.
  std::optional<std::size_t> failures = {};
};

/// A foreign key between tables of two services, which no database checks any more.
struct TornKey {
  std::string name;  ///< empty: not named
  std::string table;
  std::vector<std::string> columns;
  std::string referenced_table;
  std::vector<std::string> referenced_columns;
  std::size_t service = 0;             ///< of the table, into Cut::services
  std::size_t referenced_service = 0;  ///< of the referenced one
  /// Whether somebody deletes rows to which others refer by it, so that callers ask in its place.
  bool is_asked = false;
  SourcePosition position;  ///< as in Program::schema
};

struct SplitReport {
  ChoppedProgram chopped;
  Cut cut;
  std::vector<TornKey> torn_keys;  ///< in the order of the schema
  IsolationLevel within = IsolationLevel::serializable;
  std::vector<IsolationLevel> levels;         ///< of each service
  std::optional<IsolationLevel> across = {};  ///< what is guaranteed across services, if anything
  std::size_t max_length = 4;                 ///< of a cycle, in operations
  std::size_t max_instances = 3;              ///< of a cycle, in functionalities that run
  std::size_t max_prefix = 0;                 ///< calls before a cycle
  std::vector<SplitCause> causes;             ///< cores first, the gravest kind first
  std::vector<ProposedOrder> orders;
  std::vector<TableMerge> merges;  ///< see weigh_merges(); those worth the most first
  bool only_cores = false;         ///< extensions of more functionalities were not looked for
  std::size_t in_uncut = 0;        ///< cycles that the uncut program has, too: not counted
  FindCounts counts;
  std::string bound;  ///< which limit was hit, and what was not searched; empty: none
};

/// What the cut adds. Errors: as match_cut() and find_anomalies(); bad_input for the level of a
/// service that the cut does not have.
Result<SplitReport> split_program(const Program& program, const Cut& cut,
                                  const SplitOptions& options);

/// Executes the cores of the report, each sub-transaction a transaction of its own, and compares
/// with the functionalities one after the other. The services share one store, in which each has
/// its tables. `options`: those of the report. Errors: as execute_findings().
Result<void> execute_split(const SplitOptions& options, const ExecuteOptions& execution,
                           SplitReport& report);

}  // namespace heddle
