// One database of a MariaDB or MySQL server with its control connection.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/database_name.h"
#include "store/mariadb/session.h"
#include "store/sql_database.h"

namespace heddle {

class MariadbDatabase : public SqlDatabase {
 public:
  // Connects to the database that the address names. `names` are for the database that holds copies
  // of its tables.
  static Result<std::unique_ptr<MariadbDatabase>> connect(const MariadbAddress& address,
                                                          NewNames names = {});

  Dialect dialect() const override { return Dialect::mysql; }
  bool takes_connections() const override { return true; }
  Result<std::vector<std::unique_ptr<StoreSession>>> open_sessions(
      const std::vector<SessionOptions>& options) override;
  Result<std::unique_ptr<MariadbSession>> open_session(const SessionOptions& options);
  Result<std::vector<Reply>> execute(const std::string& text, std::uint32_t timeout_ms) override;
  Result<bool> is_blocked(int backend, const std::vector<int>& others) override;
  Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends,
                                             const std::vector<int>& others) override;
  Result<std::vector<CatalogueTable>> read_catalogue() override;
  Result<void> learn_types() override {
    *shows_types_ = true;
    return {};
  }
  bool can_restore() const override { return can_restore_; }
  Result<void> take_snapshot() override;
  Result<void> restore_snapshot(const std::set<std::string>& changed) override;
  std::string cleaning_text() const override { return ""; }
  std::string level_text() const override { return level_text_; }
  SnapshotRule snapshot_rule(std::string_view level) const override;
  bool shows_uncommitted() const override { return true; }
  Result<std::vector<std::vector<WatchedRow>>> watch_uncommitted_rows(
      const std::vector<const CatalogueTable*>& tables) override;
  bool shows_equal_writes() const override { return false; }
  bool is_true(const Cell& cell) const override;
  Result<void> wipe() override;

  ~MariadbDatabase() override;

  // Called once the connection is closed.
  void on_close(std::function<void()> action) { on_close_ = std::move(action); }

 private:
  std::string watching_text(const CatalogueTable& table) const override;
  std::string matching_text(const CatalogueTable& table, const std::string& alias,
                            const std::string& predicate,
                            const std::vector<WatchedVersion>& versions) const override;
  std::string writers_text(const std::vector<int>& /*backends*/) const override { return ""; }

  MariadbDatabase(MariadbAddress address, MariadbConnection connection, NewNames names);

  Diagnostic own_query_trouble(const StepError& error) const override;
  bool kill_query(unsigned long connection);

  // The connections that wait for a lock: of InnoDB, on metadata, or one that a session took by
  // name.
  struct Waits;
  Result<Waits> read_waits();
  Result<std::vector<std::pair<int, int>>> ask_lock_waits();
  Result<std::vector<std::pair<int, int>>> ask_metadata_waits();

  // A copy of a table as it was: what to compare with, and what it has beyond rows.
  struct Snapshot {
    std::string table;     // quoted
    std::string copy;      // quoted, with its database
    std::string checksum;  // as CHECKSUM TABLE says it
    std::string next;      // the next AUTO_INCREMENT; empty: none
  };
  std::string update_text(std::size_t index) const;
  Result<Creation> create_copies(const std::string& name);
  Result<void> drop_copies();

  std::function<void()> on_close_;
  MariadbAddress address_;
  NewNames names_;
  std::unique_ptr<MariadbSession> control_;
  std::vector<CatalogueTable> catalogue_;
  std::vector<Snapshot> snapshots_;  // as catalogue_
  std::set<std::string> plain_;      // tables with a primary key and no other index
  std::string copies_;               // the database of the copies; empty: there is none
  std::string level_text_;
  std::shared_ptr<bool> shows_types_ = std::make_shared<bool>(false);  // its sessions' too
  bool can_restore_ = true;
  bool has_performance_schema_ = false;
};

// What sessions of MariaDB and MySQL call the level that is asked for; empty when there is none.
std::string_view mariadb_level(IsolationLevel level);

}  // namespace heddle
