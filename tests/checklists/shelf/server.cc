#include "store/shelf/server.h"

#include <utility>

#include <fmt/format.h>

namespace heddle {

namespace {

std::vector<Reply> nothing_done() {
  Reply reply;
  reply.result.emplace();
  return {std::move(reply)};
}

class ShelfSession : public StoreSession {
 public:
  explicit ShelfSession(int id) : id_(id) {}

  Result<void> send(const std::string& /*text*/) override {
    replies_ = nothing_done();
    return {};
  }
  Result<bool> busy() override { return false; }
  int socket() const override { return -1; }
  std::vector<Reply> take_replies() override { return std::exchange(replies_, {}); }
  std::vector<std::string> take_notices() override { return {}; }
  std::vector<Notification> take_notifications() override { return {}; }
  TransactionState transaction_state() const override { return TransactionState::idle; }
  bool cancel() override { return true; }
  int backend_id() const override { return id_; }

 private:
  int id_;
  std::vector<Reply> replies_;
};

class ShelfDatabase : public StoreDatabase {
 public:
  Dialect dialect() const override { return Dialect::sqlite; }
  Result<std::vector<std::unique_ptr<StoreSession>>> open_sessions(
      const std::vector<SessionOptions>& options) override {
    std::vector<std::unique_ptr<StoreSession>> sessions;
    while (sessions.size() < options.size()) {
      sessions.push_back(std::make_unique<ShelfSession>(++sessions_));
    }
    return sessions;
  }
  Result<std::vector<Reply>> execute(const std::string& /*text*/,
                                     std::uint32_t /*timeout_ms*/) override {
    return nothing_done();
  }
  Result<bool> is_blocked(int /*backend*/, const std::vector<int>& /*others*/) override {
    return false;
  }
  Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends,
                                             const std::vector<int>& /*others*/) override {
    return std::vector<WaitState>(backends.size());
  }
  Result<std::vector<CatalogueTable>> read_catalogue() override {
    return std::vector<CatalogueTable>();
  }
  bool can_restore() const override { return false; }
  Result<void> take_snapshot() override { return {}; }
  Result<void> restore_snapshot(const std::set<std::string>& /*changed*/) override { return {}; }
  std::string cleaning_text() const override { return ""; }
  Result<std::vector<std::vector<Row>>> read_rows(const std::vector<const CatalogueTable*>& tables,
                                                  std::uint32_t /*timeout_ms*/) override {
    return std::vector<std::vector<Row>>(tables.size());
  }
  Result<std::vector<std::vector<WatchedRow>>> watch_rows(
      const std::vector<const CatalogueTable*>& tables) override {
    return std::vector<std::vector<WatchedRow>>(tables.size());
  }
  Result<std::vector<std::size_t>> matching(
      const CatalogueTable& /*table*/, const std::string& /*alias*/,
      const std::string& /*predicate*/, const std::vector<WatchedVersion>& /*versions*/) override {
    return std::vector<std::size_t>();
  }
  Result<std::vector<std::optional<std::string>>> writers(
      const std::vector<int>& backends) override {
    return std::vector<std::optional<std::string>>(backends.size());
  }
  std::string level_text() const override { return ""; }
  SnapshotRule snapshot_rule(std::string_view /*level*/) const override { return {}; }
  bool is_true(const Cell& cell) const override { return cell == "1"; }
  Result<void> wipe() override { return {}; }

 private:
  int sessions_ = 0;
};

class ShelfServer : public StoreServer {
 public:
  std::string description() const override { return "a shelf (throwaway)"; }
  bool is_throwaway() const override { return true; }
  Dialect dialect() const override { return Dialect::sqlite; }
  IsolationLevel default_level() const override { return IsolationLevel::serializable; }
  Result<void> offers(IsolationLevel level) const override {
    if (level == IsolationLevel::serializable) return {};
    return Diagnostic{.what = fmt::format("a shelf has no level {}", definition(level).name),
                      .what_to_do = "use serializable"};
  }
  Result<std::unique_ptr<StoreDatabase>> create_database(
      const std::string& /*preferred_name*/) override {
    return std::unique_ptr<StoreDatabase>(std::make_unique<ShelfDatabase>());
  }
};

}  // namespace

bool is_shelf_address(std::string_view address) { return address == "shelf"; }

Result<std::shared_ptr<StoreServer>> start_shelf(const std::string& /*address*/) {
  return std::shared_ptr<StoreServer>(std::make_shared<ShelfServer>());
}

}  // namespace heddle
