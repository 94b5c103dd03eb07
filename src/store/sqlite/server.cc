// SQLite as a StoreServer: a private directory, in which each database is a file. Nothing runs
// there, and nobody listens.
#include "store/sqlite/server.h"

#include <atomic>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "store/address_text.h"
#include "store/sqlite/database.h"
#include "throwaway/directory.h"

namespace heddle {

namespace {

constexpr std::string_view kRollback = "sqlite";
constexpr std::string_view kWal = "sqlite:wal";

class SqliteServer : public StoreServer {
 public:
  SqliteServer(std::unique_ptr<ThrowawayDirectory> directory, SqliteJournal journal)
      : directory_(std::move(directory)), journal_(journal) {}

  std::string description() const override {
    return fmt::format("SQLite {} (throwaway{})", sqlite3_libversion(),
                       journal_ == SqliteJournal::wal ? ", WAL" : "");
  }
  bool is_throwaway() const override { return true; }
  Dialect dialect() const override { return Dialect::sqlite; }
  IsolationLevel default_level() const override { return IsolationLevel::serializable; }

  Result<void> offers(IsolationLevel level) const override {
    if (level == IsolationLevel::serializable) return {};
    return Diagnostic{.what = fmt::format("SQLite has no level {}: all of its transactions are "
                                          "serializable",
                                          definition(level).name),
                      .what_to_do = "use serializable, or no --isolation at all",
                      .file = "",
                      .position = {},
                      .trouble = Trouble::bad_input};
  }

  // A name would be seen by nobody.
  Result<std::unique_ptr<StoreDatabase>> create_database(
      const std::string& /*preferred_name*/) override {
    const std::string path = fmt::format("{}/{}.db", directory_->data(), ++databases_);
    auto database = SqliteDatabase::create(path, journal_);
    if (!database) return database.error();
    return std::unique_ptr<StoreDatabase>(std::move(*database));
  }

 private:
  std::unique_ptr<ThrowawayDirectory> directory_;
  SqliteJournal journal_;
  std::atomic<std::uint32_t> databases_ = 0;
};

}  // namespace

bool is_sqlite_address(std::string_view address) {
  return address == kRollback || address.starts_with("sqlite:");
}

Result<std::shared_ptr<StoreServer>> start_sqlite(const std::string& address) {
  if (address != kRollback && address != kWal) {
    return unreadable_address(address, "heddle makes the files of SQLite itself",
                              fmt::format("{} or {}", kRollback, kWal));
  }
  remove_leftovers(leftover_roots());
  auto directory = ThrowawayDirectory::create(throwaway_roots(), std::nullopt);
  if (!directory) return directory.error();
  const SqliteJournal journal = address == kWal ? SqliteJournal::wal : SqliteJournal::rollback;
  return std::shared_ptr<StoreServer>(
      std::make_shared<SqliteServer>(std::move(*directory), journal));
}

}  // namespace heddle
