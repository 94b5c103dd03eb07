// A database whose sessions have several connections to it each.
//
// Whoever is not a session, and sets rows up, looks at them or asks invariants, sees one database
// as ever. Sessions are numbered from 1, and what is said of a session's waits is said of all of
// its connections.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "store/connected_session.h"
#include "store/store.h"

namespace heddle {

class ConnectedDatabase : public StoreDatabase {
 public:
  // `connections`: of each session.
  ConnectedDatabase(std::unique_ptr<StoreDatabase> whole, std::size_t connections);

  std::size_t connection_count() const override { return connections_; }
  Dialect dialect() const override { return whole_->dialect(); }
  Result<std::vector<std::unique_ptr<StoreSession>>> open_sessions(
      const std::vector<SessionOptions>& options) override;
  Result<std::vector<Reply>> execute(const std::string& text, std::uint32_t timeout_ms) override {
    return whole_->execute(text, timeout_ms);
  }
  Result<bool> is_blocked(int backend, const std::vector<int>& others) override;
  Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends,
                                             const std::vector<int>& others) override;
  Result<std::vector<CatalogueTable>> read_catalogue() override { return whole_->read_catalogue(); }
  Result<void> learn_types() override { return whole_->learn_types(); }
  bool can_restore() const override { return whole_->can_restore(); }
  Result<void> take_snapshot() override { return whole_->take_snapshot(); }
  Result<void> restore_snapshot(const std::set<std::string>& changed) override {
    return whole_->restore_snapshot(changed);
  }
  std::string cleaning_text() const override { return whole_->cleaning_text(); }
  std::string rollback_text() const override { return whole_->rollback_text(); }
  Result<std::vector<std::vector<Row>>> read_rows(const std::vector<const CatalogueTable*>& tables,
                                                  std::uint32_t timeout_ms) override {
    return whole_->read_rows(tables, timeout_ms);
  }
  Result<std::vector<std::vector<WatchedRow>>> watch_rows(
      const std::vector<const CatalogueTable*>& tables) override {
    return whole_->watch_rows(tables);
  }
  bool shows_uncommitted() const override { return whole_->shows_uncommitted(); }
  Result<std::vector<std::vector<WatchedRow>>> watch_uncommitted_rows(
      const std::vector<const CatalogueTable*>& tables) override {
    return whole_->watch_uncommitted_rows(tables);
  }
  bool has_copies() const override { return whole_->has_copies(); }
  bool shows_equal_writes() const override { return whole_->shows_equal_writes(); }
  Result<std::vector<std::size_t>> matching(const CatalogueTable& table, const std::string& alias,
                                            const std::string& predicate,
                                            const std::vector<WatchedVersion>& versions) override {
    return whole_->matching(table, alias, predicate, versions);
  }
  Result<std::vector<std::optional<std::string>>> writers(
      const std::vector<int>& backends) override {
    return whole_->writers(all_backends(backends));
  }
  std::string level_text() const override { return whole_->level_text(); }
  SnapshotRule snapshot_rule(std::string_view level) const override {
    return whole_->snapshot_rule(level);
  }
  bool is_true(const Cell& cell) const override { return whole_->is_true(cell); }
  Result<void> wipe() override { return whole_->wipe(); }

 protected:
  // What a session's connection of that number is opened with.
  virtual SessionOptions options_of(const SessionOptions& session,
                                    std::size_t /*connection*/) const {
    return session;
  }
  // What is left out of the names of tables (ConnectedSession).
  virtual std::vector<std::string> prefixes() const { return {}; }

  StoreDatabase& whole() const { return *whole_; }
  // The connections over which the sessions are sent something, or were last.
  std::vector<int> current_backends(const std::vector<int>& backends) const;
  // Session by session.
  std::vector<int> all_backends(const std::vector<int>& backends) const;

 private:
  int current_backend(int backend) const;

  const std::unique_ptr<StoreDatabase> whole_;
  const std::size_t connections_;
  std::vector<std::vector<int>> backends_;            // of each session
  std::vector<std::shared_ptr<std::size_t>> places_;  // of each session
};

}  // namespace heddle
