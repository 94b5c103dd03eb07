// Going back between two runs updates rows in place where that is all it takes, as a checksum
// shows: making a table anew takes InnoDB most of a millisecond, five times as long. Rows are not
// deleted, nor entries of other indexes changed: what is deleted stays there for other transactions
// to lock, until it is purged at some time, so that equal runs would wait for different locks.
// Asking for the purge takes a tenth of a second.
#include "store/mariadb/database.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/control.h"
#include "store/mariadb/innodb_status.h"
#include "store/quote.h"
#include "store/trouble.h"

namespace heddle {

namespace {

constexpr std::string_view kMariadbColumnsQuery = R"sql(
SELECT t.table_name, c.column_name, c.column_type, c.column_default,
       c.extra LIKE '%auto_increment%', COALESCE(c.generation_expression, '') <> ''
FROM information_schema.tables t
JOIN information_schema.columns c
  ON c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE'
ORDER BY t.table_name, c.ordinal_position)sql";

// Columns of all unique keys, the primary one first.
constexpr std::string_view kMariadbKeysQuery = R"sql(
SELECT table_name, index_name, column_name
FROM information_schema.statistics
WHERE table_schema = DATABASE() AND non_unique = 0
ORDER BY table_name, index_name <> 'PRIMARY', index_name, seq_in_index)sql";

// Tables whose only index is the primary one.
constexpr std::string_view kPlainTablesQuery = R"sql(
SELECT table_name FROM information_schema.statistics WHERE table_schema = DATABASE()
GROUP BY table_name HAVING MIN(index_name = 'PRIMARY') = 1)sql";

constexpr std::string_view kMariadbForeignKeysQuery = R"sql(
SELECT table_name, constraint_name, column_name, referenced_table_name, referenced_column_name
FROM information_schema.key_column_usage
WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL
ORDER BY table_name, constraint_name, ordinal_position)sql";

// What a scenario can make beside tables, and what copying rows back would set off.
constexpr std::string_view kTriggersQuery =
    "SELECT COUNT(*) FROM information_schema.triggers WHERE trigger_schema = DATABASE()";

// Statements that drop whatever is in the database.
constexpr std::string_view kMariadbWipeQuery = R"sql(
SELECT CONCAT('DROP ', IF(table_type = 'VIEW', 'VIEW', IF(table_type = 'SEQUENCE', 'SEQUENCE', 'TABLE')),
              ' IF EXISTS `', REPLACE(table_name, '`', '``'), '`')
  FROM information_schema.tables WHERE table_schema = DATABASE()
UNION ALL SELECT CONCAT('DROP ', routine_type, ' IF EXISTS `', REPLACE(routine_name, '`', '``'), '`')
  FROM information_schema.routines
  WHERE routine_schema = DATABASE() AND routine_type IN ('PROCEDURE', 'FUNCTION')
UNION ALL SELECT CONCAT('DROP EVENT IF EXISTS `', REPLACE(event_name, '`', '``'), '`')
  FROM information_schema.events WHERE event_schema = DATABASE())sql";

// Waits that InnoDB knows nothing of.
constexpr std::string_view kServerWaitsQuery =
    "SELECT id FROM information_schema.processlist "
    "WHERE state LIKE 'Waiting for % lock' OR state = 'User lock'";

// Who waits, and who holds a lock on the same thing. Each may hold several.
constexpr std::string_view kMetadataWaitsQuery = R"sql(
SELECT DISTINCT w.processlist_id, h.processlist_id
FROM performance_schema.metadata_locks wanted
JOIN performance_schema.metadata_locks held
  ON held.object_type = wanted.object_type AND held.object_schema <=> wanted.object_schema
 AND held.object_name <=> wanted.object_name AND held.lock_status = 'GRANTED'
JOIN performance_schema.threads w ON w.thread_id = wanted.owner_thread_id
JOIN performance_schema.threads h ON h.thread_id = held.owner_thread_id
WHERE wanted.lock_status = 'PENDING' AND w.thread_id <> h.thread_id)sql";

constexpr std::string_view kLockWaitsQuery = R"sql(
SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id
FROM information_schema.innodb_lock_waits w
JOIN information_schema.innodb_trx r ON r.trx_id = w.requesting_trx_id
JOIN information_schema.innodb_trx b ON b.trx_id = w.blocking_trx_id)sql";

// MariaDB manual, "Error Codes": ER_DB_CREATE_EXISTS.
constexpr std::string_view kNameIsTaken = "1007";

std::string quote_name(const std::string& name) { return quote_with(name, '`'); }

// Columns that can be written to.
std::string written_columns(const CatalogueTable& table) {
  std::vector<std::string> names;
  for (const CatalogueColumn& column : table.columns) {
    if (!column.computed) names.push_back(quote_name(column.name));
  }
  return join(names, ", ");
}

std::string copy_text(const CatalogueTable& table, const std::string& from, const std::string& to) {
  const std::string columns = written_columns(table);
  return fmt::format("INSERT INTO {} ({}) SELECT {} FROM {}", to, columns, columns, from);
}

// That a row of the one is a row of the other, too, byte for byte.
std::string equality(const CatalogueTable& table, const std::string& a, const std::string& b) {
  std::vector<std::string> conditions;
  for (const CatalogueColumn& column : table.columns) {
    if (column.computed) continue;
    const std::string name = quote_name(column.name);
    conditions.push_back(fmt::format("BINARY {}.{} <=> BINARY {}.{}", a, name, b, name));
  }
  return join(conditions, " AND ");
}

int to_connection(const Cell& cell) { return cell ? std::stoi(*cell) : 0; }

}  // namespace

struct MariadbDatabase::Waits {
  std::vector<InnodbWait> innodb;
  std::vector<int> server;

  const InnodbWait* innodb_of(int connection) const {
    const auto found =
        std::ranges::find(innodb, static_cast<std::uint64_t>(connection), &InnodbWait::connection);
    return found == innodb.end() ? nullptr : &*found;
  }
  bool waits(int connection) const {
    return innodb_of(connection) != nullptr ||
           std::ranges::find(server, connection) != server.end();
  }
};

std::string_view mariadb_level(IsolationLevel level) {
  switch (level) {
    case IsolationLevel::read_uncommitted:
    case IsolationLevel::mariadb_read_uncommitted:
      return "READ-UNCOMMITTED";
    case IsolationLevel::read_committed:
    case IsolationLevel::mariadb_read_committed:
      return "READ-COMMITTED";
    case IsolationLevel::mariadb_repeatable_read:
      return "REPEATABLE-READ";
    case IsolationLevel::serializable:
    case IsolationLevel::mariadb_serializable:
      return "SERIALIZABLE";
    default:
      return "";
  }
}

MariadbDatabase::MariadbDatabase(MariadbAddress address, MariadbConnection connection,
                                 NewNames names)
    : address_(std::move(address)),
      names_(std::move(names)),
      control_(
          std::make_unique<MariadbSession>(std::move(connection), address_.database,
                                           [this](unsigned long id) { return kill_query(id); })) {}

MariadbDatabase::~MariadbDatabase() {
  (void)drop_copies();
  control_.reset();
  if (on_close_) on_close_();
}

Result<std::unique_ptr<MariadbDatabase>> MariadbDatabase::connect(const MariadbAddress& address,
                                                                  NewNames names) {
  auto connection = connect_to_mariadb(address);
  if (!connection) return connection.error();
  std::unique_ptr<MariadbDatabase> database(
      new MariadbDatabase(address, std::move(*connection), std::move(names)));
  auto facts =
      database->query("SELECT @@performance_schema; SHOW VARIABLES LIKE 'transaction_isolation'");
  if (!facts) return facts.error();
  database->has_performance_schema_ = facts->at(0).at(0).at(0) == "1";
  // MySQL's name, which MariaDB has from version 11 on.
  database->level_text_ =
      facts->at(1).empty() ? "SELECT @@tx_isolation" : "SELECT @@transaction_isolation";
  return database;
}

// On a connection of its own: the control connection may be what is to be cancelled.
bool MariadbDatabase::kill_query(unsigned long connection) {
  auto other = connect_to_mariadb(address_);
  return other && mysql_query(other->get(), fmt::format("KILL QUERY {}", connection).c_str()) == 0;
}

Result<std::vector<std::unique_ptr<StoreSession>>> MariadbDatabase::open_sessions(
    const std::vector<SessionOptions>& options) {
  std::vector<std::unique_ptr<StoreSession>> sessions;
  for (const SessionOptions& one : options) {
    auto session = open_session(one);
    if (!session) return session.error();
    sessions.push_back(std::move(*session));
  }
  return sessions;
}

Result<std::unique_ptr<MariadbSession>> MariadbDatabase::open_session(
    const SessionOptions& options) {
  auto connection = connect_to_mariadb(address_);
  if (!connection) return connection.error();
  if (options.level) {
    // Called tx_isolation by MariaDB up to version 11, transaction_isolation by all others; the
    // statement has one name everywhere.
    std::string level(mariadb_level(*options.level));
    std::ranges::replace(level, '-', ' ');
    const std::string text = "SET SESSION TRANSACTION ISOLATION LEVEL " + level;
    if (mysql_query(connection->get(), text.c_str()) != 0) {
      return own_query_trouble(to_error(connection->get(), address_.database));
    }
  }
  return std::make_unique<MariadbSession>(
      std::move(*connection), address_.database,
      [this](unsigned long id) { return kill_query(id); }, shows_types_);
}

Result<std::vector<Reply>> MariadbDatabase::execute(const std::string& text,
                                                    std::uint32_t timeout_ms) {
  return execute_on(*control_, "MariaDB", text, timeout_ms);
}

Diagnostic MariadbDatabase::own_query_trouble(const StepError& error) const {
  if (error.error_class == ErrorClass::connection_lost) return lost_connection();
  const std::string reason = in_one_line(error.message);
  return store_trouble("MariaDB refused a statement of heddle's own: " + reason,
                       advice_for(reason));
}

Result<MariadbDatabase::Waits> MariadbDatabase::read_waits() {
  auto results = query(fmt::format("SHOW ENGINE INNODB STATUS; {}", kServerWaitsQuery));
  if (!results) return results.error();
  Waits waits;
  // Type, name, status.
  waits.innodb = read_innodb_waits(results->at(0).at(0).at(2).value_or(""));
  for (const Row& row : results->at(1)) waits.server.push_back(to_connection(row.at(0)));
  return waits;
}

Result<bool> MariadbDatabase::is_blocked(int backend, const std::vector<int>& /*others*/) {
  auto waits = read_waits();
  if (!waits) return waits.error();
  return waits->waits(backend);
}

Result<std::vector<std::pair<int, int>>> MariadbDatabase::ask_lock_waits() {
  auto results = query(std::string(kLockWaitsQuery));
  if (!results) return results.error();
  std::vector<std::pair<int, int>> pairs;
  for (const Row& row : results->at(0)) {
    pairs.emplace_back(to_connection(row.at(0)), to_connection(row.at(1)));
  }
  return pairs;
}

Result<std::vector<std::pair<int, int>>> MariadbDatabase::ask_metadata_waits() {
  std::vector<std::pair<int, int>> pairs;
  if (!has_performance_schema_) return pairs;
  auto results = query(std::string(kMetadataWaitsQuery));
  if (!results) return results.error();
  for (const Row& row : results->at(0)) {
    pairs.emplace_back(to_connection(row.at(0)), to_connection(row.at(1)));
  }
  return pairs;
}

Result<std::vector<WaitState>> MariadbDatabase::wait_states(const std::vector<int>& backends,
                                                            const std::vector<int>& others) {
  auto waits = read_waits();
  if (!waits) return waits.error();
  std::vector<WaitState> states(backends.size());
  // Asked only where the status has not told: these are out of date when they are asked often.
  std::optional<std::vector<std::pair<int, int>>> lock_waits;
  std::optional<std::vector<std::pair<int, int>>> metadata_waits;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    if (!waits->waits(backends[i])) continue;
    states[i].blocked = true;
    const InnodbWait* const wait = waits->innodb_of(backends[i]);
    if (wait != nullptr && !wait->blockers.empty()) {
      for (const std::uint64_t blocker : wait->blockers) {
        states[i].blockers.push_back(static_cast<int>(blocker));
      }
      continue;
    }
    auto& told = wait != nullptr ? lock_waits : metadata_waits;
    if (!told) {
      auto pairs = wait != nullptr ? ask_lock_waits() : ask_metadata_waits();
      if (!pairs) return pairs.error();
      told = std::move(*pairs);
    }
    for (const auto& [waiter, holder] : *told) {
      if (waiter == backends[i] && std::ranges::find(others, holder) != others.end()) {
        states[i].blockers.push_back(holder);
      }
    }
  }
  return states;
}

Result<std::vector<CatalogueTable>> MariadbDatabase::read_catalogue() {
  auto results = query(fmt::format("{};{};{};{};{}", kMariadbColumnsQuery, kMariadbKeysQuery,
                                   kMariadbForeignKeysQuery, kTriggersQuery, kPlainTablesQuery));
  if (!results) return results.error();
  catalogue_.clear();
  std::map<std::string, std::size_t> index_of;
  for (const Row& row : results->at(0)) {
    const auto [entry, is_new] = index_of.emplace(*row[0], catalogue_.size());
    if (is_new) {
      CatalogueTable table;
      table.name = *row[0];
      table.quoted = quote_name(*row[0]);
      table.rows = table.quoted;
      catalogue_.push_back(std::move(table));
    }
    catalogue_[entry->second].columns.push_back(
        {*row[1], *row[2], row[3].value_or(""), row[4] == "1", row[5] == "1"});
  }
  std::map<std::string, std::string> index_taken;
  for (const Row& row : results->at(1)) {
    const auto entry = index_of.find(*row[0]);
    if (entry == index_of.end()) continue;
    if (index_taken.emplace(*row[0], *row[1]).first->second != *row[1]) continue;
    catalogue_[entry->second].key.push_back(*row[2]);
  }
  std::string constraint;
  for (const Row& row : results->at(2)) {
    const auto entry = index_of.find(*row[0]);
    if (entry == index_of.end()) continue;
    std::vector<ForeignKey>& keys = catalogue_[entry->second].foreign_keys;
    if (const std::string name = *row[0] + '\0' + *row[1];
        std::exchange(constraint, name) != name) {
      keys.push_back({{}, *row[3], {}});
    }
    keys.back().columns.push_back(*row[2]);
    keys.back().referenced.push_back(*row[4]);
  }
  can_restore_ = results->at(3).at(0).at(0) == "0";
  plain_.clear();
  for (const Row& row : results->at(4)) plain_.insert(*row[0]);
  return catalogue_;
}

Result<Creation> MariadbDatabase::create_copies(const std::string& name) {
  auto replies = execute("CREATE DATABASE " + quote_name(name), kOwnQueryTimeoutMs);
  if (!replies) return replies.error();
  if (replies->empty() || !replies->front().error) return Creation::made;
  const StepError& error = *replies->front().error;
  if (error.code == kNameIsTaken) return Creation::name_is_taken;
  return own_query_trouble(error);
}

Result<void> MariadbDatabase::drop_copies() {
  if (copies_.empty()) return {};
  if (auto done = query("DROP DATABASE IF EXISTS " + quote_name(copies_)); !done) {
    return done.error();
  }
  names_.forget(std::exchange(copies_, ""));
  return {};
}

Result<void> MariadbDatabase::take_snapshot() {
  if (auto dropped = drop_copies(); !dropped) return dropped;
  auto copies = create_under_new_name(
      names_, [this](const std::string& name) { return create_copies(name); });
  if (!copies) return copies.error();
  copies_ = std::move(*copies);
  std::string text;
  snapshots_.clear();
  for (const CatalogueTable& table : catalogue_) {
    const std::string copy = fmt::format("{}.{}", quote_name(copies_), table.quoted);
    text += fmt::format("CREATE TABLE {} LIKE {};", copy, table.quoted);
    snapshots_.push_back({table.quoted, copy, "", ""});
  }
  if (!text.empty()) {
    if (auto made = query(text); !made) return made.error();
  }
  for (std::size_t i = 0; i < catalogue_.size(); ++i) {
    Snapshot& snapshot = snapshots_[i];
    auto filled =
        query(fmt::format("{}; CHECKSUM TABLE {}; SELECT auto_increment FROM "
                          "information_schema.tables WHERE table_schema = DATABASE() "
                          "AND table_name = {}",
                          copy_text(catalogue_[i], snapshot.table, snapshot.copy), snapshot.table,
                          quote_mariadb_literal(catalogue_[i].name)));
    if (!filled) return filled.error();
    snapshot.checksum = filled->at(1).at(0).at(1).value_or("");
    if (!filled->at(2).empty()) snapshot.next = filled->at(2).at(0).at(0).value_or("");
  }
  return {};
}

// Nothing looks at foreign keys, for all rows satisfied them before, and 0 is a value of its own.
constexpr std::string_view kBeforeRestoring =
    "SET SESSION foreign_key_checks = 0, unique_checks = 0, sql_mode = 'NO_AUTO_VALUE_ON_ZERO';";

Result<void> MariadbDatabase::restore_snapshot(const std::set<std::string>& changed) {
  std::string text(kBeforeRestoring);
  std::vector<std::size_t> updated;
  std::vector<std::size_t> made_anew;
  for (std::size_t i = 0; i < catalogue_.size(); ++i) {
    if (!changed.contains(catalogue_[i].name)) continue;
    if (!plain_.contains(catalogue_[i].name)) {
      made_anew.push_back(i);
      continue;
    }
    updated.push_back(i);
    text += update_text(i);
  }
  for (const std::size_t i : updated)
    text += fmt::format("CHECKSUM TABLE {};", catalogue_[i].quoted);
  auto done = query(text);
  if (!done) return done.error();
  for (std::size_t k = 0; k < updated.size(); ++k) {
    const auto& answer = (*done)[done->size() - updated.size() + k];
    if (answer.at(0).at(1) != snapshots_[updated[k]].checksum) made_anew.push_back(updated[k]);
  }
  text.clear();
  for (const std::size_t i : made_anew) {
    text += fmt::format("TRUNCATE TABLE {}; {};", snapshots_[i].table,
                        copy_text(catalogue_[i], snapshots_[i].copy, snapshots_[i].table));
  }
  // Numbers that a rolled back statement took are gone all the same, and with rows in the way they
  // would not come back.
  for (const Snapshot& snapshot : snapshots_) {
    if (snapshot.next.empty()) continue;
    text += fmt::format("ALTER TABLE {} AUTO_INCREMENT = {};", snapshot.table, snapshot.next);
  }
  if (text.empty()) return {};
  if (auto finished = query(text); !finished) return finished.error();
  return {};
}

// Rows that are still there get the values they had.
std::string MariadbDatabase::update_text(std::size_t index) const {
  const CatalogueTable& table = catalogue_[index];
  std::vector<std::string> keys;
  for (const std::string& column : table.key) {
    keys.push_back(fmt::format("one.{0} = other.{0}", quote_name(column)));
  }
  std::vector<std::string> values;
  for (const CatalogueColumn& column : table.columns) {
    const bool is_key = std::ranges::find(table.key, column.name) != table.key.end();
    if (!column.computed && !is_key) {
      values.push_back(fmt::format("one.{0} = other.{0}", quote_name(column.name)));
    }
  }
  if (values.empty()) return "";
  return fmt::format("UPDATE {} one JOIN {} other ON {} SET {} WHERE NOT ({});",
                     snapshots_[index].table, snapshots_[index].copy, join(keys, " AND "),
                     join(values, ", "), equality(table, "one", "other"));
}

// InnoDB does not show who wrote a row.
std::string MariadbDatabase::watching_text(const CatalogueTable& table) const {
  std::vector<std::string> columns;
  for (const CatalogueColumn& column : table.columns) columns.push_back(quote_name(column.name));
  std::string key;
  for (const std::string& column : table.key) key += ", " + quote_name(column);
  std::vector<std::string> cells;
  for (const std::string& column : columns) cells.push_back(fmt::format("IFNULL({}, '')", column));
  return fmt::format("SELECT NULL, JSON_ARRAY({}), CONCAT('(', CONCAT_WS(',', {}), ')'){} FROM {}",
                     join(columns, ", "), join(cells, ", "), key, table.quoted);
}

std::string MariadbDatabase::matching_text(const CatalogueTable& table, const std::string& alias,
                                           const std::string& predicate,
                                           const std::vector<WatchedVersion>& versions) const {
  std::vector<std::string> rows;
  for (const WatchedVersion& version : versions) {
    rows.push_back(fmt::format("[{}, {}]", version.number, version.text));
  }
  std::string columns = "heddle_version INT PATH '$[0]'";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    columns += fmt::format(", {} {} PATH '$[1][{}]'", quote_name(table.columns[i].name),
                           table.columns[i].type, i);
  }
  return fmt::format(
      "SELECT heddle_version FROM JSON_TABLE({}, '$[*]' COLUMNS ({})) AS {} WHERE {}",
      quote_mariadb_literal(fmt::format("[{}]", join(rows, ", "))), columns, quote_name(alias),
      predicate);
}

// Serializable makes plain reads lock.
SnapshotRule MariadbDatabase::snapshot_rule(std::string_view level) const {
  return {.sees_uncommitted = level == "READ-UNCOMMITTED",
          .keeps = level == "REPEATABLE-READ",
          .locking_is_current = true};
}

Result<std::vector<std::vector<WatchedRow>>> MariadbDatabase::watch_uncommitted_rows(
    const std::vector<const CatalogueTable*>& tables) {
  auto begun =
      query("SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED; START TRANSACTION READ ONLY");
  if (!begun) return begun.error();
  auto rows = watch_rows(tables);
  auto ended = query("COMMIT");
  if (rows && !ended) return ended.error();
  return rows;
}

// Truth values are numbers.
bool MariadbDatabase::is_true(const Cell& cell) const {
  return cell && *cell != "0" && !cell->empty();
}

Result<void> MariadbDatabase::wipe() {
  auto statements = query(std::string(kMariadbWipeQuery));
  if (!statements) return statements.error();
  std::string text(kBeforeRestoring);
  for (const Row& row : statements->at(0)) text += *row[0] + ";";
  auto done = query(text);
  if (!done) return done.error();
  return {};
}

}  // namespace heddle
