// One logical database of a Redis server. Users' texts run on a connection of their own, so that
// whatever these leave behind, heddle's own commands go on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/redis/connection.h"
#include "store/redis/keys.h"
#include "store/redis/session.h"
#include "store/store.h"

namespace heddle {

class RedisDatabase : public StoreDatabase {
 public:
  // `own` is a connection to it, on which the logical database has been selected and, on a given
  // server, claimed.
  static Result<std::unique_ptr<RedisDatabase>> connect(const RedisAddress& address, int number,
                                                        RedisConnection own, bool is_throwaway);
  ~RedisDatabase() override;

  Dialect dialect() const override { return Dialect::redis; }
  Result<std::vector<std::unique_ptr<StoreSession>>> open_sessions(
      const std::vector<SessionOptions>& options) override;
  Result<std::vector<Reply>> execute(const std::string& text, std::uint32_t timeout_ms) override;
  Result<bool> is_blocked(int backend, const std::vector<int>& others) override;
  Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends,
                                             const std::vector<int>& others) override;
  Result<std::vector<CatalogueTable>> read_catalogue() override;
  bool can_restore() const override { return true; }
  Result<void> take_snapshot() override;
  Result<void> restore_snapshot(const std::set<std::string>& changed) override;
  std::string rollback_text() const override { return "DISCARD"; }
  std::string cleaning_text() const override { return ""; }
  Result<std::vector<std::vector<Row>>> read_rows(const std::vector<const CatalogueTable*>& tables,
                                                  std::uint32_t timeout_ms) override;
  Result<std::vector<std::vector<WatchedRow>>> watch_rows(
      const std::vector<const CatalogueTable*>& tables) override;
  Result<std::vector<std::size_t>> matching(const CatalogueTable& table, const std::string& alias,
                                            const std::string& predicate,
                                            const std::vector<WatchedVersion>& versions) override;
  Result<std::vector<std::optional<std::string>>> writers(
      const std::vector<int>& backends) override;
  std::string level_text() const override { return ""; }
  SnapshotRule snapshot_rule(std::string_view level) const override;
  bool is_true(const Cell& cell) const override;
  Result<void> wipe() override;

  // Called at the end, with whether all keys have been removed.
  void on_close(std::function<void(bool)> action) { on_close_ = std::move(action); }

 private:
  RedisDatabase(RedisAddress address, int number, RedisConnection own, bool is_throwaway);

  Result<std::unique_ptr<RedisSession>> open_session(const std::string& name);
  bool cancel(int client);
  // The clients of the server that wait in a command. None are told while a script runs.
  Result<std::set<int>> blocked_clients();

  std::function<void(bool)> on_close_;
  RedisAddress address_;
  int number_;
  RedisConnection own_;
  bool is_throwaway_;
  std::unique_ptr<RedisSession> control_;  // of users' texts
  std::vector<StoredKey> snapshot_;
};

}  // namespace heddle
