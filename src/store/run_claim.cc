#include "store/run_claim.h"

#include <mysqld_error.h>
#include <utility>

#include <fmt/format.h>

#include "store/control.h"
#include "store/mariadb_facts.h"
#include "store/quote.h"
#include "store/server_runs.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// Shared, because a run may know a server by two addresses. A session that does nothing must not be
// ended for it; servers before version 14 do not know the setting.
std::string lock_text(const std::string& run) {
  return fmt::format(
      "SELECT pg_catalog.pg_advisory_lock_shared({});"
      "SELECT pg_catalog.set_config('idle_session_timeout', '0', false) "
      "FROM pg_catalog.pg_settings WHERE name = 'idle_session_timeout'",
      run_lock_key(run));
}

// The longest that servers take, a year.
constexpr const char* kStayConnected = "SET SESSION wait_timeout = 31536000";

}  // namespace

Result<void> PostgresRunClaim::hold(const ConnectionParameters& parameters) {
  const std::lock_guard lock(mutex_);
  if (connection_) return {};
  const auto run = run_mark();
  if (!run) return run.error();
  PostgresConnection connection = start_connecting(parameters);
  if (auto connected = finish_connecting({connection.get()}); !connected) return connected;
  const std::unique_ptr<PGresult, decltype(&PQclear)> held(
      PQexec(connection.get(), lock_text(*run).c_str()), &PQclear);
  if (PQresultStatus(held.get()) != PGRES_TUPLES_OK) {
    const std::string reason = in_one_line(PQerrorMessage(connection.get()));
    return store_trouble("PostgreSQL refused the lock of the run: " + reason, advice_for(reason));
  }
  connection_ = std::move(connection);
  return {};
}

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
