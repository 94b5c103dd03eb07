// The replicated store as a StoreDatabase: its rows are what the replicas converge to.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/replicated/engine.h"
#include "store/sql_database.h"
#include "store/sqlite/catalogue.h"

namespace heddle {

class ReplicatedDatabase : public SqlDatabase {
 public:
  static Result<std::unique_ptr<ReplicatedDatabase>> create(std::size_t replicas);

  Dialect dialect() const override { return Dialect::sqlite; }
  Result<std::vector<std::unique_ptr<StoreSession>>> open_sessions(
      const std::vector<SessionOptions>& options) override;
  Result<std::vector<Reply>> execute(const std::string& text, std::uint32_t timeout_ms) override;
  // Nobody ever waits.
  Result<bool> is_blocked(int /*backend*/, const std::vector<int>& /*others*/) override {
    return false;
  }
  Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends,
                                             const std::vector<int>& /*others*/) override {
    return std::vector<WaitState>(backends.size());
  }
  Result<std::vector<CatalogueTable>> read_catalogue() override;
  Result<void> learn_types() override;
  void keep_one_copy(bool only) override { engine_->keep_one_copy(only); }
  bool is_about_copies(const std::string& text) const override;
  bool can_restore() const override { return true; }
  Result<void> take_snapshot() override { return engine_->take_snapshot(); }
  Result<void> restore_snapshot(const std::set<std::string>& /*changed*/) override {
    return engine_->restore_snapshot();
  }
  // What a session has of its own goes when the snapshot is restored.
  std::string cleaning_text() const override { return "DISCARD ALL"; }
  std::string level_text() const override { return "SHOW TRANSACTION ISOLATION LEVEL"; }
  bool has_copies() const override { return true; }
  SnapshotRule snapshot_rule(std::string_view level) const override;
  bool is_true(const Cell& cell) const override { return is_sqlite_true(cell); }
  Result<void> wipe() override { return engine_->wipe(); }

 private:
  explicit ReplicatedDatabase(std::shared_ptr<replicated::Engine> engine);

  std::string watching_text(const CatalogueTable& table) const override;
  std::string matching_text(const CatalogueTable& table, const std::string& alias,
                            const std::string& predicate,
                            const std::vector<WatchedVersion>& versions) const override;
  // A row may have cells of several transactions.
  std::string writers_text(const std::vector<int>& /*backends*/) const override { return ""; }
  Result<std::vector<Reply>> read_each(const std::vector<const CatalogueTable*>& tables,
                                       const std::vector<std::string>& texts,
                                       std::uint32_t timeout_ms) override;
  Diagnostic own_query_trouble(const StepError& error) const override;

  std::shared_ptr<replicated::Engine> engine_;
};

}  // namespace heddle
