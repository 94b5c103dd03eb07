// Whoever makes databases says its run's mark as application_name, which a backend shows before it
// takes the first statement; so a backend that is not shown has none to work on.
#include "store/postgres/runs.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "store/database_name.h"
#include "store/postgres/address.h"
#include "store/postgres/environment.h"
#include "store/postgres/session.h"
#include "store/quote.h"
#include "store/trouble.h"

namespace heddle {

namespace {

using QueryReply = std::unique_ptr<PGresult, decltype(&PQclear)>;

constexpr const char* kPatienceS = "5";

Result<PostgresConnection> reach(ConnectionParameters parameters, const std::string& database) {
  parameters["connect_timeout"] = kPatienceS;
  // Not the run's, which would take this connection for one of its own.
  parameters["application_name"] = "heddle clean";
  if (!database.empty()) parameters["dbname"] = database;
  PostgresConnection connection = connect_and_wait(parameters);
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    return store_trouble("cannot connect to PostgreSQL: " +
                         in_one_line(PQerrorMessage(connection.get())));
  }
  PQsetNoticeProcessor(connection.get(), [](void* /*nobody*/, const char* /*notice*/) {}, nullptr);
  return connection;
}

// The backends of the database and, where its name has a mark, of the run: what makes databases,
// and what works in others of them.
std::string belongs_to(const std::string& database) {
  const std::string_view run = run_mark_in(database);
  std::string inside = fmt::format("datname = {}", quote_literal(database));
  if (run.empty()) return inside;
  return fmt::format("({} OR application_name = '{}' OR datname ~ '^heddle_{}_')", inside,
                     run_application(run), run);
}

class PostgresRuns : public ServerRuns {
 public:
  PostgresRuns(ConnectionParameters parameters, PostgresConnection connection)
      : parameters_(std::move(parameters)), connection_(std::move(connection)) {}

  Result<std::vector<std::string>> databases() override {
    return ask(*connection_, "SELECT datname FROM pg_catalog.pg_database");
  }

  Result<bool> is_alive(const std::string& run) override {
    const auto key = static_cast<std::uint64_t>(run_lock_key(run));
    auto found = ask(
        *connection_,
        fmt::format(
            "SELECT 1 WHERE EXISTS (SELECT FROM pg_catalog.pg_locks WHERE locktype = 'advisory' "
            "AND objsubid = 1 AND classid::pg_catalog.int8 = {} AND objid::pg_catalog.int8 = {}) "
            "OR EXISTS (SELECT FROM pg_catalog.pg_stat_activity "
            "WHERE application_name = '{}' OR datname ~ '^heddle_{}_')",
            key >> 32U, key & 0xFFFFFFFFU, run_application(run), run));
    if (!found) return found.error();
    return !found->empty();
  }

  // Those of users who are more than this one cannot be ended, and asking for it would be an error.
  Result<bool> end_connections(const std::string& database) override {
    auto ended = ask(
        *connection_,
        fmt::format("SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity "
                    "WHERE pid <> pg_catalog.pg_backend_pid() AND backend_type = 'client backend' "
                    "AND pg_catalog.pg_has_role(usesysid, 'MEMBER') AND {}",
                    belongs_to(database)));
    if (!ended) return ended.error();
    return !ended->empty();
  }

  Result<void> drop(const std::string& database) override {
    if (auto rolled_back = roll_back_prepared(database); !rolled_back) return rolled_back;
    auto dropped = ask(*connection_, "DROP DATABASE IF EXISTS " + quote_identifier(database));
    if (!dropped) return dropped.error();
    return {};
  }

 private:
  // The first column of the last result.
  static Result<std::vector<std::string>> ask(PGconn& connection, const std::string& text) {
    const QueryReply reply(PQexec(&connection, text.c_str()), &PQclear);
    const ExecStatusType status = PQresultStatus(reply.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      return store_trouble(in_one_line(PQerrorMessage(&connection)));
    }
    std::vector<std::string> cells;
    for (int row = 0; row < PQntuples(reply.get()); ++row) {
      cells.emplace_back(PQgetvalue(reply.get(), row, 0));
    }
    return cells;
  }

  // Prepared transactions outlive their clients, keep a database from being dropped, and can be
  // ended only from inside it.
  Result<void> roll_back_prepared(const std::string& database) {
    auto prepared =
        ask(*connection_, "SELECT gid FROM pg_catalog.pg_prepared_xacts WHERE database = " +
                              quote_literal(database));
    if (!prepared) return prepared.error();
    if (prepared->empty()) return {};
    auto inside = reach(parameters_, database);
    if (!inside) return inside.error();
    for (const std::string& gid : *prepared) {
      auto done = ask(**inside, "ROLLBACK PREPARED " + quote_literal(gid));
      if (!done) return done.error();
    }
    return {};
  }

  ConnectionParameters parameters_;
  PostgresConnection connection_;
};

}  // namespace

Result<std::unique_ptr<ServerRuns>> open_postgres_runs(const std::string& conninfo) {
  take_postgres_environment();
  auto parameters = parse_postgres_address(conninfo);
  if (!parameters) return parameters.error();
  std::string& database = (*parameters)["dbname"];
  if (database.empty()) database = "postgres";
  auto connection = reach(*parameters, "");
  if (!connection) return connection.error();
  return std::unique_ptr<ServerRuns>(
      std::make_unique<PostgresRuns>(std::move(*parameters), std::move(*connection)));
}

constinit const GuardedKind kGuardedPostgresDatabases = {
    .remove =
        [](const std::string& name, const std::string& conninfo) {
          return drop_if_unused(open_postgres_runs(conninfo), name);
        },
    .patience = kServerPatience};

}  // namespace heddle
