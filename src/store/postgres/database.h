// One PostgreSQL database with its control connection.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres/session.h"
#include "store/sql_database.h"

namespace heddle {

class PostgresDatabase : public SqlDatabase {
 public:
  // Connects to the database that `parameters` name.
  static Result<std::unique_ptr<PostgresDatabase>> connect(const ConnectionParameters& parameters);

  Dialect dialect() const override { return Dialect::postgres; }
  bool has_schemas() const override { return true; }
  bool takes_connections() const override { return true; }
  Result<std::vector<std::unique_ptr<StoreSession>>> open_sessions(
      const std::vector<SessionOptions>& options) override;
  Result<std::vector<Reply>> execute(const std::string& text, std::uint32_t timeout_ms) override;
  Result<bool> is_blocked(int backend, const std::vector<int>& others) override;
  Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends,
                                             const std::vector<int>& others) override;
  Result<std::vector<CatalogueTable>> read_catalogue() override;
  Result<void> learn_types() override;
  bool can_restore() const override;
  Result<void> take_snapshot() override;
  Result<void> restore_snapshot(const std::set<std::string>& changed) override;
  std::string cleaning_text() const override { return "DISCARD ALL"; }
  std::string level_text() const override { return "SHOW transaction_isolation"; }
  SnapshotRule snapshot_rule(std::string_view level) const override;
  bool is_true(const Cell& cell) const override;
  Result<void> wipe() override;

  ~PostgresDatabase() override;

  // Called once the connection is closed.
  void on_close(std::function<void()> action) { on_close_ = std::move(action); }

  int server_version() const;  // libpq's number: 150004
  // Whether the server has not closed the connection meanwhile. REQUIRES: nothing under way.
  bool is_open();

 private:
  std::string watching_text(const CatalogueTable& table) const override;
  std::string matching_text(const CatalogueTable& table, const std::string& alias,
                            const std::string& predicate,
                            const std::vector<WatchedVersion>& versions) const override;
  std::string writers_text(const std::vector<int>& backends) const override;

  PostgresDatabase(ConnectionParameters parameters, PostgresConnection connection);

  Diagnostic own_query_trouble(const StepError& error) const override;
  // A statement on the control connection whose only result has been asked for with parameters.
  Result<std::vector<Row>> query_prepared(const char* name, const std::vector<std::string>& values);

  bool is_superuser() const;
  // The tables that must be emptied together with `changed`.
  std::set<std::string> with_dependents(std::set<std::string> changed) const;

  std::function<void()> on_close_;
  ConnectionParameters parameters_;
  PostgresTableNames names_;
  std::unique_ptr<PostgresSession> control_;
  PGconn* connection_;  // owned by control_
  std::vector<CatalogueTable> catalogue_;
  std::string restore_sequences_;  // one SELECT setval(...) per sequence
};

// PostgreSQL's name for the level that sessions asking for `level` are given; empty when PostgreSQL
// offers none. (Its repeatable read is snapshot isolation.)
std::string_view postgres_level(IsolationLevel level);

}  // namespace heddle
