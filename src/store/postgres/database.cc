// The control connection of a database: set-up texts, the catalogue, questions about waits, and the
// way back to the initial rows.
//
// Going back between two runs, measured by bench/restore: making the tables again costs twice as
// much as copying the rows of the changed tables back into emptied ones, and a new database from a
// template forty times as much, before new connections. DELETE instead of TRUNCATE would halve the
// cost of the copy, but dead rows would pile up and rows would stand elsewhere than at first, which
// serializable's page locks can tell. So rows are copied back, and only in tables that changed;
// whatever the scenario changes beyond rows goes back by `wipe` and the set-up texts.
#include "store/postgres/database.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "store/control.h"
#include "store/quote.h"
#include "store/trouble.h"

namespace heddle {

namespace {

constexpr const char* kIsBlocked = "heddle_is_blocked";
constexpr const char* kWaitStates = "heddle_wait_states";

// `what`: PostgreSQL's part in it.
Diagnostic trouble_of(std::string_view what, const StepError& error) {
  if (error.error_class == ErrorClass::connection_lost) return lost_connection();
  const std::string reason = in_one_line(error.text);
  return store_trouble(fmt::format("PostgreSQL {}: {}", what, reason), advice_for(reason));
}

std::string array_literal(const std::vector<int>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ","));
}

// Columns, one row each. User tables only; parts of partitioned tables are marked.
constexpr std::string_view kPostgresColumnsQuery = R"sql(
SELECT c.oid, n.nspname, c.relname, c.relispartition, a.attnum, a.attname,
       pg_catalog.format_type(a.atttypid, a.atttypmod),
       CASE WHEN a.attgenerated = '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END,
       a.attidentity <> '', a.attgenerated <> '', c.relkind
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_attribute a
       ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
  AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'heddle_snapshot')
ORDER BY n.nspname, c.relname, a.attnum)sql";

// Columns of the best unique key of each table, in the order of the index.
constexpr std::string_view kPostgresKeysQuery = R"sql(
SELECT DISTINCT ON (i.indrelid) i.indrelid,
       ARRAY(SELECT a.attnum FROM unnest(i.indkey) WITH ORDINALITY k(n, o)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.n
             WHERE k.o <= i.indnkeyatts ORDER BY k.o)
FROM pg_catalog.pg_index i
WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
  AND i.indrelid >= 16384
ORDER BY i.indrelid, i.indisprimary DESC, i.indexrelid)sql";

constexpr std::string_view kPostgresForeignKeysQuery = R"sql(
SELECT conrelid, confrelid, conkey, confkey
FROM pg_catalog.pg_constraint WHERE contype = 'f' AND conparentid = 0
ORDER BY conrelid, conname)sql";

constexpr std::string_view kPostgresSequencesQuery = R"sql(
SELECT format('%I.%I', schemaname, sequencename) FROM pg_catalog.pg_sequences
ORDER BY schemaname, sequencename)sql";

// Everything of a user's that DROP SCHEMA does not reach, as statements to run.
constexpr std::string_view kPostgresWipeQuery = R"sql(
SELECT format('ROLLBACK PREPARED %L', gid)
  FROM pg_catalog.pg_prepared_xacts WHERE database = current_database()
UNION ALL SELECT format('DROP EVENT TRIGGER %I', evtname) FROM pg_catalog.pg_event_trigger
UNION ALL SELECT format('DROP PUBLICATION %I', pubname) FROM pg_catalog.pg_publication
UNION ALL SELECT format('DROP EXTENSION %I CASCADE', extname)
  FROM pg_catalog.pg_extension WHERE extname <> 'plpgsql'
UNION ALL SELECT format('DROP FOREIGN DATA WRAPPER IF EXISTS %I CASCADE', fdwname)
  FROM pg_catalog.pg_foreign_data_wrapper
UNION ALL SELECT format('SELECT pg_catalog.lo_unlink(%s)', oid)
  FROM pg_catalog.pg_largeobject_metadata
UNION ALL SELECT format('DROP SCHEMA %I CASCADE', n.nspname)
  FROM pg_catalog.pg_namespace n
  WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND (n.nspname <> 'public' OR EXISTS (
      SELECT FROM pg_catalog.pg_depend d
      WHERE d.refclassid = 'pg_catalog.pg_namespace'::regclass AND d.refobjid = n.oid))
UNION ALL SELECT 'CREATE SCHEMA IF NOT EXISTS public'
UNION ALL SELECT 'GRANT USAGE ON SCHEMA public TO PUBLIC')sql";

std::vector<int> parse_numbers(const Cell& array) {
  std::vector<int> numbers;
  if (!array || array->size() < 3) return numbers;
  for (const std::string& part :
       split(std::string_view(*array).substr(1, array->size() - 2), ',')) {
    numbers.push_back(std::stoi(part));
  }
  return numbers;
}

std::vector<std::string> column_names(const PostgresTableNames::Table& table,
                                      const std::vector<int>& numbers) {
  std::vector<std::string> names;
  for (const int number : numbers) names.push_back(table.columns.at(number));
  return names;
}

// Spaces and backslashes separate and quote in libpq's `options`.
std::string escape_option(const std::string& option) {
  std::string escaped;
  for (const char c : option) {
    if (c == ' ' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

bool is_yes(const Cell& value) { return value == "t"; }

// Of a session that looks for deadlocks early and says so: to the client, not in the server's log.
// Only a superuser may have them.
constexpr std::string_view kEarlyDeadlockCheck =
    " -c deadlock_timeout=1 -c log_lock_waits=on -c client_min_messages=log"
    " -c log_min_messages=fatal";

}  // namespace

std::string_view postgres_level(IsolationLevel level) {
  switch (level) {
    case IsolationLevel::read_uncommitted:
      return "read uncommitted";
    case IsolationLevel::read_committed:
    case IsolationLevel::postgres_read_committed:
      return "read committed";
    case IsolationLevel::repeatable_read:
    case IsolationLevel::snapshot:
    case IsolationLevel::postgres_repeatable_read:
      return "repeatable read";
    case IsolationLevel::serializable:
    case IsolationLevel::postgres_serializable:
      return "serializable";
    default:
      return "";
  }
}

PostgresDatabase::PostgresDatabase(ConnectionParameters parameters, PostgresConnection connection)
    : parameters_(std::move(parameters)),
      control_(std::make_unique<PostgresSession>(std::move(connection), names_)),
      connection_(control_->connection()) {}

PostgresDatabase::~PostgresDatabase() {
  control_.reset();
  if (on_close_) on_close_();
}

Result<std::unique_ptr<PostgresDatabase>> PostgresDatabase::connect(
    const ConnectionParameters& parameters) {
  PostgresConnection connection = start_connecting(parameters);
  if (auto connected = finish_connecting({connection.get()}); !connected) return connected.error();
  std::unique_ptr<PostgresDatabase> database(
      new PostgresDatabase(parameters, std::move(connection)));
  auto prepared = database->query(fmt::format(
      "PREPARE {}(int, int[]) AS SELECT pg_catalog.pg_isolation_test_session_is_blocked($1, $2);"
      "PREPARE {}(int[], int[]) AS SELECT pg_catalog.pg_isolation_test_session_is_blocked(p, $2), "
      "pg_catalog.pg_blocking_pids(p) FROM unnest($1) WITH ORDINALITY u(p, o) ORDER BY o",
      kIsBlocked, kWaitStates));
  if (!prepared) return prepared.error();
  return database;
}

int PostgresDatabase::server_version() const { return PQserverVersion(connection_); }

bool PostgresDatabase::is_open() {
  return PQconsumeInput(connection_) != 0 && PQstatus(connection_) == CONNECTION_OK;
}

bool PostgresDatabase::is_superuser() const {
  const char* superuser = PQparameterStatus(connection_, "is_superuser");
  return superuser != nullptr && std::string_view(superuser) == "on";
}

Result<std::vector<std::unique_ptr<StoreSession>>> PostgresDatabase::open_sessions(
    const std::vector<SessionOptions>& options) {
  std::vector<PostgresConnection> connections;
  std::vector<PGconn*> raw;
  for (const SessionOptions& session : options) {
    ConnectionParameters parameters = parameters_;
    parameters["application_name"] = session.application_name;
    std::string& settings = parameters["options"];
    if (session.level) {
      settings += " -c " + escape_option("default_transaction_isolation=" +
                                         std::string(postgres_level(*session.level)));
    }
    if (!session.schema.empty()) {
      settings +=
          " -c " + escape_option("search_path=" + quote_identifier(session.schema) + ", public");
    }
    if (session.early_deadlock_check && is_superuser()) settings += kEarlyDeadlockCheck;
    connections.push_back(start_connecting(parameters));
    raw.push_back(connections.back().get());
  }
  if (auto connected = finish_connecting(raw); !connected) return connected.error();
  std::vector<std::unique_ptr<StoreSession>> sessions;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    const bool hears = options[i].early_deadlock_check && is_superuser();
    sessions.push_back(std::make_unique<PostgresSession>(std::move(connections[i]), names_, hears));
  }
  return sessions;
}

Result<std::vector<Reply>> PostgresDatabase::execute(const std::string& text,
                                                     std::uint32_t timeout_ms) {
  auto replies = execute_on(*control_, "PostgreSQL", text, timeout_ms);
  control_->take_notices();
  return replies;
}

Diagnostic PostgresDatabase::own_query_trouble(const StepError& error) const {
  return trouble_of("refused a statement of heddle's own", error);
}

Result<std::vector<Row>> PostgresDatabase::query_prepared(const char* name,
                                                          const std::vector<std::string>& values) {
  std::vector<const char*> parameters;
  for (const std::string& value : values) parameters.push_back(value.c_str());
  PGresult* result = PQexecPrepared(connection_, name, static_cast<int>(values.size()),
                                    parameters.data(), nullptr, nullptr, 0);
  Reply reply = to_reply(result, names_);
  PQclear(result);
  if (reply.error) return trouble_of("did not say who waits", *reply.error);
  return std::move(reply.result->rows);
}

Result<bool> PostgresDatabase::is_blocked(int backend, const std::vector<int>& others) {
  auto rows = query_prepared(kIsBlocked, {std::to_string(backend), array_literal(others)});
  if (!rows) return rows.error();
  return is_yes(rows->at(0).at(0));
}

Result<std::vector<WaitState>> PostgresDatabase::wait_states(const std::vector<int>& backends,
                                                             const std::vector<int>& others) {
  auto rows = query_prepared(kWaitStates, {array_literal(backends), array_literal(others)});
  if (!rows) return rows.error();
  std::vector<WaitState> states;
  for (const Row& row : *rows) states.push_back({is_yes(row.at(0)), parse_numbers(row.at(1))});
  return states;
}

Result<std::vector<CatalogueTable>> PostgresDatabase::read_catalogue() {
  auto results = query(fmt::format("{};{};{}", kPostgresColumnsQuery, kPostgresKeysQuery,
                                   kPostgresForeignKeysQuery));
  if (!results) return results.error();
  names_.tables.clear();
  catalogue_.clear();
  std::map<std::string, std::size_t> index_of_oid;
  for (const Row& row : results->at(0)) {
    const auto [entry, is_new] = index_of_oid.emplace(*row[0], catalogue_.size());
    PostgresTableNames::Table& table_names =
        names_.tables[static_cast<unsigned>(std::stoul(*row[0]))];
    if (is_new) {
      CatalogueTable table;
      table.name = *row[1] == "public" ? *row[2] : *row[1] + "." + *row[2];
      table.quoted = quote_identifier(*row[1]) + "." + quote_identifier(*row[2]);
      table.partition = is_yes(row[3]);
      table.partitioned = row[10] == "p";
      table.rows = (table.partitioned ? "" : "ONLY ") + table.quoted;
      table_names.name = table.name;
      catalogue_.push_back(std::move(table));
    }
    if (!row[4]) continue;  // a table without columns
    table_names.columns[std::stoi(*row[4])] = *row[5];
    catalogue_[entry->second].columns.push_back(
        {*row[5], *row[6], row[7].value_or(""), is_yes(row[8]), is_yes(row[9])});
  }
  for (const Row& row : results->at(1)) {
    const auto entry = index_of_oid.find(*row[0]);
    if (entry == index_of_oid.end()) continue;
    catalogue_[entry->second].key = column_names(
        names_.tables[static_cast<unsigned>(std::stoul(*row[0]))], parse_numbers(row[1]));
  }
  for (const Row& row : results->at(2)) {
    const auto from = index_of_oid.find(*row[0]);
    const auto to = index_of_oid.find(*row[1]);
    if (from == index_of_oid.end() || to == index_of_oid.end()) continue;
    const auto& from_names = names_.tables[static_cast<unsigned>(std::stoul(*row[0]))];
    const auto& to_names = names_.tables[static_cast<unsigned>(std::stoul(*row[1]))];
    catalogue_[from->second].foreign_keys.push_back(
        {column_names(from_names, parse_numbers(row[2])), to_names.name,
         column_names(to_names, parse_numbers(row[3]))});
  }
  return catalogue_;
}

Result<void> PostgresDatabase::learn_types() {
  auto results = query(PostgresTypes::query());
  if (!results) return results.error();
  names_.types = PostgresTypes::from(results->at(0));
  return {};
}

// Setting session_replication_role takes a superuser.
bool PostgresDatabase::can_restore() const { return is_superuser(); }

Result<void> PostgresDatabase::take_snapshot() {
  std::string text =
      "DROP SCHEMA IF EXISTS heddle_snapshot CASCADE; CREATE SCHEMA heddle_snapshot;";
  for (std::size_t i = 0; i < catalogue_.size(); ++i) {
    if (catalogue_[i].partitioned) continue;
    text += fmt::format("CREATE UNLOGGED TABLE heddle_snapshot.t{} AS SELECT * FROM ONLY {};", i,
                        catalogue_[i].quoted);
  }
  if (auto made = query(text); !made) return made.error();
  auto sequences = query(std::string(kPostgresSequencesQuery));
  if (!sequences) return sequences.error();
  restore_sequences_.clear();
  for (const Row& row : sequences->at(0)) {
    auto state = query(fmt::format("SELECT last_value, is_called FROM {}", *row[0]));
    if (!state) return state.error();
    const Row& values = state->at(0).at(0);
    restore_sequences_ += fmt::format("SELECT pg_catalog.setval({}, {}, {});",
                                      quote_literal(*row[0]), *values[0], is_true(values[1]));
  }
  return {};
}

// TRUNCATE refuses a table that another one refers to unless both are emptied. A row of a part may
// have moved to another part, so that parts are emptied together, and with whatever refers to the
// tables that they are parts of.
std::set<std::string> PostgresDatabase::with_dependents(std::set<std::string> changed) const {
  const auto is_of_parts = [](const CatalogueTable& table) {
    return table.partition || table.partitioned;
  };
  bool grown = !changed.empty();
  while (grown) {
    grown = false;
    const bool parts_changed =
        std::any_of(catalogue_.begin(), catalogue_.end(), [&](const CatalogueTable& table) {
          return is_of_parts(table) && changed.contains(table.name);
        });
    for (const CatalogueTable& table : catalogue_) {
      const bool refers =
          std::any_of(table.foreign_keys.begin(), table.foreign_keys.end(),
                      [&](const ForeignKey& key) { return changed.contains(key.table); });
      if (refers || (parts_changed && is_of_parts(table))) {
        grown |= changed.insert(table.name).second;
      }
    }
  }
  return changed;
}

Result<void> PostgresDatabase::restore_snapshot(const std::set<std::string>& changed) {
  const std::set<std::string> emptied = with_dependents(changed);
  std::string truncated;
  std::string inserts;
  for (std::size_t i = 0; i < catalogue_.size(); ++i) {
    const CatalogueTable& table = catalogue_[i];
    if (table.partitioned || !emptied.contains(table.name)) continue;
    truncated += fmt::format("{} ONLY {}", truncated.empty() ? "" : ",", table.quoted);
    std::vector<std::string> columns;
    for (const CatalogueColumn& column : table.columns) {
      if (!column.computed) columns.push_back(quote_identifier(column.name));
    }
    inserts += fmt::format(
        "INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM heddle_snapshot.t{};",
        table.quoted, fmt::join(columns, ","), fmt::join(columns, ","), i);
  }
  std::string text = restore_sequences_;
  if (!truncated.empty()) {
    // Replica mode keeps triggers and foreign keys out of it; the rows satisfied them before.
    text += "SET session_replication_role = replica; TRUNCATE" + truncated + ";" + inserts +
            "RESET session_replication_role;";
  }
  if (text.empty()) return {};
  if (auto restored = query(text); !restored) return restored.error();
  return {};
}

std::string PostgresDatabase::watching_text(const CatalogueTable& table) const {
  std::string key;
  for (const std::string& column : table.key) key += ", t." + quote_identifier(column);
  return fmt::format("SELECT t.xmin, t::text, t::text{} FROM ONLY {} t", key, table.quoted);
}

std::string PostgresDatabase::matching_text(const CatalogueTable& table, const std::string& alias,
                                            const std::string& predicate,
                                            const std::vector<WatchedVersion>& versions) const {
  std::vector<std::string> values;
  for (const WatchedVersion& version : versions) {
    values.push_back(
        fmt::format("({}, {}::{})", version.number, quote_literal(version.text), table.quoted));
  }
  return fmt::format(
      "SELECT heddle_version FROM (SELECT i AS heddle_version, (v).* FROM (VALUES {}) x(i, v)) "
      "AS {} WHERE {}",
      join(values, ", "), quote_identifier(alias), predicate);
}

std::string PostgresDatabase::writers_text(const std::vector<int>& backends) const {
  return fmt::format(
      "SELECT a.backend_xid FROM unnest(ARRAY[{}]) WITH ORDINALITY u(p, o) "
      "LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = p ORDER BY o",
      fmt::join(backends, ","));
}

SnapshotRule PostgresDatabase::snapshot_rule(std::string_view level) const {
  return {.keeps = level == "repeatable read" || level == "serializable", .rechecks = true};
}

bool PostgresDatabase::is_true(const Cell& cell) const { return is_yes(cell); }

Result<void> PostgresDatabase::wipe() {
  auto statements = query(std::string(kPostgresWipeQuery));
  if (!statements) return statements.error();
  for (const Row& row : statements->at(0)) {
    if (auto done = query(*row[0]); !done) return done.error();
  }
  return {};
}

}  // namespace heddle
