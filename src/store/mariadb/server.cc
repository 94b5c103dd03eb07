// A MariaDB or MySQL server, started by heddle or given by its address, as a StoreServer.
#include "store/mariadb/server.h"

#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "store/database_name.h"
#include "store/mariadb/address.h"
#include "store/mariadb/database.h"
#include "store/mariadb/environment.h"
#include "store/mariadb/facts.h"
#include "store/mariadb/run_claim.h"
#include "store/mariadb/runs.h"
#include "store/mariadb/throwaway.h"
#include "store/quote.h"
#include "throwaway/guard.h"

namespace heddle {

namespace {

class MariadbServer : public StoreServer {
 public:
  MariadbServer(MariadbAddress address, MariadbFacts facts,
                std::unique_ptr<ThrowawayMariadb> throwaway, NewNameDraw draw)
      : throwaway_(std::move(throwaway)),
        address_(std::move(address)),
        facts_(std::move(facts)),
        draw_(std::move(draw)) {}

  std::string description() const override {
    return describe(facts_, throwaway_ ? "throwaway" : "given");
  }

  bool is_throwaway() const override { return throwaway_ != nullptr; }
  Dialect dialect() const override { return Dialect::mysql; }

  IsolationLevel default_level() const override { return facts_.default_level; }

  Result<void> offers(IsolationLevel level) const override { return offers_level(facts_, level); }

  Result<std::unique_ptr<StoreDatabase>> create_database(
      const std::string& preferred_name) override {
    const NewNames names = names_for_copies();
    NewNames first = names;
    // On a server of heddle's own the preferred name is the first that is tried.
    if (throwaway_) {
      first.draw = [this, preferred_name]() -> Result<std::string> {
        const bool is_first = !preferred_name.empty() && !preferred_taken_.exchange(true);
        return is_first ? preferred_name : own_database_name(++databases_);
      };
    }
    const auto name =
        create_under_new_name(first, [this](const std::string& one) { return create(one); });
    if (!name) return name.error();
    MariadbAddress address = address_;
    address.database = *name;
    auto database = MariadbDatabase::connect(address, names);
    if (!database) return database.error();
    (*database)->on_close([this, name = *name, forget = names.forget] {
      const auto dropped =
          ask_mariadb(address_, "DROP DATABASE IF EXISTS " + quote_with(name, '`'));
      if (dropped) forget(name);
    });
    return std::unique_ptr<StoreDatabase>(std::move(*database));
  }

 private:
  NewNames names_for_copies() const {
    NewNames names;
    names.draw = draw_;
    if (throwaway_) return names;
    names.announce = [server = to_text(address_)](const std::string& name) {
      guard_add(kGuardedMariadbDatabases, name, server);
    };
    names.forget = [](const std::string& name) { guard_forget(kGuardedMariadbDatabases, name); };
    return names;
  }

  Result<Creation> create(const std::string& name) {
    if (!throwaway_) return claim_.create(address_, name);
    const auto connection = connect_to_mariadb(address_);
    if (!connection) return connection.error();
    return create_mariadb_database(**connection, name);
  }

  std::unique_ptr<ThrowawayMariadb> throwaway_;
  MariadbRunClaim claim_;
  MariadbAddress address_;
  MariadbFacts facts_;
  NewNameDraw draw_;
  std::atomic<std::uint32_t> databases_ = 0;
  std::atomic<bool> preferred_taken_ = false;  // there is one preferred name
};

}  // namespace

bool is_mariadb_address(std::string_view address) {
  return address == "mariadb" || address.starts_with("mariadb://") ||
         address.starts_with("mysql://");
}

Result<std::shared_ptr<StoreServer>> start_mariadb(const std::string& address,
                                                   const NewNameDraw& draw) {
  take_mariadb_environment();
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
      std::make_shared<MariadbServer>(std::move(parsed), std::move(*facts), std::move(own), draw));
}

}  // namespace heddle
