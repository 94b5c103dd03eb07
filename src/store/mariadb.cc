// A MariaDB or MySQL server, started by heddle or given by its address, as a StoreServer.
#include <atomic>
#include <mutex>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/addresses.h"
#include "store/guard.h"
#include "store/mariadb_address.h"
#include "store/mariadb_database.h"
#include "store/quote.h"
#include "store/throwaway_mariadb.h"
#include "store/trouble.h"

namespace heddle {

namespace {

IsolationLevel level_named(const std::string& name) {
  for (const IsolationLevel level :
       {IsolationLevel::mariadb_read_uncommitted, IsolationLevel::mariadb_read_committed,
        IsolationLevel::mariadb_serializable}) {
    if (mariadb_level(level) == name) return level;
  }
  return IsolationLevel::mariadb_repeatable_read;
}

class MariadbServer : public StoreServer {
 public:
  MariadbServer(MariadbAddress address, std::unique_ptr<ThrowawayMariadb> throwaway)
      : throwaway_(std::move(throwaway)), address_(std::move(address)) {}

  Result<void> reach() {
    auto facts = ask("SELECT VERSION()");
    if (!facts) return facts.error();
    const std::string version = facts->empty() ? "" : facts->front();
    product_ = version.find("MariaDB") == version.npos ? "MySQL" : "MariaDB";
    version_ = version.substr(0, version.find('-'));
    auto level =
        ask("SHOW VARIABLES WHERE variable_name IN ('tx_isolation', "
            "'transaction_isolation', 'innodb_snapshot_isolation')");
    if (!level) return level.error();
    for (std::size_t i = 0; i + 1 < level->size(); i += 2) {
      if ((*level)[i] == "innodb_snapshot_isolation") {
        refuses_stale_writes_ = (*level)[i + 1] == "ON";
      } else {
        default_level_ = level_named((*level)[i + 1]);
      }
    }
    return {};
  }

  // What its levels do depends on the engine's own switch, which every result tells.
  std::string description() const override {
    return fmt::format("{} {} ({}{})", product_, version_, throwaway_ ? "throwaway" : "given",
                       refuses_stale_writes_ ? ", innodb_snapshot_isolation=ON" : "");
  }

  bool is_throwaway() const override { return throwaway_ != nullptr; }
  Dialect dialect() const override { return Dialect::mysql; }

  IsolationLevel default_level() const override { return default_level_; }

  Result<void> offers(IsolationLevel level) const override {
    if (!mariadb_level(level).empty()) return {};
    return Diagnostic{.what = fmt::format("{} has no level {}", product_, definition(level).name),
                      .what_to_do =
                          "use read-uncommitted, read-committed, "
                          "mariadb:repeatable-read or serializable",
                      .file = "",
                      .position = {},
                      .trouble = Trouble::bad_input};
  }

  // Names carry the process, so that two heddles on one server keep apart.
  Result<std::unique_ptr<StoreDatabase>> create_database(
      const std::string& preferred_name) override {
    const bool preferred =
        throwaway_ && !preferred_name.empty() && !preferred_taken_.exchange(true);
    const std::string name =
        preferred ? preferred_name : fmt::format("heddle_{}_{}", getpid(), ++databases_);
    const std::string quoted = quote_with(name, '`');
    if (!throwaway_) guard_add_database(to_text(address_), name);
    if (auto created = ask(fmt::format("CREATE DATABASE {}", quoted)); !created) {
      return created.error();
    }
    MariadbAddress address = address_;
    address.database = name;
    auto database = MariadbDatabase::connect(address);
    if (!database) return database.error();
    (*database)->on_close([this, name, quoted] {
      if (ask("DROP DATABASE IF EXISTS " + quoted) && !throwaway_) guard_forget_database(name);
    });
    return std::unique_ptr<StoreDatabase>(std::move(*database));
  }

 private:
  // One statement on a connection of its own; the cells of its result, row after row.
  Result<std::vector<std::string>> ask(const std::string& statement) const {
    auto connection = connect_to_mariadb(address_);
    if (!connection) return connection.error();
    if (mysql_query(connection->get(), statement.c_str()) != 0) {
      const std::string reason = in_one_line(mysql_error(connection->get()));
      return store_trouble(fmt::format("{} refused {}: {}", product_, statement, reason),
                           advice_for(reason));
    }
    std::vector<std::string> cells;
    MYSQL_RES* const result = mysql_store_result(connection->get());
    if (result == nullptr) return cells;
    while (MYSQL_ROW row = mysql_fetch_row(result)) {
      for (unsigned i = 0; i < mysql_num_fields(result); ++i) {
        cells.emplace_back(row[i] == nullptr ? "" : row[i]);
      }
    }
    mysql_free_result(result);
    return cells;
  }

  std::unique_ptr<ThrowawayMariadb> throwaway_;
  MariadbAddress address_;
  std::string product_ = "MariaDB";
  std::string version_;
  IsolationLevel default_level_ = IsolationLevel::mariadb_repeatable_read;
  bool refuses_stale_writes_ = false;
  std::atomic<std::uint32_t> databases_ = 0;
  std::atomic<bool> preferred_taken_ = false;  // there is one preferred name
};

}  // namespace

bool is_mariadb_address(std::string_view address) {
  return address == "mariadb" || address.starts_with("mariadb://") ||
         address.starts_with("mysql://");
}

Result<std::shared_ptr<StoreServer>> start_mariadb(const std::string& address) {
  std::unique_ptr<ThrowawayMariadb> own;
  MariadbAddress parsed;
  if (address == "mariadb") {
    auto started = ThrowawayMariadb::start({});
    if (!started) return started.error();
    own = std::move(*started);
    parsed.socket = own->socket();
    parsed.user = "root";
  } else {
    auto given = parse_mariadb_address(address);
    if (!given) return given.error();
    parsed = std::move(*given);
    parsed.database.clear();  // heddle works in databases of its own
  }
  auto server = std::make_shared<MariadbServer>(std::move(parsed), std::move(own));
  if (auto reached = server->reach(); !reached) return reached.error();
  return std::shared_ptr<StoreServer>(std::move(server));
}

}  // namespace heddle
