// Going back between two runs copies the rows of changed tables from a database in memory that is
// attached to the control connection. Measured, with two small tables: 0.2 ms. Copying the pages of
// the file back takes no longer (sqlite3_backup), but counts as a change of the schema, which each
// session then reads again: 0.1 ms more for each of them.
#include "store/sqlite_database.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <unistd.h>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "store/control.h"
#include "store/quote.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// Tables with their columns. Names are folded, as those in statements are.
constexpr std::string_view kColumnsQuery = R"sql(
SELECT lower(t.name), t.name, t.type, t.wr, lower(c.name), lower(c.type), c.dflt_value, c.hidden, c.pk
FROM pragma_table_list t JOIN pragma_table_xinfo(t.name, 'main') c
WHERE t.schema = 'main' AND t.type IN ('table', 'virtual') AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~'
  AND c.hidden <> 1
ORDER BY 1, c.cid)sql";

// Columns of the unique keys that are not the primary one, those without NULLs.
constexpr std::string_view kUniqueQuery = R"sql(
SELECT lower(t.name), i.name, lower(c.name)
FROM pragma_table_list t JOIN pragma_index_list(t.name, 'main') i
JOIN pragma_index_info(i.name, 'main') c
WHERE t.schema = 'main' AND i."unique" AND NOT i.partial AND i.origin <> 'pk'
  AND NOT EXISTS (SELECT * FROM pragma_index_info(i.name, 'main') other
                  LEFT JOIN pragma_table_xinfo(t.name, 'main') described
                         ON described.cid = other.cid
                  WHERE other.cid < 0 OR NOT described."notnull")
ORDER BY 1, 2, c.seqno)sql";

// An empty referenced column: the primary key.
constexpr std::string_view kForeignKeysQuery = R"sql(
SELECT lower(t.name), k.id, lower(k."table"), lower(k."from"), lower(k."to")
FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name, 'main') k
WHERE t.schema = 'main'
ORDER BY 1, 2, k.seq)sql";

constexpr std::string_view kSequencesQuery =
    "SELECT count(*) FROM main.sqlite_schema WHERE name = 'sqlite_sequence'";

// The attached database of copies, with tables called by number.
constexpr std::string_view kCopies = "heddle_copies";

std::string copy_name(std::size_t number) { return fmt::format("{}.\"{}\"", kCopies, number); }

bool is_refused(const std::vector<Reply>& replies) {
  return std::ranges::any_of(replies, [](const Reply& reply) { return reply.error.has_value(); });
}

// A name of the row's number that no column takes; empty: there is none.
std::string rowid_name(const CatalogueTable& table) {
  for (const char* name : {"rowid", "_rowid_", "oid"}) {
    if (std::ranges::find(table.columns, name, &CatalogueColumn::name) == table.columns.end()) {
      return name;
    }
  }
  return "";
}

// The clock is not always called by a name that the other stores have, too.
std::string to_default(const Cell& text) {
  if (!text) return "";
  const std::string lower = to_lower(*text);
  const bool is_clock = lower.find("'now'") != std::string::npos || lower == "unixepoch()";
  return is_clock ? "CURRENT_TIMESTAMP" : *text;
}

std::string quoted_columns(const CatalogueTable& table) {
  std::vector<std::string> names;
  for (const CatalogueColumn& column : table.columns) {
    names.push_back(quote_identifier(column.name));
  }
  return join(names, ", ");
}

// Switches what rows that are written set off, for as long as it lives.
class WithoutEffects {
 public:
  explicit WithoutEffects(sqlite3* connection) : connection_(connection) {
    for (Switch& one : switches_) {
      sqlite3_db_config(connection_, one.name, -1, &one.was);
      sqlite3_db_config(connection_, one.name, 0, nullptr);
    }
  }
  ~WithoutEffects() {
    for (const Switch& one : switches_) {
      sqlite3_db_config(connection_, one.name, one.was, nullptr);
    }
  }
  WithoutEffects(const WithoutEffects&) = delete;
  WithoutEffects& operator=(const WithoutEffects&) = delete;

 private:
  struct Switch {
    int name;
    int was;
  };
  sqlite3* connection_;
  Switch switches_[2] = {{SQLITE_DBCONFIG_ENABLE_TRIGGER, 1}, {SQLITE_DBCONFIG_ENABLE_FKEY, 0}};
};

}  // namespace

SqliteDatabase::SqliteDatabase(std::string path, SqliteJournal journal)
    : path_(std::move(path)), journal_(journal) {}

SqliteDatabase::~SqliteDatabase() {
  HEDDLE_ASSERT(sessions_.empty());
  control_.reset();
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) ::unlink((path_ + suffix).c_str());
}

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::create(const std::string& path,
                                                               SqliteJournal journal) {
  std::unique_ptr<SqliteDatabase> database(new SqliteDatabase(path, journal));
  auto control = database->open_session(SqliteSession::Patience::is_refused);
  if (!control) return control.error();
  database->control_ = std::move(*control);
  return database;
}

Result<std::unique_ptr<SqliteSession>> SqliteDatabase::open_session(
    SqliteSession::Patience patience) {
  static std::atomic<int> sessions = 0;
  auto connection = open_sqlite(path_, journal_);
  if (!connection) return connection.error();
  return SqliteSession::start(std::move(*connection), journal_, ++sessions, patience);
}

// All transactions have the one level that there is.
Result<std::vector<std::unique_ptr<StoreSession>>> SqliteDatabase::open_sessions(
    const std::vector<SessionOptions>& options) {
  std::vector<std::unique_ptr<StoreSession>> sessions;
  for (std::size_t i = 0; i < options.size(); ++i) {
    auto session = open_session(SqliteSession::Patience::waits);
    if (!session) return session.error();
    const int id = (*session)->backend_id();
    sessions_[id] = session->get();
    (*session)->on_close([this, id] { sessions_.erase(id); });
    sessions.push_back(std::move(*session));
  }
  return sessions;
}

Result<std::vector<Reply>> SqliteDatabase::execute(const std::string& text,
                                                   std::uint32_t timeout_ms) {
  return execute_on(*control_, "SQLite", text, timeout_ms);
}

Diagnostic SqliteDatabase::own_query_trouble(const StepError& error) const {
  const std::string reason = in_one_line(error.message);
  return store_trouble("SQLite refused a statement of heddle's own: " + reason, advice_for(reason));
}

const SqliteSession* SqliteDatabase::session(int backend) const {
  const auto found = sessions_.find(backend);
  return found == sessions_.end() ? nullptr : found->second;
}

Result<bool> SqliteDatabase::is_blocked(int backend, const std::vector<int>& /*others*/) {
  const SqliteSession* const asked = session(backend);
  return asked != nullptr && asked->waits_for_lock();
}

// The one that may write is in the way of whoever wants to; it is itself kept from committing by
// readers, as is one that wants everybody out. Those who only want to read wait for the same.
Result<std::vector<WaitState>> SqliteDatabase::wait_states(const std::vector<int>& backends,
                                                           const std::vector<int>& others) {
  std::vector<WaitState> states(backends.size());
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const SqliteSession* const waiting = session(backends[i]);
    if (waiting == nullptr || !waiting->waits_for_lock()) continue;
    states[i].blocked = true;
    std::vector<int> writers;
    std::vector<int> readers;
    for (const int other : others) {
      const SqliteSession* const holder = session(other);
      if (holder == nullptr || holder == waiting) continue;
      if (holder->may_write()) writers.push_back(other);
      if (holder->may_read()) readers.push_back(other);
    }
    states[i].blockers = waiting->may_write() || writers.empty() ? readers : writers;
  }
  return states;
}

CatalogueTable* SqliteDatabase::find_table(const Cell& name) {
  const auto found = std::ranges::find(catalogue_, name.value_or(""), &CatalogueTable::name);
  return found == catalogue_.end() ? nullptr : &*found;
}

void SqliteDatabase::add_columns(const std::vector<Row>& rows) {
  std::map<std::string, std::map<int, std::string>> keys;
  for (const Row& row : rows) {
    const bool is_plain = row[2] == "table";
    const bool has_rowid = is_plain && row[3] == "0";
    if (catalogue_.empty() || catalogue_.back().name != *row[0]) {
      CatalogueTable table;
      table.name = *row[0];
      table.quoted = quote_identifier(*row[1]);
      table.rows = table.quoted;
      catalogue_.push_back(std::move(table));
      copies_.push_back({"", !has_rowid});
      // What stands behind a virtual table is not rows.
      can_restore_ = can_restore_ && is_plain;
    }
    CatalogueColumn column;
    column.name = *row[4];
    column.type = row[5].value_or("");
    column.default_expression = to_default(row[6]);
    column.computed = row[7] != "0";
    catalogue_.back().columns.push_back(std::move(column));
    if (row[8] != "0") keys[*row[0]][std::stoi(*row[8])] = *row[4];
  }
  for (std::size_t i = 0; i < catalogue_.size(); ++i) {
    CatalogueTable& table = catalogue_[i];
    for (const auto& [position, name] : keys[table.name]) table.key.push_back(name);
    if (table.key.size() != 1 || copies_[i].shows_rowid) continue;
    // INTEGER PRIMARY KEY is the number of the row, which SQLite gives where the statement does
    // not.
    const auto key = std::ranges::find(table.columns, table.key[0], &CatalogueColumn::name);
    key->identity = key->type == "integer";
    copies_[i].shows_rowid = key->identity;
  }
}

void SqliteDatabase::add_unique_keys(const std::vector<Row>& rows) {
  std::map<std::string, std::string> index_taken;
  for (const Row& row : rows) {
    CatalogueTable* const table = find_table(row[0]);
    if (table == nullptr) continue;
    const bool is_known = index_taken.contains(table->name);
    if (!is_known && !table->key.empty()) continue;
    if (index_taken.emplace(table->name, *row[1]).first->second != *row[1]) continue;
    table->key.push_back(*row[2]);
  }
}

void SqliteDatabase::add_foreign_keys(const std::vector<Row>& rows) {
  std::string previous;
  for (const Row& row : rows) {
    CatalogueTable* const table = find_table(row[0]);
    if (table == nullptr) continue;
    const std::string constraint = fmt::format("{} {}", *row[1], *row[0]);
    if (std::exchange(previous, constraint) != constraint) {
      table->foreign_keys.push_back({{}, *row[2], {}});
    }
    ForeignKey& key = table->foreign_keys.back();
    const CatalogueTable* const parent = find_table(row[2]);
    const std::size_t position = key.columns.size();
    key.columns.push_back(*row[3]);
    if (row[4]) {
      key.referenced.push_back(*row[4]);
    } else if (parent != nullptr && position < parent->key.size()) {
      key.referenced.push_back(parent->key[position]);
    }
  }
}

Result<std::vector<CatalogueTable>> SqliteDatabase::read_catalogue() {
  auto results = query(
      fmt::format("{};{};{};{}", kColumnsQuery, kUniqueQuery, kForeignKeysQuery, kSequencesQuery));
  if (!results) return results.error();
  catalogue_.clear();
  copies_.clear();
  can_restore_ = true;
  add_columns(results->at(0));
  add_unique_keys(results->at(1));
  add_foreign_keys(results->at(2));
  has_sequences_ = results->at(3).at(0).at(0) != "0";
  for (std::size_t i = 0; i < catalogue_.size(); ++i) {
    std::vector<std::string> columns;
    if (!copies_[i].shows_rowid) {
      columns.push_back(rowid_name(catalogue_[i]));
      can_restore_ = can_restore_ && !columns.front().empty();
    }
    for (const CatalogueColumn& column : catalogue_[i].columns) {
      if (!column.computed) columns.push_back(quote_identifier(column.name));
    }
    copies_[i].columns = join(columns, ", ");
  }
  return catalogue_;
}

// Commits of other connections change the version, the control connection's own are counted.
Result<std::string> SqliteDatabase::state() {
  auto version = query("PRAGMA main.data_version");
  if (!version) return version.error();
  return fmt::format("{} {}", version->at(0).at(0).at(0).value_or(""),
                     sqlite3_total_changes64(control_->connection()));
}

Result<void> SqliteDatabase::take_snapshot() {
  std::string text = has_copies_ ? fmt::format("DETACH {};", kCopies) : "";
  text += fmt::format("ATTACH ':memory:' AS {};", kCopies);
  for (std::size_t i = 0; i < catalogue_.size(); ++i) {
    text += fmt::format("CREATE TABLE {} AS SELECT {} FROM main.{};", copy_name(i),
                        copies_[i].columns, catalogue_[i].quoted);
  }
  if (has_sequences_) {
    text +=
        fmt::format("CREATE TABLE {}.sequences AS SELECT * FROM main.sqlite_sequence;", kCopies);
  }
  if (auto made = query(text); !made) return made.error();
  has_copies_ = true;
  auto now = state();
  if (!now) return now.error();
  restored_state_ = *now;
  return {};
}

// Where the number of a row is not seen, rows that look as before may have others.
Result<void> SqliteDatabase::restore_snapshot(const std::set<std::string>& changed) {
  auto before = state();
  if (!before) return before.error();
  if (*before == restored_state_) return {};
  std::string text = "BEGIN IMMEDIATE;";
  for (std::size_t i = 0; i < catalogue_.size(); ++i) {
    const CatalogueTable& table = catalogue_[i];
    if (copies_[i].shows_rowid && !changed.contains(table.name)) continue;
    text += fmt::format("DELETE FROM main.{0}; INSERT INTO main.{0} ({1}) SELECT * FROM {2};",
                        table.quoted, copies_[i].columns, copy_name(i));
  }
  if (has_sequences_) {
    text += fmt::format(
        "DELETE FROM main.sqlite_sequence;"
        "INSERT INTO main.sqlite_sequence SELECT * FROM {}.sequences;",
        kCopies);
  }
  const WithoutEffects quiet(control_->connection());
  if (auto done = query(text + "COMMIT"); !done) return done.error();
  auto after = state();
  if (!after) return after.error();
  restored_state_ = *after;
  return {};
}

// Nobody waits for the control connection, and it does not wait for anybody: under a lock of a
// session the file holds what is committed, which is read past the lock then.
Result<std::vector<std::vector<WatchedRow>>> SqliteDatabase::watch_rows(
    const std::vector<const CatalogueTable*>& tables) {
  auto tried = execute("SELECT count(*) FROM main.sqlite_schema", kOwnQueryTimeoutMs);
  if (!tried) return tried.error();
  if (!is_refused(*tried)) return SqlDatabase::watch_rows(tables);
  auto connection = open_sqlite_as_it_is(path_);
  if (!connection) return connection.error();
  auto reader = SqliteSession::start(std::move(*connection), journal_, 0,
                                     SqliteSession::Patience::is_refused);
  if (!reader) return reader.error();
  control_.swap(*reader);
  auto rows = SqlDatabase::watch_rows(tables);
  control_.swap(*reader);
  return rows;
}

// The row as SQL's literals; SQLite does not show who wrote it.
std::string SqliteDatabase::watching_text(const CatalogueTable& table) const {
  std::vector<std::string> literals;
  std::vector<std::string> cells;
  for (const CatalogueColumn& column : table.columns) {
    const std::string name = quote_identifier(column.name);
    literals.push_back(fmt::format("quote({})", name));
    cells.push_back(
        fmt::format("CASE typeof({0}) WHEN 'blob' THEN quote({0}) ELSE ifnull({0}, '') END", name));
  }
  std::string key;
  for (const std::string& column : table.key) key += ", " + quote_identifier(column);
  return fmt::format("SELECT NULL, {}, '(' || {} || ')'{} FROM main.{}",
                     join(literals, " || ', ' || "), join(cells, " || ',' || "), key, table.quoted);
}

// The columns are those of the table, so that values are compared as there; the bound keeps SQLite
// from taking the list apart.
std::string SqliteDatabase::matching_text(const CatalogueTable& table, const std::string& alias,
                                          const std::string& predicate,
                                          const std::vector<WatchedVersion>& versions) const {
  std::vector<std::string> rows;
  for (const WatchedVersion& version : versions) {
    rows.push_back(fmt::format("({}, {})", version.number, version.text));
  }
  return fmt::format(
      "SELECT heddle_version FROM (SELECT 0 AS heddle_version, {} FROM main.{} WHERE 0 "
      "UNION ALL SELECT * FROM (VALUES {}) LIMIT -1) AS {} WHERE {}",
      quoted_columns(table), table.quoted, join(rows, ", "), quote_identifier(alias), predicate);
}

// A transaction sees the rows as they were at its first look, until it ends. With a rollback
// journal nobody else can commit in between, so that this is so there as well.
SnapshotRule SqliteDatabase::snapshot_rule(std::string_view /*level*/) const {
  return {.keeps = true, .locking_is_current = false, .reads_wait = true};
}

// Truth values are numbers.
bool SqliteDatabase::is_true(const Cell& cell) const {
  return cell && std::strtod(cell->c_str(), nullptr) != 0;
}

// SQLite's own way to empty a file, whatever is in it.
Result<void> SqliteDatabase::wipe() {
  if (has_copies_) {
    if (auto detached = query(fmt::format("DETACH {}", kCopies)); !detached) {
      return detached.error();
    }
    has_copies_ = false;
  }
  sqlite3* const connection = control_->connection();
  sqlite3_db_config(connection, SQLITE_DBCONFIG_RESET_DATABASE, 1, nullptr);
  auto emptied = query("VACUUM");
  sqlite3_db_config(connection, SQLITE_DBCONFIG_RESET_DATABASE, 0, nullptr);
  if (!emptied) return emptied.error();
  return {};
}

}  // namespace heddle
