#include "store/postgres/clones.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "store/database_name.h"
#include "store/postgres/address.h"
#include "store/postgres/runs.h"
#include "store/quote.h"
#include "store/server_runs.h"
#include "store/trouble.h"

namespace heddle {

namespace {

using CloneReply = std::unique_ptr<PGresult, decltype(&PQclear)>;

constexpr const char* kClonePatienceS = "5";
// The databases that every server has, of which one is not the one to copy.
constexpr const char* kOtherDatabases[] = {"postgres", "template1"};

// What ALTER DATABASE ... SET and GRANT have said of the database, as statements for another one.
// Values of some settings are lists, which are kept as SQL.
constexpr std::string_view kSettingsText = R"sql(
SELECT pg_catalog.format('ALTER %s SET %I TO %s',
         CASE s.setrole WHEN 0 THEN pg_catalog.format('DATABASE %I', {clone})
              ELSE pg_catalog.format('ROLE %I IN DATABASE %I',
                                     pg_catalog.pg_get_userbyid(s.setrole), {clone}) END,
         pg_catalog.split_part(c.line, '=', 1),
         CASE WHEN pg_catalog.split_part(c.line, '=', 1) IN
                   ('search_path', 'local_preload_libraries', 'session_preload_libraries',
                    'temp_tablespaces')
              THEN pg_catalog.substr(c.line, pg_catalog.strpos(c.line, '=') + 1)
              ELSE pg_catalog.quote_literal(
                     pg_catalog.substr(c.line, pg_catalog.strpos(c.line, '=') + 1)) END)
FROM pg_catalog.pg_db_role_setting s
JOIN pg_catalog.pg_database d ON d.oid = s.setdatabase
CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) c(line)
WHERE d.datname = {database}
UNION ALL
SELECT pg_catalog.format('GRANT %s ON DATABASE %I TO %s', a.privilege_type, {clone},
         CASE a.grantee WHEN 0 THEN 'PUBLIC'
              ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END)
FROM pg_catalog.pg_database d CROSS JOIN LATERAL pg_catalog.aclexplode(d.datacl) a
WHERE d.datname = {database})sql";

Result<PostgresConnection> connect_elsewhere(ConnectionParameters& parameters,
                                             const std::string& database) {
  for (const char* const other : kOtherDatabases) {
    if (database == other) continue;
    parameters["dbname"] = other;
    PostgresConnection connection = connect_and_wait(parameters);
    if (PQstatus(connection.get()) == CONNECTION_OK) return connection;
    if (other != std::string(std::end(kOtherDatabases)[-1])) continue;
    const std::string reason = in_one_line(PQerrorMessage(connection.get()));
    return store_trouble("cannot connect to PostgreSQL: " + reason, advice_for(reason));
  }
  return store_trouble("there is no second database on the server of " + database,
                       "make one that is called postgres");
}

// The first column of the answer.
Result<std::vector<std::string>> ask_server(PGconn& connection, const std::string& text) {
  const CloneReply reply(PQexec(&connection, text.c_str()), &PQclear);
  const ExecStatusType status = PQresultStatus(reply.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    const std::string reason = in_one_line(PQerrorMessage(&connection));
    return store_trouble(reason, advice_for(reason));
  }
  std::vector<std::string> cells;
  for (int row = 0; row < PQntuples(reply.get()); ++row) {
    cells.emplace_back(PQgetvalue(reply.get(), row, 0));
  }
  return cells;
}

}  // namespace

PostgresClones::PostgresClones(ConnectionParameters parameters, PostgresConnection connection,
                               std::string original)
    : parameters_(std::move(parameters)),
      connection_(std::move(connection)),
      original_(std::move(original)) {}

PostgresClones::~PostgresClones() {
  while (!clones_.empty()) {
    const std::string name = *clones_.begin();
    // What cannot be dropped now the guard will drop.
    if (!drop(name)) clones_.erase(name);
  }
}

Result<std::unique_ptr<PostgresClones>> PostgresClones::open(const std::string& address) {
  auto parameters = parse_postgres_address(address);
  if (!parameters) return parameters.error();
  const auto run = run_mark();
  if (!run) return run.error();
  std::string original = (*parameters)["dbname"];
  if (original.empty()) original = (*parameters)["user"];
  (*parameters)["connect_timeout"] = kClonePatienceS;
  (*parameters)["application_name"] = run_application(*run);
  auto connection = connect_elsewhere(*parameters, original);
  if (!connection) return connection.error();
  PQsetNoticeProcessor(connection->get(), [](void* /*nobody*/, const char* /*notice*/) {}, nullptr);
  std::unique_ptr<PostgresClones> clones(
      new PostgresClones(std::move(*parameters), std::move(*connection), std::move(original)));
  if (auto held = clones->claim_.hold(clones->parameters_); !held) return held.error();
  return clones;
}

Result<std::string> PostgresClones::copy(const std::string& database) {
  NewNames names;
  names.announce = [this](const std::string& name) {
    guard_add(kGuardedPostgresDatabases, name, to_conninfo(parameters_));
  };
  names.forget = [](const std::string& name) { guard_forget(kGuardedPostgresDatabases, name); };
  const auto name = create_under_new_name(names, [&](const std::string& clone) -> Result<Creation> {
    if (auto made = create_copy(database, clone); !made) return made.error();
    return Creation::made;
  });
  if (!name) return name.error();
  clones_.insert(*name);
  if (auto copied = copy_settings(database, *name); !copied) {
    (void)drop(*name);
    return copied.error();
  }
  return *name;
}

// The server itself waits for connections that are being ended.
Result<void> PostgresClones::create_copy(const std::string& database, const std::string& clone) {
  if (auto ended = end_clients(database); !ended) return ended.error();
  auto owner =
      ask_server(*connection_, fmt::format("SELECT pg_catalog.pg_get_userbyid(datdba) FROM "
                                           "pg_catalog.pg_database WHERE datname = {}",
                                           quote_literal(database)));
  if (!owner) return owner.error();
  if (owner->empty()) return store_trouble(fmt::format("there is no database {}", database));
  auto made = ask_server(
      *connection_, fmt::format("CREATE DATABASE {} TEMPLATE {} OWNER {}", quote_identifier(clone),
                                quote_identifier(database), quote_identifier(owner->front())));
  if (made) return {};
  return store_trouble(
      fmt::format("database {} cannot be copied: {}", database, made.error().what),
      "give heddle an address of a user who may create databases, or use restore: rows");
}

Result<void> PostgresClones::end_clients(const std::string& database) {
  auto ended = ask_server(
      *connection_,
      fmt::format("SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity "
                  "WHERE datname = {} AND pid <> pg_catalog.pg_backend_pid() "
                  "AND backend_type = 'client backend' "
                  "AND pg_catalog.pg_has_role(usesysid, 'MEMBER')",
                  quote_literal(database)));
  if (!ended) return ended.error();
  return {};
}

Result<void> PostgresClones::copy_settings(const std::string& database, const std::string& clone) {
  auto statements =
      ask_server(*connection_,
                 fmt::format(fmt::runtime(kSettingsText), fmt::arg("clone", quote_literal(clone)),
                             fmt::arg("database", quote_literal(database))));
  if (!statements) return statements.error();
  for (const std::string& statement : *statements) {
    if (auto done = ask_server(*connection_, statement); !done) return done.error();
  }
  return {};
}

Result<void> PostgresClones::drop(const std::string& clone) {
  if (auto ended = end_clients(clone); !ended) return ended.error();
  auto dropped = ask_server(*connection_, "DROP DATABASE " + quote_identifier(clone));
  if (!dropped) return dropped.error();
  guard_forget(kGuardedPostgresDatabases, clone);
  clones_.erase(clone);
  return {};
}

}  // namespace heddle
