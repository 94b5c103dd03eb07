#include "store/mariadb/run_claim.h"

#include <mysqld_error.h>
#include <utility>

#include <fmt/format.h>

#include "store/control.h"
#include "store/mariadb/facts.h"
#include "store/quote.h"
#include "store/server_runs.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// The longest that servers take, a year.
constexpr const char* kStayConnected = "SET SESSION wait_timeout = 31536000";

}  // namespace

Result<void> MariadbRunClaim::hold(const MariadbAddress& address) {
  if (connection_) return {};
  const auto run = run_mark();
  if (!run) return run.error();
  auto connection = connect_to_mariadb(address);
  if (!connection) return connection.error();
  if (auto set = ask_mariadb(**connection, kStayConnected); !set) return set.error();
  for (const std::string& name : run_lock_names(*run)) {
    auto got = ask_mariadb(**connection, fmt::format("SELECT GET_LOCK('{}', 0)", name));
    if (!got) return got.error();
    if (got->empty() || got->front() != "1") continue;
    connection_ = std::move(*connection);
    return {};
  }
  return store_trouble("heddle reaches the server by too many addresses", "use one for all stores");
}

Result<Creation> MariadbRunClaim::create(const MariadbAddress& address,
                                         const std::string& database) {
  const std::lock_guard lock(mutex_);
  if (auto held = hold(address); !held) return held.error();
  return create_mariadb_database(*connection_, database);
}

Result<Creation> create_mariadb_database(MYSQL& connection, const std::string& database) {
  const std::string statement = "CREATE DATABASE " + quote_with(database, '`');
  if (mysql_query(&connection, statement.c_str()) == 0) return Creation::made;
  if (mysql_errno(&connection) == ER_DB_CREATE_EXISTS) return Creation::name_is_taken;
  const std::string reason = in_one_line(mysql_error(&connection));
  return store_trouble(fmt::format("the server refused {}: {}", statement, reason),
                       advice_for(reason));
}

}  // namespace heddle
