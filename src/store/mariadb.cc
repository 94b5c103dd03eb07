// A MariaDB or MySQL server, started by heddle or given by its address, as a StoreServer.
#include <atomic>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "store/addresses.h"
#include "store/guard.h"
#include "store/mariadb_address.h"
#include "store/mariadb_database.h"
#include "store/mariadb_facts.h"
#include "store/quote.h"
#include "store/throwaway_mariadb.h"

namespace heddle {

namespace {

class MariadbServer : public StoreServer {
 public:
  MariadbServer(MariadbAddress address, MariadbFacts facts,
                std::unique_ptr<ThrowawayMariadb> throwaway)
      : throwaway_(std::move(throwaway)), address_(std::move(address)), facts_(std::move(facts)) {}

  std::string description() const override {
    return describe(facts_, throwaway_ ? "throwaway" : "given");
  }

  bool is_throwaway() const override { return throwaway_ != nullptr; }
  Dialect dialect() const override { return Dialect::mysql; }

  IsolationLevel default_level() const override { return facts_.default_level; }

  Result<void> offers(IsolationLevel level) const override { return offers_level(facts_, level); }

  // Names carry the process, so that two heddles on one server keep apart.
  Result<std::unique_ptr<StoreDatabase>> create_database(
      const std::string& preferred_name) override {
    const bool preferred =
        throwaway_ && !preferred_name.empty() && !preferred_taken_.exchange(true);
    const std::string name =
        preferred ? preferred_name : fmt::format("heddle_{}_{}", getpid(), ++databases_);
    const std::string quoted = quote_with(name, '`');
    if (!throwaway_) guard_add_database(to_text(address_), name);
    if (auto created = ask_mariadb(address_, "CREATE DATABASE " + quoted); !created) {
      return created.error();
    }
    MariadbAddress address = address_;
    address.database = name;
    auto database = MariadbDatabase::connect(address);
    if (!database) return database.error();
    (*database)->on_close([this, name, quoted] {
      const auto dropped = ask_mariadb(address_, "DROP DATABASE IF EXISTS " + quoted);
      if (dropped && !throwaway_) guard_forget_database(name);
    });
    return std::unique_ptr<StoreDatabase>(std::move(*database));
  }

 private:
  std::unique_ptr<ThrowawayMariadb> throwaway_;
  MariadbAddress address_;
  MariadbFacts facts_;
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
  auto facts = read_mariadb_facts(parsed);
  if (!facts) return facts.error();
  return std::shared_ptr<StoreServer>(
      std::make_shared<MariadbServer>(std::move(parsed), std::move(*facts), std::move(own)));
}

}  // namespace heddle
