// One database of SQLite: a file, with its control connection.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/sql_database.h"
#include "store/sqlite/catalogue.h"
#include "store/sqlite/session.h"

namespace heddle {

class SqliteDatabase : public SqlDatabase {
 public:
  // Makes the file, which must not be there.
  static Result<std::unique_ptr<SqliteDatabase>> create(const std::string& path,
                                                        SqliteJournal journal);
  // Removes the file. REQUIRES: no session of it is left.
  ~SqliteDatabase() override;

  Dialect dialect() const override { return Dialect::sqlite; }
  Result<std::vector<std::unique_ptr<StoreSession>>> open_sessions(
      const std::vector<SessionOptions>& options) override;
  // Never waits for a lock.
  Result<std::vector<Reply>> execute(const std::string& text, std::uint32_t timeout_ms) override;
  Result<bool> is_blocked(int backend, const std::vector<int>& others) override;
  Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends,
                                             const std::vector<int>& others) override;
  Result<std::vector<CatalogueTable>> read_catalogue() override;
  bool can_restore() const override { return catalogue_.can_restore; }
  Result<void> take_snapshot() override;
  Result<void> restore_snapshot(const std::set<std::string>& changed) override;
  std::string cleaning_text() const override { return ""; }
  bool shows_equal_writes() const override { return false; }
  Result<std::vector<std::vector<WatchedRow>>> watch_rows(
      const std::vector<const CatalogueTable*>& tables) override;
  // There is one level.
  std::string level_text() const override { return ""; }
  SnapshotRule snapshot_rule(std::string_view level) const override;
  bool is_true(const Cell& cell) const override;
  Result<void> wipe() override;

 private:
  SqliteDatabase(std::string path, SqliteJournal journal);

  std::string watching_text(const CatalogueTable& table) const override;
  std::string matching_text(const CatalogueTable& table, const std::string& alias,
                            const std::string& predicate,
                            const std::vector<WatchedVersion>& versions) const override;
  std::string writers_text(const std::vector<int>& /*backends*/) const override { return ""; }

  Diagnostic own_query_trouble(const StepError& error) const override;
  Result<std::unique_ptr<SqliteSession>> open_session(SqliteSession::Patience patience);
  // Changes whenever rows may have changed.
  Result<std::string> state();

  // The session of that number; null: it has ended.
  const SqliteSession* session(int backend) const;

  std::string path_;
  SqliteJournal journal_;
  std::unique_ptr<SqliteSession> control_;
  std::map<int, const SqliteSession*> sessions_;
  SqliteCatalogue catalogue_;
  bool has_copies_ = false;
  std::string restored_state_;
};

}  // namespace heddle
