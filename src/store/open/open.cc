#include "store/open/open.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "store/address_text.h"
#include "store/combined.h"
#include "store/given_server.h"
#include "store/mariadb/environment.h"
#include "store/mariadb/runs.h"
#include "store/open/store_profiles.h"
#include "store/postgres/environment.h"
#include "store/postgres/runs.h"
#include "throwaway/guard.h"

namespace heddle {

namespace {

constexpr const char* kUsualStore = "postgres";

// "postgres, mariadb, ..., mysql://user@host:port/ or redis://host:port/".
std::string usual_addresses() {
  std::vector<std::string> addresses;
  for (const StoreProfile& profile : store_profiles()) addresses.emplace_back(profile.usual);
  for (const StoreProfile& profile : store_profiles()) {
    if (!profile.given.empty()) addresses.emplace_back(profile.given);
  }
  const std::string last = addresses.back();
  addresses.pop_back();
  return join(addresses, ", ") + " or " + last;
}

Result<std::shared_ptr<StoreServer>> start_server(const std::string& address) {
  const StoreProfile* const profile = find_store_profile(address);
  if (profile == nullptr) {
    return unreadable_address(address, "heddle knows no such store", usual_addresses());
  }
  if (profile->outlives) {
    // Before there are threads: the guard is forked.
    if (auto guarded = guard_start(); !guarded) return guarded.error();
  }
  return profile->start(address);
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
  const StoreProfile* const profile = find_store_profile(address);
  const bool is_mariadb = profile != nullptr && profile->kind == StoreKind::mariadb;
  return is_mariadb ? open_mariadb_runs(address) : open_postgres_runs(address);
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
