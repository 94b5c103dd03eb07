#include "store/postgres/clone_check.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "store/database_name.h"
#include "store/postgres/address.h"
#include "store/postgres/run_claim.h"
#include "store/postgres/runs.h"
#include "store/postgres/session.h"
#include "store/quote.h"
#include "store/server_runs.h"
#include "store/trouble.h"

namespace heddle {
namespace {

using QueryRows = std::unique_ptr<PGresult, decltype(&PQclear)>;

// A large database is not copied to its end only to know how long that takes.
constexpr std::chrono::milliseconds kLongestCopy{30'000};
constexpr const char* kCheckPatienceS = "5";
// Whoever may not see others' connections sees that they are there, but not what they are; only
// processes of the server's own have no user.
constexpr const char* kClients =
    "SELECT pid, usename, coalesce(application_name, ''), coalesce(host(client_addr), '') "
    "FROM pg_catalog.pg_stat_activity WHERE datname = {} AND pid <> pg_backend_pid() "
    "AND usename IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend' "
    "AND coalesce(application_name, '') <> {} ORDER BY backend_start, pid";
// What the server counts begins anew with a database of the same name, and where somebody has it
// so.
constexpr const char* kSessions =
    "SELECT sessions, datid || ' ' || coalesce(stats_reset::text, '') "
    "FROM pg_catalog.pg_stat_database WHERE datname = {}";
constexpr int kCountsSessions = 140000;  // the version that began to
// Since this one all is counted where everybody sees it; before, a process of its own tells it at
// most twice a second.
constexpr int kCountsAtOnce = 150000;
constexpr std::chrono::milliseconds kCollectorDelay{1100};
// The database that every server has.
constexpr const char* kElsewhere = "postgres";
constexpr const char* kRecordApplication = "heddle record";
constexpr const char* kRights =
    "SELECT current_user, pg_get_userbyid(d.datdba), r.rolcreatedb OR r.rolsuper, "
    "r.rolsuper OR d.datistemplate OR pg_has_role(d.datdba, 'USAGE'), "
    "pg_database_size(d.datname) "
    "FROM pg_catalog.pg_database d, pg_catalog.pg_roles r "
    "WHERE d.datname = {} AND r.rolname = current_user";

Result<PostgresConnection> connect_as(ConnectionParameters parameters,
                                      const std::string& application) {
  parameters["connect_timeout"] = kCheckPatienceS;
  parameters["application_name"] = application;
  PostgresConnection connection = connect_and_wait(parameters);
  if (PQstatus(connection.get()) == CONNECTION_OK) return connection;
  return store_trouble("cannot connect to PostgreSQL: " +
                       in_one_line(PQerrorMessage(connection.get())));
}

Result<QueryRows> run_query(PGconn& connection, const std::string& text) {
  QueryRows reply(PQexec(&connection, text.c_str()), &PQclear);
  const ExecStatusType status = PQresultStatus(reply.get());
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return reply;
  return store_trouble(
      in_one_line(PQresultErrorField(reply.get(), PG_DIAG_MESSAGE_PRIMARY) != nullptr
                      ? PQresultErrorField(reply.get(), PG_DIAG_MESSAGE_PRIMARY)
                      : PQerrorMessage(&connection)));
}

std::string cell_text(const QueryRows& rows, int row, int column) {
  return PQgetvalue(rows.get(), row, column);
}

bool cell_flag(const QueryRows& rows, int column) { return cell_text(rows, 0, column) == "t"; }

class CloneMeasurement {
 public:
  CloneMeasurement(ConnectionParameters parameters, PostgresConnection connection)
      : parameters_(std::move(parameters)), connection_(std::move(connection)) {}

  Result<std::chrono::milliseconds> measure() {
    NewNames names;
    names.announce = [this](const std::string& name) {
      guard_add(kGuardedPostgresDatabases, name, to_conninfo(parameters_));
    };
    names.forget = [](const std::string& name) { guard_forget(kGuardedPostgresDatabases, name); };
    const auto name =
        create_under_new_name(names, [this](const std::string& one) { return create(one); });
    if (!name) return name.error();
    auto dropped = run_query(*connection_, "DROP DATABASE " + quote_identifier(*name));
    if (!dropped) return dropped.error();
    guard_forget(kGuardedPostgresDatabases, *name);
    return took_;
  }

 private:
  Result<Creation> create(const std::string& name) {
    const auto bounded =
        run_query(*connection_, fmt::format("SET statement_timeout = {}", kLongestCopy.count()));
    if (!bounded) return bounded.error();
    const auto begun = std::chrono::steady_clock::now();
    const auto made = run_query(
        *connection_, fmt::format("CREATE DATABASE {} TEMPLATE {}", quote_identifier(name),
                                  quote_identifier(PQdb(connection_.get()))));
    took_ = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                  begun);
    if (made) return Creation::made;
    if (took_ < kLongestCopy) return made.error();
    return store_trouble(fmt::format("it takes longer than {} s", kLongestCopy.count() / 1000));
  }

  ConnectionParameters parameters_;
  PostgresConnection connection_;
  std::chrono::milliseconds took_{0};
};

}  // namespace

Result<PostgresWatch> PostgresWatch::open(const std::string& address) {
  auto parameters = parse_postgres_address(address);
  if (!parameters) return parameters.error();
  ConnectionParameters elsewhere = *parameters;
  elsewhere["dbname"] = kElsewhere;
  std::string database = (*parameters)["dbname"];
  if (!database.empty()) {
    if (auto connection = connect_as(elsewhere, kRecordApplication)) {
      return PostgresWatch(std::move(*connection), std::move(database));
    }
  }
  auto connection = connect_as(std::move(*parameters), kRecordApplication);
  if (!connection) return connection.error();
  database = PQdb(connection->get());
  return PostgresWatch(std::move(*connection), std::move(database));
}

PostgresWatch::PostgresWatch(PostgresConnection connection, std::string database)
    : connection_(std::move(connection)),
      database_(std::move(database)),
      is_in_database_(database_ == PQdb(connection_.get())) {}

Result<std::vector<PostgresClient>> PostgresWatch::clients() {
  const auto rows =
      run_query(*connection_, fmt::format(fmt::runtime(kClients), quote_literal(database_),
                                          quote_literal(kRecordApplication)));
  if (!rows) return rows.error();
  std::vector<PostgresClient> clients;
  for (int row = 0; row < PQntuples(rows->get()); ++row) {
    clients.push_back({.backend = static_cast<std::uint32_t>(
                           std::strtoul(PQgetvalue(rows->get(), row, 0), nullptr, 10)),
                       .user = cell_text(*rows, row, 1),
                       .application = cell_text(*rows, row, 2),
                       .address = cell_text(*rows, row, 3)});
  }
  return clients;
}

Result<std::optional<PostgresSessions>> PostgresWatch::sessions() {
  if (PQserverVersion(connection_.get()) < kCountsSessions)
    return std::optional<PostgresSessions>();
  const auto rows =
      run_query(*connection_, fmt::format(fmt::runtime(kSessions), quote_literal(database_)));
  if (!rows) return rows.error();
  if (PQntuples(rows->get()) == 0) {
    return store_trouble(fmt::format("there is no database {}", database_));
  }
  return std::optional(
      PostgresSessions{.count = std::strtoull(PQgetvalue(rows->get(), 0, 0), nullptr, 10),
                       .origin = cell_text(*rows, 0, 1)});
}

std::chrono::milliseconds PostgresWatch::staleness() const {
  return PQserverVersion(connection_.get()) < kCountsAtOnce ? kCollectorDelay
                                                            : std::chrono::milliseconds(0);
}

Result<PostgresCloneRights> PostgresWatch::clone_rights() {
  const auto rows =
      run_query(*connection_, fmt::format(fmt::runtime(kRights), quote_literal(database_)));
  if (!rows) return rows.error();
  if (PQntuples(rows->get()) == 0) {
    return store_trouble(fmt::format("there is no database {}", database_));
  }
  return PostgresCloneRights{.user = cell_text(*rows, 0, 0),
                             .owner = cell_text(*rows, 0, 1),
                             .may_create = cell_flag(*rows, 2),
                             .may_copy = cell_flag(*rows, 3),
                             .bytes = std::strtoull(PQgetvalue(rows->get(), 0, 4), nullptr, 10)};
}

Result<std::chrono::milliseconds> measure_postgres_clone(const std::string& address) {
  auto parameters = parse_postgres_address(address);
  if (!parameters) return parameters.error();
  const auto run = run_mark();
  if (!run) return run.error();
  // The lock is held by a connection of its own, which must not be one to the database that is
  // copied.
  ConnectionParameters elsewhere = *parameters;
  elsewhere["dbname"] = kElsewhere;
  elsewhere["application_name"] = run_application(*run);
  PostgresRunClaim claim;
  if (auto held = claim.hold(elsewhere); !held) return held.error();
  auto connection = connect_as(*parameters, run_application(*run));
  if (!connection) return connection.error();
  return CloneMeasurement(std::move(elsewhere), std::move(*connection)).measure();
}

}  // namespace heddle
