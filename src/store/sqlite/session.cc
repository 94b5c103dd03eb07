#include "store/sqlite/session.h"

#include <string_view>
#include <sys/eventfd.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// A few milliseconds; then somebody may want to look at the clock.
constexpr int kInstructionsAtOnce = 200'000;

// What would reach beyond the private directory, lock everybody out for good, or last longer than
// a run.
constexpr const char* kNoOtherFiles =
    "heddle keeps SQLite to files of its own: only :memory: can be attached";
constexpr const char* kNoLockingMode =
    "under heddle the locking mode of SQLite stays NORMAL, for other sessions have to get in";

constexpr const char* kNoJournalMode =
    "heddle chooses the journal of SQLite: use --on=sqlite or --on=sqlite:wal";

// Names are folded, as those of the catalogue are.
Column result_column(sqlite3_stmt* statement, int index) {
  Column column;
  column.name = text_or_nothing(sqlite3_column_name(statement, index));
  if (text_or_nothing(sqlite3_column_database_name(statement, index)) == "main") {
    column.table = to_lower(text_or_nothing(sqlite3_column_table_name(statement, index)));
    column.source = to_lower(text_or_nothing(sqlite3_column_origin_name(statement, index)));
  }
  return column;
}

std::string count_of_rows(std::int64_t count) {
  return fmt::format("{} row{}", count, count == 1 ? "" : "s");
}

}  // namespace

SqliteSession::SqliteSession(SqliteConnection connection, SqliteJournal journal,
                             FileDescriptor signal, int id, Patience patience)
    : connection_(std::move(connection)),
      journal_(journal),
      signal_(std::move(signal)),
      id_(id),
      patience_(patience),
      calls_([this] { serve(); }) {
  sqlite3* const handle = connection_.get();
  sqlite3_busy_handler(handle, &on_busy, this);
  sqlite3_progress_handler(handle, kInstructionsAtOnce, &on_progress, this);
  sqlite3_set_authorizer(handle, &on_access, this);
}

Result<std::unique_ptr<SqliteSession>> SqliteSession::start(SqliteConnection connection,
                                                            SqliteJournal journal, int id,
                                                            Patience patience) {
  FileDescriptor signal(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!signal.is_open()) return store_trouble("cannot make an event for a session of SQLite");
  return std::unique_ptr<SqliteSession>(
      new SqliteSession(std::move(connection), journal, std::move(signal), id, patience));
}

SqliteSession::~SqliteSession() {
  if (on_close_) on_close_();
  cancelled_ = true;
  while (stage_ != Stage::idle) calls_.resume();
  ended_ = true;
  if (calls_.has_begun()) calls_.resume();
}

void SqliteSession::give_back(Stage now) {
  const bool is_told = (stage_ == Stage::waits) == (now == Stage::waits);
  stage_ = now;
  std::uint64_t count = 1;
  if (!is_told) {
    [[maybe_unused]] const ssize_t done = now == Stage::waits
                                              ? ::read(signal_.get(), &count, sizeof(count))
                                              : ::write(signal_.get(), &count, sizeof(count));
  }
  calls_.give_back();
}

void SqliteSession::serve() {
  while (!ended_) {
    run_text();
    give_back(Stage::idle);
  }
}

Result<void> SqliteSession::send(const std::string& text) {
  HEDDLE_ASSERT(stage_ == Stage::idle);
  replies_.clear();
  text_ = text;
  cancelled_ = false;
  calls_.resume();
  return {};
}

Result<bool> SqliteSession::busy() {
  if (stage_ == Stage::idle) return false;
  calls_.resume();
  return stage_ != Stage::idle;
}

bool SqliteSession::cancel() {
  if (stage_ == Stage::idle) return false;
  cancelled_ = true;
  return true;
}

TransactionState SqliteSession::transaction_state() const {
  return sqlite3_get_autocommit(connection_.get()) == 0 ? TransactionState::open
                                                        : TransactionState::idle;
}

// With a WAL the lock on the file says nothing; a statement on its way to an exclusive lock has
// begun nothing yet as far as the transaction tells.
bool SqliteSession::may_write() const {
  int lock = 0;
  sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_LOCKSTATE, &lock);
  constexpr int kReserved = 2;
  return lock >= kReserved || sqlite3_txn_state(connection_.get(), "main") == SQLITE_TXN_WRITE;
}

bool SqliteSession::may_read() const {
  return sqlite3_txn_state(connection_.get(), "main") != SQLITE_TXN_NONE || may_write();
}

void SqliteSession::run_text() {
  std::string_view rest = text_;
  while (!rest.empty()) {
    const std::size_t size = run_statement(rest.data(), rest.size());
    if (size == 0) return;
    rest.remove_prefix(size);
  }
}

std::size_t SqliteSession::run_statement(const char* begin, std::size_t size) {
  sqlite3_stmt* prepared = nullptr;
  const char* tail = begin;
  forbidden_.clear();
  const int code =
      sqlite3_prepare_v2(connection_.get(), begin, static_cast<int>(size), &prepared, &tail);
  if (code != SQLITE_OK) {
    take_error(code);
    return 0;
  }
  if (prepared != nullptr) run_prepared(prepared);
  const bool failed = !replies_.empty() && replies_.back().error;
  if (failed) end_transaction_of(*replies_.back().error);
  return failed ? 0 : static_cast<std::size_t>(tail - begin);
}

void SqliteSession::run_prepared(sqlite3_stmt* statement) {
  sqlite3* const handle = connection_.get();
  const int columns = sqlite3_column_count(statement);
  const std::int64_t changes_before = sqlite3_total_changes64(handle);
  ResultSet result;
  result.has_rows = columns > 0;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    result.rows.push_back(current_row(statement));
  }
  // Known for good only now: before the first step the statement may have been out of date.
  for (int i = 0; i < columns; ++i) result.columns.push_back(result_column(statement, i));
  if (code == SQLITE_DONE) {
    const bool changed = sqlite3_total_changes64(handle) != changes_before;
    const std::int64_t affected = changed ? sqlite3_changes64(handle) : 0;
    result.command_tag =
        count_of_rows(result.has_rows ? static_cast<std::int64_t>(result.rows.size()) : affected);
    replies_.push_back({.result = std::move(result), .error = {}});
  } else {
    take_error(code);
  }
  sqlite3_finalize(statement);
}

// What the others wait for goes, as with stores that roll back by themselves.
void SqliteSession::end_transaction_of(const StepError& error) {
  const bool has_ended = error.error_class == ErrorClass::deadlock ||
                         error.error_class == ErrorClass::serialization_failure;
  if (has_ended && transaction_state() == TransactionState::open) {
    sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void SqliteSession::take_error(int code) {
  Reply reply;
  reply.error = to_sqlite_error(connection_.get(), code);
  if (cancelled_) reply.error->error_class = ErrorClass::cancelled;
  if (!forbidden_.empty()) reply.error->message = forbidden_;
  replies_.push_back(std::move(reply));
}

int SqliteSession::on_busy(void* session, int /*tries*/) {
  auto& self = *static_cast<SqliteSession*>(session);
  if (self.patience_ == Patience::is_refused || self.cancelled_) return 0;
  self.give_back(Stage::waits);
  return self.cancelled_ ? 0 : 1;
}

int SqliteSession::on_progress(void* session) {
  auto& self = *static_cast<SqliteSession*>(session);
  if (self.cancelled_) return 1;
  self.give_back(Stage::under_way);
  return self.cancelled_ ? 1 : 0;
}

std::string SqliteSession::reason_to_forbid(int action, const std::string& name,
                                            const char* value) const {
  if (action == SQLITE_ATTACH && !name.empty() && name != ":memory:") return kNoOtherFiles;
  if (action != SQLITE_PRAGMA || value == nullptr) return "";
  if (equal_ignoring_case(name, "locking_mode")) return kNoLockingMode;
  const bool is_as_it_is =
      equal_ignoring_case(value, journal_ == SqliteJournal::wal ? "wal" : "delete");
  return equal_ignoring_case(name, "journal_mode") && !is_as_it_is ? kNoJournalMode : "";
}

int SqliteSession::on_access(void* session, int action, const char* first, const char* second,
                             const char* /*database*/, const char* /*trigger*/) {
  auto& self = *static_cast<SqliteSession*>(session);
  const std::string reason = self.reason_to_forbid(action, text_or_nothing(first), second);
  if (reason.empty()) return SQLITE_OK;
  self.forbidden_ = reason;
  return SQLITE_DENY;
}

}  // namespace heddle
