// Watches a run row by row and writes the History: which transaction installed which version of
// which row, and which versions each statement saw.
//
// The store is asked as little as possible in the sessions themselves, so that watching changes
// nothing: the control connection reads all user tables after every step, and the differences are
// the versions that the transactions ended in between have installed, in commit order. What a
// statement saw follows from when its snapshot was taken (at its start under read committed, at the
// transaction's first statement above; after a wait where plain reads wait) and its predicate is
// evaluated by the store itself on all versions of the row. A row that is gone was deleted by
// somebody, which a statement that would have found it depends on. Left out: reads that we cannot
// read from the text are taken for reads of whole tables, several transactions within one step are
// taken for one, and rows of tables without a key are told apart by their contents.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/history.h"
#include "heddle/outcome.h"
#include "heddle/scenario.h"
#include "heddle/statement.h"
#include "replay/observe/uncommitted_rows.h"
#include "store/store.h"

namespace heddle {

struct ObservedRun {
  Run run;
  History history;
};

class Observer {
 public:
  // References must outlive the observer. `catalogue`: the tables before the run, and those that
  // are watched; steps may make others.
  Observer(const Scenario& scenario, StoreDatabase& database,
           std::vector<CatalogueTable> catalogue);

  // Reads the initial rows. `sessions` have nothing under way.
  Result<void> begin(const std::vector<std::unique_ptr<StoreSession>>& sessions);
  // Notes the state that the step, the run's record number `record`, starts from.
  void before_launch(std::size_t record);
  // Attributes what has been committed since, and reads what completed steps read.
  Result<void> after_launch(const Run& run,
                            const std::vector<std::unique_ptr<StoreSession>>& sessions);
  // REQUIRES: all transactions have ended.
  Result<History> end(const Run& run);

 private:
  // Committed rows at one moment: the version in force of each row that exists, or has existed.
  using State = std::map<RowId, VersionId>;

  // A transaction of a session in one store, or on one of its connections to a store, that has not
  // ended.
  struct OpenTransaction {
    TransactionId id;
    std::optional<std::size_t> snapshot;  // the state of its first statement
    SnapshotRule rule;
    bool level_known = false;
    std::optional<std::string> xid;
    std::vector<std::size_t> records;  // its steps
    bool begun = false;                // by a statement that says so
  };

  // How a transaction wrote a table.
  struct TableWrites {
    std::size_t last = 0;  // record
    std::set<StatementKind> kinds;
  };

  // A statement that read a table, kept until all versions are known.
  struct PendingRead {
    TransactionId transaction;
    std::size_t record = 0;
    std::size_t state = 0;    // into states_; after a wait the one about to be added
    bool after_wait = false;  // the state may hold what its own transaction has written
    std::optional<std::size_t>
        found_in;  // the state before the wait, where it finds its rows there
    const CatalogueTable* table = nullptr;  // of catalogue_
    std::string alias;
    std::string predicate;     // empty: all rows
    std::string otherwise;     // the predicate where no row satisfies the other one; or empty
    bool by_rows = false;      // it met these rows, and has no say in which others there are
    bool at_commit = false;    // its state is known when the transaction commits
    bool reads = true;         // false: it only wrote rows, whatever was in them
    bool uncommitted = false;  // it sees what is not committed
    bool updates = false;      // it writes all rows that it finds
    bool misses = true;        // where a row is gone, it is because this has seen its deletion
  };

  struct CommittedRow {
    RowId row;
    std::string xmin;
    std::string text;   // as the store takes it back
    std::string value;  // as people read it
  };

  // A statement, and the part of its session that it went to: a store, or a connection.
  struct SentStatement {
    Statement statement;
    std::size_t part = 0;
  };

  // How the store shows the rows: `watch` is the question.
  using Watch = Result<std::vector<std::vector<WatchedRow>>> (StoreDatabase::*)(
      const std::vector<const CatalogueTable*>& tables);
  Result<std::map<RowId, CommittedRow>> read_rows(Watch watch);
  // Notes what is there without being committed, where sessions can see that.
  Result<void> note_uncommitted(std::vector<UncommittedRows::Doing> since);
  std::vector<UncommittedRows::Doing> doings(const Run& run,
                                             const std::vector<std::size_t>& completed);
  UncommittedRows::Doing doing_of(TransactionId transaction, std::size_t record,
                                  const std::vector<SentStatement>& statements) const;
  // Of stores that do not show writes of rows as they were: adds the versions that those made.
  Result<void> add_equal_writes();
  void add_equal_write(const PendingRead& read, RowId row);
  Result<void> learn_level(StoreSession& session, std::size_t store, const StepRecord& executed,
                           OpenTransaction& transaction);
  // Slots of open_ whose transactions have ended.
  std::vector<std::size_t> end_transactions(
      const Run& run, const std::vector<std::unique_ptr<StoreSession>>& sessions);
  Result<void> take_differences(const std::vector<std::size_t>& ended);
  Result<void> evaluate(const PendingRead& read);
  State state_seen_by(const PendingRead& read) const;
  void forget_unfound(const PendingRead& read, const std::set<VersionId>& matches,
                      State& seen) const;
  void attribute_writes();
  Result<std::vector<VersionId>> matching_versions(const PendingRead& read);

  std::size_t store_of(const StepRecord& record) const;
  // In their order; replies come in the same order.
  std::vector<SentStatement> statements_of(const StepRecord& record);
  std::set<std::size_t> parts_of(const StepRecord& record) const;
  std::size_t part_of_sent(const StepRecord& record, std::size_t sent) const;
  // Gives the record to the transactions to which what was sent belongs.
  void place_record(const Run& run, std::size_t record);
  bool ends_in_abort(const StepRecord& last, std::size_t part);
  OpenTransaction& transaction_of(SessionId session, std::size_t part);
  std::size_t slot_of(SessionId session, std::size_t part) const {
    return session.index() * parts_ + part;
  }
  std::size_t store_of_part(std::size_t part) const { return connections_ > 1 ? 0 : part; }
  StoreSession& session_of_part(StoreSession& session, std::size_t part) const;
  void note_reads(const Run& run, std::size_t record, std::size_t part,
                  OpenTransaction& transaction);
  void note_writes(const Statement& statement, const Reply& reply, std::size_t record,
                   const OpenTransaction& transaction);
  void note_reads(const Statement& statement, std::size_t record, bool waited,
                  OpenTransaction& transaction);
  // observer_met.cc: which rows a statement met that was refused, or did nothing, for them.
  void note_met(const Statement& statement, const Reply& reply, std::size_t record, bool waited,
                const OpenTransaction& transaction);
  void note_rows_in_the_way(const Statement& statement, const CatalogueTable& table,
                            PendingRead read);
  void note_referred(const Statement& statement, const CatalogueTable& table, PendingRead read);
  void note_referring(const Statement& statement, const CatalogueTable& table, PendingRead read);
  // Of a transaction whose statements are only kept until it commits: they belong to that step.
  void perform_kept(const OpenTransaction& transaction, std::size_t record, bool committed);
  bool exists(VersionId version) const;
  void note_touched(const PendingRead& read, const std::set<VersionId>& matches);
  std::optional<TransactionId> writer_of(const std::string& xmin, const std::string& table,
                                         StatementKind difference,
                                         const std::vector<std::size_t>& ended) const;
  RowId row_named(const std::string& table, const std::string& key);
  VersionId add_version(RowId row, std::optional<TransactionId> writer,
                        const std::optional<CommittedRow>& committed);
  void add_write(TransactionId transaction, VersionId version);
  OperationId add_operation(Operation operation);
  const CatalogueTable* find_table(const TableUse& use) const;

  const Scenario& scenario_;
  StoreDatabase& database_;
  const std::vector<CatalogueTable> catalogue_;
  const std::size_t connections_;  // of each session, where there is one store
  const std::size_t parts_;        // of each session: stores or connections
  History history_;
  std::vector<int> backends_;
  std::vector<std::string> texts_;                    // per version
  std::vector<std::optional<OpenTransaction>> open_;  // per session and part
  std::vector<std::uint32_t> begun_;                  // transactions so far, per session
  std::vector<State> states_;                         // committed states, oldest first
  std::map<RowId, CommittedRow> committed_;           // the newest
  std::map<RowName, RowId> rows_;
  std::map<std::size_t, std::size_t> state_at_launch_;  // record -> state
  std::map<std::size_t, bool> processed_;               // record -> done
  std::vector<std::size_t> launched_;                   // records that no transaction has yet
  std::vector<std::vector<std::size_t>> records_of_;    // transaction -> its records
  std::vector<std::size_t> part_of_transaction_;
  std::map<std::string, TransactionId> transaction_of_xid_;
  std::vector<PendingRead> pending_;
  std::set<std::size_t> writing_records_;
  UncommittedRows uncommitted_;
  std::vector<State> uncommitted_states_;  // as states_; empty until all transactions have ended
  std::vector<std::optional<std::size_t>> ended_in_;  // transaction -> the first state behind it
  // The last record of a transaction that wrote rows by their keys, or looked at them to write.
  std::map<std::pair<TransactionId, RowId>, std::uint32_t> touched_;
  // transaction -> table
  std::vector<std::map<std::string, TableWrites>> tables_written_;
};

}  // namespace heddle
