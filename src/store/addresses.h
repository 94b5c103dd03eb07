// Which store an address names, and how each of them is opened.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heddle/result.h"
#include "store/database_name.h"
#include "store/store.h"

namespace heddle {

// "postgres", "postgres://..." and what else libpq takes.
bool is_postgres_address(std::string_view address);
// REQUIRES: is_postgres_address(address); the guard has been started. `draw`: how its databases get
// their names.
Result<std::shared_ptr<StoreServer>> start_postgres(const std::string& address,
                                                    const NewNameDraw& draw = draw_database_name);

// "mariadb", "mariadb://user:password@host:port/" and "mysql://...".
bool is_mariadb_address(std::string_view address);
// REQUIRES: is_mariadb_address(address); the guard has been started. `draw`: as above.
Result<std::shared_ptr<StoreServer>> start_mariadb(const std::string& address,
                                                   const NewNameDraw& draw = draw_database_name);

// "mariadb:ring": two servers in circular replication; or what looks like it.
bool is_ring_address(std::string_view address);
// REQUIRES: is_ring_address(address); the guard has been started.
Result<std::shared_ptr<StoreServer>> start_ring(const std::string& address);

// "sqlite" and "sqlite:wal".
bool is_sqlite_address(std::string_view address);
// REQUIRES: is_sqlite_address(address); the guard has been started.
Result<std::shared_ptr<StoreServer>> start_sqlite(const std::string& address);

// "redis", "redis://user:password@host:port/" and "unix:/path".
bool is_redis_address(std::string_view address);
// REQUIRES: is_redis_address(address); the guard has been started.
Result<std::shared_ptr<StoreServer>> start_redis(const std::string& address);

// "replicated" and "replicated:3".
bool is_replicated_address(std::string_view address);
// REQUIRES: is_replicated_address(address).
Result<std::shared_ptr<StoreServer>> start_replicated(const std::string& address);

// `usual`: what the address could be. Shows no password.
Diagnostic unreadable_address(const std::string& address, const std::string& why,
                              const std::string& usual);

// The message without any password of the address.
Diagnostic without_passwords_of(const std::string& address, Diagnostic trouble);

}  // namespace heddle
