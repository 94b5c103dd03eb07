#include "store/addresses.h"

#include <map>
#include <mutex>

#include <fmt/format.h>

#include "store/address_text.h"
#include "store/given_server.h"
#include "store/guard.h"

namespace heddle {

namespace {

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

}  // namespace

Diagnostic unreadable_address(const std::string& address, const std::string& why,
                              const std::string& usual) {
  return Diagnostic{.what = fmt::format("cannot read the address {}: {}", without_password(address),
                                        without_password_of(address, why)),
                    .what_to_do = "use " + usual,
                    .file = "",
                    .position = {},
                    .trouble = Trouble::bad_input};
}

Diagnostic without_passwords_of(const std::string& address, Diagnostic trouble) {
  for (std::string* text : {&trouble.what, &trouble.what_to_do, &trouble.file}) {
    *text = without_password_of(address, std::move(*text));
  }
  return trouble;
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

}  // namespace heddle
