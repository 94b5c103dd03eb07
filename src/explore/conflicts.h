// Which steps of two sessions can make a difference to each other, so that their order matters.
//
// Two steps that cannot may be swapped wherever they stand side by side: the results, the waits and
// the final rows stay the same. What is in each other's way: a write or a lock and any other use of
// the same row (of the same table, where the row is not known; tables that refer to each other are
// one); the end of a transaction and whatever uses what it wrote or locked; the end of a
// transaction and the statement that takes the snapshot of another that uses any of it, at any
// time. Where it cannot be known everything is in everything's way: PostgreSQL's serializable,
// which watches pages and the order of commits; SQLite, which locks the whole file; triggers, views
// and functions; statements that are not plain reads and writes; locks taken by name.
//
// A command of Redis uses its keys when it is sent, or between MULTI and EXEC at EXEC, which looks
// at the watched keys, too.
//
// A step of a called functionality may be each of its statements that can run there, and may end
// the transaction, because any statement in front of it may have failed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heddle/isolation.h"
#include "heddle/scenario.h"
#include "heddle/statement.h"
#include "store/store.h"

namespace heddle {

class StepConflicts {
 public:
  // `statements`: of each step (Runner::statements). `dialects`: of each store. `level`: that of
  // sessions that set none.
  StepConflicts(const Scenario& scenario, const std::vector<CatalogueTable>& catalogue,
                const std::vector<std::vector<Statement>>& statements,
                std::vector<Dialect> dialects, std::optional<IsolationLevel> level);

  // REQUIRES: steps of two different sessions.
  bool in_conflict(StepId a, StepId b) const {
    return conflicts_[a.index() * step_count_ + b.index()];
  }
  // Why all steps are in conflict; empty: they are not.
  const std::string& reason() const { return reason_; }

 private:
  // A row or a table that is read, or written or locked.
  struct Access {
    std::size_t group = 0;  // of tables that refer to each other
    std::string table;
    std::optional<std::string> row;  // the value of its key; none: any row
    bool exclusive = false;
    std::size_t store = 0;
  };
  struct Footprint {
    std::size_t store = 0;
    bool known = true;
    bool ends = false;            // a transaction
    bool takes_snapshot = false;  // for statements to come
    std::vector<Access> accesses;
    std::size_t used = 0;  // how many accesses the session has had when the step is over
  };
  // Where a session stands in one store, between two statements.
  struct Progress {
    bool in_transaction = false;
    bool has_snapshot = false;
    // Of Redis: what EXEC will do and look at.
    std::vector<Access> kept;
    bool kept_is_known = true;
  };

  std::string find_reason(const Scenario& scenario, std::optional<IsolationLevel> level) const;
  void group_tables(const std::vector<CatalogueTable>& catalogue);
  void read_session(const Scenario& scenario, const Session& session,
                    const std::vector<std::vector<Statement>>& statements);
  void read_call(const Scenario& scenario, const Session& session, bool is_known,
                 std::vector<Access>& all);
  void add(const Statement& statement, Footprint& footprint, Progress& progress) const;
  // Of a functionality, at some step of its call.
  void add_called(const Statement& statement, Footprint& footprint) const;
  void add_redis(const Statement& statement, Footprint& footprint, Progress& progress) const;
  // False: the statement uses a table that is not known.
  bool add_accesses(const Statement& statement, std::vector<Access>& accesses) const;
  // The rows that the statement names; one that is none stands for any.
  std::vector<std::optional<std::string>> rows_of(const Statement& statement,
                                                  const CatalogueTable& table) const;
  std::optional<std::string> row_of(const Statement& statement, const CatalogueTable& table) const;
  bool overlap(const Access& a, const Access& b) const;
  // Whether the first is in the way of the second.
  bool disturbs(std::size_t a, std::size_t b) const;

  const std::vector<CatalogueTable>& catalogue_;
  std::vector<Dialect> dialects_;
  bool keys_are_all_ = true;  // what tells rows apart
  std::size_t step_count_;
  std::string reason_;
  std::vector<std::size_t> groups_;                    // per table of the catalogue
  std::vector<Footprint> footprints_;                  // per step
  std::vector<std::size_t> session_of_;                // per step
  std::vector<std::vector<Access>> session_accesses_;  // per session, with its setup
  std::vector<bool> conflicts_;
};

}  // namespace heddle
