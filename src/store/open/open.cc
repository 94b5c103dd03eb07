#include "store/open/open.h"

#include <algorithm>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "store/address_text.h"
#include "store/combined.h"
#include "store/given_server.h"
#include "store/mariadb/environment.h"
#include "store/mariadb/runs.h"
#include "store/mariadb/server.h"
#include "store/postgres/environment.h"
#include "store/postgres/runs.h"
#include "store/postgres/server.h"
#include "store/redis/server.h"
#include "store/replicated/server.h"
#include "store/ring/server.h"
#include "store/sqlite/server.h"
#include "throwaway/guard.h"

namespace heddle {

namespace {

constexpr const char* kUsualStore = "postgres";

Result<std::shared_ptr<StoreServer>> start_server(const std::string& address) {
  // Nothing of it outlives the process, so that it needs no guard.
  if (is_replicated_address(address)) return start_replicated(address);
  // Before there are threads: the guard is forked.
  if (auto guarded = guard_start(); !guarded) return guarded.error();
  if (is_mariadb_address(address)) return start_mariadb(address);
  if (is_ring_address(address)) return start_ring(address);
  // Before PostgreSQL's, which are whatever has an equals sign, among others.
  if (is_redis_address(address)) return start_redis(address);
  if (is_postgres_address(address)) return start_postgres(address);
  if (is_sqlite_address(address)) return start_sqlite(address);
  return unreadable_address(
      address, "heddle knows no such store",
      "postgres, mariadb, mariadb:ring, redis, sqlite, sqlite:wal, replicated, "
      "postgres://user@host:port/database, "
      "mysql://user@host:port/ or redis://host:port/");
}

std::vector<std::string> addresses_of(const Scenario& scenario, const StoreAddresses& on) {
  std::vector<std::string> addresses;
  for (const StoreDeclaration& store : scenario.stores) addresses.push_back(store.kind);
  if (addresses.empty()) addresses.emplace_back(kUsualStore);
  for (const std::string& text : on.texts) {
    const std::string name = text.substr(0, text.find('='));
    const auto named =
        std::ranges::find(scenario.stores, name, [](const auto& store) { return store.name; });
    const bool is_named = named != scenario.stores.end() && name.size() < text.size();
    const auto store = is_named ? named - scenario.stores.begin() : 0;
    addresses[static_cast<std::size_t>(store)] = is_named ? text.substr(name.size() + 1) : text;
  }
  return addresses;
}

}  // namespace

void take_client_environment() {
  take_postgres_environment();
  take_mariadb_environment();
}

Result<std::unique_ptr<ServerRuns>> open_server_runs(const std::string& address) {
  return is_mariadb_address(address) ? open_mariadb_runs(address) : open_postgres_runs(address);
}

Result<std::shared_ptr<StoreServer>> open_server(const std::string& address) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<StoreServer>> open;
  const std::lock_guard lock(mutex);
  if (std::shared_ptr<StoreServer> server = open[address].lock()) return server;
  auto server = start_server(address);
  if (!server) return without_passwords_of(address, server.error());
  if (!(*server)->is_throwaway()) note_given_server();
  open[address] = *server;
  return server;
}

Result<std::shared_ptr<StoreServer>> open_stores(const Scenario& scenario,
                                                 const StoreAddresses& on) {
  const std::vector<std::string> addresses = addresses_of(scenario, on);
  if (scenario.stores.empty()) return open_server(addresses.front());
  std::vector<NamedServer> servers;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const StoreDeclaration& declared = scenario.stores[i];
    auto server = open_server(addresses[i]);
    if (!server) {
      Diagnostic trouble = server.error();
      if (addresses[i] == declared.kind && trouble.trouble == Trouble::bad_input) {
        trouble.file = scenario.file;
        trouble.position = declared.position;
      }
      return trouble;
    }
    servers.push_back({declared.name, std::move(*server)});
  }
  if (servers.size() == 1) return servers.front().server;
  return combine(std::move(servers));
}

}  // namespace heddle
