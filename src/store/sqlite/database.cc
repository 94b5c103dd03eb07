// Going back between two runs copies the rows of changed tables from a database in memory that is
// attached to the control connection. Measured, with two small tables: 0.2 ms. Copying the pages of
// the file back takes no longer (sqlite3_backup), but counts as a change of the schema, which each
// session then reads again: 0.1 ms more for each of them.
#include "store/sqlite/database.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <unistd.h>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "store/control.h"
#include "store/quote.h"
#include "store/sqlite/catalogue.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// The attached database of copies, with tables called by number.
constexpr std::string_view kCopies = "heddle_copies";

std::string copy_name(std::size_t number) { return fmt::format("{}.\"{}\"", kCopies, number); }

bool is_refused(const std::vector<Reply>& replies) {
  return std::ranges::any_of(replies, [](const Reply& reply) { return reply.error.has_value(); });
}

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

Result<std::vector<CatalogueTable>> SqliteDatabase::read_catalogue() {
  auto results = query(sqlite_catalogue_text());
  if (!results) return results.error();
  catalogue_ = to_sqlite_catalogue(*results);
  return catalogue_.tables;
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
  for (std::size_t i = 0; i < catalogue_.tables.size(); ++i) {
    text += fmt::format("CREATE TABLE {} AS SELECT {} FROM main.{};", copy_name(i),
                        catalogue_.copies[i].columns, catalogue_.tables[i].quoted);
  }
  if (catalogue_.has_sequences) {
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
  for (std::size_t i = 0; i < catalogue_.tables.size(); ++i) {
    const CatalogueTable& table = catalogue_.tables[i];
    if (catalogue_.copies[i].shows_rowid && !changed.contains(table.name)) continue;
    text += fmt::format("DELETE FROM main.{0}; INSERT INTO main.{0} ({1}) SELECT * FROM {2};",
                        table.quoted, catalogue_.copies[i].columns, copy_name(i));
  }
  if (catalogue_.has_sequences) {
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

std::string SqliteDatabase::watching_text(const CatalogueTable& table) const {
  return sqlite_watching_text(table);
}

std::string SqliteDatabase::matching_text(const CatalogueTable& table, const std::string& alias,
                                          const std::string& predicate,
                                          const std::vector<WatchedVersion>& versions) const {
  return sqlite_matching_text(table, alias, predicate, versions);
}

// A transaction sees the rows as they were at its first look, until it ends. With a rollback
// journal nobody else can commit in between, so that this is so there as well.
SnapshotRule SqliteDatabase::snapshot_rule(std::string_view /*level*/) const {
  return {.keeps = true, .locking_is_current = false, .reads_wait = true};
}

bool SqliteDatabase::is_true(const Cell& cell) const { return is_sqlite_true(cell); }

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
