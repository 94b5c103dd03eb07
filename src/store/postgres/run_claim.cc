#include "store/postgres/run_claim.h"

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "store/database_name.h"
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

}  // namespace heddle
