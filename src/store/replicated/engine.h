// The replicated store itself: replicas, the sessions that execute at them, and what goes from one
// to the other when.
//
// Statements are executed one after the other; that order is the order of arbitration. Before a
// statement runs, the database of its replica is brought to exactly the rows that the effects add
// up to which it may see; afterwards what it wrote is a new group of effects, at this replica
// first. Visibility is therefore a set that can be asked for. One thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/isolation.h"
#include "heddle/outcome.h"
#include "heddle/result.h"
#include "store/replicated/cells.h"
#include "store/replicated/command.h"
#include "store/replicated/environment.h"
#include "store/replicated/evaluator.h"
#include "store/replicated/level_rules.h"

namespace heddle::replicated {

using SessionNumber = int;

// A replica, or what all of them converge to.
struct Replica {
  std::unique_ptr<Evaluator> evaluator;
  std::set<GroupId> has;
  std::map<GroupId, Stamp> loaded;  // what the rows of the evaluator add up to
};

struct Savepoint {
  std::string name;
  std::size_t groups = 0;
};

struct EngineTransaction {
  std::size_t number = 0;
  const LevelRule* rule = nullptr;
  bool is_explicit = false;
  std::optional<std::set<GroupId>> view;  // of others' effects, where the level keeps it
  std::vector<GroupId> own;
  std::set<std::string> tables_read;
  std::vector<Savepoint> savepoints;
  Stamp begun = 0;
};

struct EngineSession {
  std::string name;
  IsolationLevel level = IsolationLevel::eventual;
  std::optional<IsolationLevel> next_level;  // of the next transaction
  ReplicaId replica = 0;
  std::optional<EngineTransaction> transaction;
  std::vector<GroupId> statements;
  std::set<GroupId> seen;  // and done, by any statement so far
  std::vector<GroupId> last_seen;
};

// Why something is refused.
struct Refusal {
  std::string code;  // SQLSTATE
  std::string message;
  ErrorClass error_class = ErrorClass::other;
};

// What restore_snapshot goes back to, besides the groups.
struct EngineSnapshot {
  std::size_t groups = 0;
  Environment environment;
  Stamp clock = 0;
  std::size_t transactions = 0;
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> create(std::size_t replicas);

  // Sessions begin at r1. REQUIRES: find_rule(level) != nullptr.
  SessionNumber open_session(const std::string& name, IsolationLevel level);
  // Rolls back what is open.
  void close_session(SessionNumber number);
  // Runs the statements of a text, up to the first that fails.
  std::vector<Reply> run(SessionNumber number, const std::string& text);
  // What columns a statement about rows would give, without running it; of any other statement
  // none. Of expressions nobody knows the type.
  Reply describe(SessionNumber number, const std::string& text);
  TransactionState transaction_state(SessionNumber number) const;

  // Runs a text on what the replicas converge to: all effects of committed transactions, merged.
  // What it writes is at all replicas from the start.
  std::vector<Reply> run_everywhere(const std::string& text);
  // The same for one SELECT of the rows of one table, whose answer hangs on these rows alone. It is
  // kept until they change.
  Reply read_table(const std::string& table, const std::string& text);
  // How many of these the database has been asked for.
  std::size_t tables_read() const { return tables_read_; }
  // What the replicas converge to becomes what they begin with. REQUIRES: no open transaction.
  Result<void> take_snapshot();
  // Goes back to that: rows, placement of sessions, partitions, kind of delivery, counters, clock.
  // REQUIRES: no open transaction.
  Result<void> restore_snapshot();
  // Drops everything but the sessions.
  Result<void> wipe();

  // From now on sessions work on one copy: commands about replicas are read and do nothing. For
  // serial orders. REQUIRES: everything is as at the snapshot.
  void keep_one_copy(bool only) { one_copy_ = only; }
  // From now on columns of results carry their types.
  void show_types() { shows_types_ = true; }

  // What can be asked about a run. Groups have the names of statements: "s1.2".
  std::size_t replica_count() const { return replicas_.size(); }
  std::size_t replica_of(SessionNumber number) const;
  // The groups that have come to a replica, counted from 1, in the order of arbitration.
  std::vector<std::string> delivered(std::size_t replica) const;
  // The groups whose effects the last statement of the session saw, in the order of arbitration.
  std::vector<std::string> last_seen(SessionNumber number) const;

 private:
  Engine() = default;

  // engine.cc
  Reply run_statement(EngineSession& session, const std::vector<Token>& statement);
  Reply run_on_rows(EngineSession& session, const std::vector<Token>& statement,
                    const std::string& kind);
  Reply run_other(EngineSession& session, const std::vector<Token>& statement,
                  const std::string& kind);
  Reply run_everywhere(const std::vector<Token>& statement);
  Reply execute(EngineSession& session, const std::vector<Token>& statement,
                const std::string& kind);
  void record(EngineSession& session, Execution& execution, const std::set<GroupId>& seen);
  static std::string next_name(const EngineSession& session);
  std::vector<std::string> names_of(std::vector<GroupId> groups) const;
  EngineSession* find_session(const std::string& name);

  // engine_transactions.cc
  Reply control_transaction(EngineSession& session, const std::vector<Token>& statement,
                            const std::string& kind);
  Reply begin(EngineSession& session, const std::vector<Token>& statement);
  Reply set_level(EngineSession& session, const std::vector<Token>& statement);
  Reply control_savepoint(EngineSession& session, const std::vector<Token>& statement,
                          const std::string& kind);
  EngineTransaction& transaction_of(EngineSession& session, bool is_explicit);
  std::optional<Refusal> commit(EngineSession& session);
  std::optional<Refusal> why_not_commit(const EngineTransaction& transaction) const;
  void roll_back(EngineSession& session, std::size_t to);
  std::set<GroupId> visible_to(const EngineSession& session,
                               const EngineTransaction& transaction) const;
  std::optional<Refusal> why_not_at(const EngineSession& session, ReplicaId replica) const;
  std::optional<Refusal> why_not_behind(const EngineSession& session) const;
  std::set<GroupId> committed_prefix(const std::set<GroupId>& at) const;

  // engine_delivery.cc
  Reply obey(EngineSession& session, const Command& command);
  std::optional<Refusal> move(EngineSession& session, const MoveCommand& command);
  std::optional<Refusal> find_groups(const DeliverCommand& command, std::vector<GroupId>& found);
  std::optional<Refusal> deliver(const DeliverCommand& command);
  std::optional<Refusal> part(const PartitionCommand& command);
  std::optional<Refusal> make_replica(std::size_t count);
  std::optional<Refusal> why_not_deliver(GroupId id, ReplicaId to) const;
  void put_at(GroupId id, ReplicaId to);
  void deliver_what_waits();
  bool are_parted(ReplicaId a, ReplicaId b) const;
  std::string name_groups(const std::set<GroupId>& groups) const;

  // engine_rows.cc
  Result<void> bring(Replica& replica, const std::set<GroupId>& seen);
  Result<std::unique_ptr<Evaluator>> make_evaluator();
  Reply define(const std::vector<Token>& statement, const std::string& kind);
  Result<void> fold();
  bool has_effects() const;
  std::set<GroupId> all_committed() const;
  std::set<GroupId> all_in_effect() const;

  static Reply refuse(const Refusal& refusal);
  static Reply refuse(const Diagnostic& diagnostic, const std::string& code);
  static Reply done(const std::string& tag);

  Environment environment_;
  CellStore cells_;
  std::vector<Replica> replicas_;
  Replica converged_;
  // Answers of read_table, by table in lower case and text.
  std::map<std::string, std::map<std::string, Reply>> kept_;
  std::size_t tables_read_ = 0;
  std::map<SessionNumber, EngineSession> sessions_;
  std::set<std::pair<ReplicaId, ReplicaId>> parted_;  // the smaller one first
  std::set<GroupId> travelling_;                      // that are not at all replicas yet
  bool is_automatic_ = true;
  bool one_copy_ = false;
  bool shows_types_ = false;
  Stamp clock_ = 0;
  std::size_t transactions_ = 0;
  std::size_t first_replicas_ = 0;
  SessionNumber last_session_ = 0;

  EngineSnapshot snapshot_;
};

}  // namespace heddle::replicated
