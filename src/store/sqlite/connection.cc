#include "store/sqlite/connection.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "store/sqlite/library.h"
#include "store/trouble.h"

namespace heddle {

namespace {

struct CodeName {
  int code;
  std::string_view name;
};

// "Result and Error Codes" of the manual; of the extended ones those that a scenario can meet. The
// others are called after their primary code.
constexpr CodeName kCodeNames[] = {
    {SQLITE_ERROR, "SQLITE_ERROR"},
    {SQLITE_INTERNAL, "SQLITE_INTERNAL"},
    {SQLITE_PERM, "SQLITE_PERM"},
    {SQLITE_ABORT, "SQLITE_ABORT"},
    {SQLITE_BUSY, "SQLITE_BUSY"},
    {SQLITE_LOCKED, "SQLITE_LOCKED"},
    {SQLITE_NOMEM, "SQLITE_NOMEM"},
    {SQLITE_READONLY, "SQLITE_READONLY"},
    {SQLITE_INTERRUPT, "SQLITE_INTERRUPT"},
    {SQLITE_IOERR, "SQLITE_IOERR"},
    {SQLITE_CORRUPT, "SQLITE_CORRUPT"},
    {SQLITE_NOTFOUND, "SQLITE_NOTFOUND"},
    {SQLITE_FULL, "SQLITE_FULL"},
    {SQLITE_CANTOPEN, "SQLITE_CANTOPEN"},
    {SQLITE_PROTOCOL, "SQLITE_PROTOCOL"},
    {SQLITE_SCHEMA, "SQLITE_SCHEMA"},
    {SQLITE_TOOBIG, "SQLITE_TOOBIG"},
    {SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"},
    {SQLITE_MISMATCH, "SQLITE_MISMATCH"},
    {SQLITE_MISUSE, "SQLITE_MISUSE"},
    {SQLITE_AUTH, "SQLITE_AUTH"},
    {SQLITE_RANGE, "SQLITE_RANGE"},
    {SQLITE_NOTADB, "SQLITE_NOTADB"},
    {SQLITE_BUSY_SNAPSHOT, "SQLITE_BUSY_SNAPSHOT"},
    {SQLITE_BUSY_RECOVERY, "SQLITE_BUSY_RECOVERY"},
    {SQLITE_ABORT_ROLLBACK, "SQLITE_ABORT_ROLLBACK"},
    {SQLITE_CONSTRAINT_CHECK, "SQLITE_CONSTRAINT_CHECK"},
    {SQLITE_CONSTRAINT_COMMITHOOK, "SQLITE_CONSTRAINT_COMMITHOOK"},
    {SQLITE_CONSTRAINT_DATATYPE, "SQLITE_CONSTRAINT_DATATYPE"},
    {SQLITE_CONSTRAINT_FOREIGNKEY, "SQLITE_CONSTRAINT_FOREIGNKEY"},
    {SQLITE_CONSTRAINT_FUNCTION, "SQLITE_CONSTRAINT_FUNCTION"},
    {SQLITE_CONSTRAINT_NOTNULL, "SQLITE_CONSTRAINT_NOTNULL"},
    {SQLITE_CONSTRAINT_PINNED, "SQLITE_CONSTRAINT_PINNED"},
    {SQLITE_CONSTRAINT_PRIMARYKEY, "SQLITE_CONSTRAINT_PRIMARYKEY"},
    {SQLITE_CONSTRAINT_ROWID, "SQLITE_CONSTRAINT_ROWID"},
    {SQLITE_CONSTRAINT_TRIGGER, "SQLITE_CONSTRAINT_TRIGGER"},
    {SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE"},
    {SQLITE_CONSTRAINT_VTAB, "SQLITE_CONSTRAINT_VTAB"},
};

constexpr int kPrimaryCode = 0xff;

ErrorClass classify(sqlite3* connection, int code) {
  if (code == SQLITE_BUSY_SNAPSHOT) return ErrorClass::serialization_failure;
  switch (code & kPrimaryCode) {
    case SQLITE_BUSY:
      return sqlite3_get_autocommit(connection) == 0 ? ErrorClass::deadlock
                                                     : ErrorClass::lock_timeout;
    case SQLITE_INTERRUPT:
      return ErrorClass::cancelled;
    default:
      return ErrorClass::other;
  }
}

Cell to_cell(sqlite3_stmt* statement, int column) {
  const int type = sqlite3_column_type(statement, column);
  if (type == SQLITE_NULL) return std::nullopt;
  const auto* const bytes =
      type == SQLITE_BLOB
          ? static_cast<const unsigned char*>(sqlite3_column_blob(statement, column))
          : sqlite3_column_text(statement, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
  if (type != SQLITE_BLOB) return std::string(reinterpret_cast<const char*>(bytes), size);
  std::string text = "X'";
  for (std::size_t i = 0; i < size; ++i) text += fmt::format("{:02X}", bytes[i]);
  return text + "'";
}

Result<SqliteConnection> open_file(const std::string& name, int flags) {
  start_sqlite_library();
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteConnection connection(opened);
  if (code != SQLITE_OK) {
    const std::string reason = opened == nullptr ? "out of memory" : sqlite3_errmsg(opened);
    return store_trouble("cannot open a database of SQLite: " + reason, advice_for(reason));
  }
  sqlite3_extended_result_codes(opened, 1);
  return connection;
}

}  // namespace

Result<SqliteConnection> open_sqlite(const std::string& path, SqliteJournal journal) {
  auto connection = open_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!connection) return connection.error();
  const char* const settings = journal == SqliteJournal::wal
                                   ? "PRAGMA synchronous = OFF; PRAGMA main.journal_mode = WAL"
                                   : "PRAGMA synchronous = OFF; PRAGMA main.journal_mode = DELETE";
  if (sqlite3_exec(connection->get(), settings, nullptr, nullptr, nullptr) != SQLITE_OK) {
    const std::string reason = sqlite3_errmsg(connection->get());
    return store_trouble("cannot use a database of SQLite: " + reason, advice_for(reason));
  }
  return connection;
}

Result<SqliteConnection> open_sqlite_as_it_is(const std::string& path) {
  std::string name = "file:";
  for (const char c : path) {
    const bool is_special = c == '%' || c == '?' || c == '#';
    name += is_special ? fmt::format("%{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return open_file(name + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

std::string sqlite_code_name(int code) {
  for (const int wanted : {code, code & kPrimaryCode}) {
    const auto* const found = std::find_if(std::begin(kCodeNames), std::end(kCodeNames),
                                           [&](const CodeName& row) { return row.code == wanted; });
    if (found != std::end(kCodeNames)) return std::string(found->name);
  }
  return fmt::format("SQLITE_{}", code);
}

StepError to_sqlite_error(sqlite3* connection, int code) {
  StepError error;
  error.error_class = classify(connection, code);
  error.code = sqlite_code_name(code);
  error.severity = "ERROR";
  error.message = sqlite3_errmsg(connection);
  error.text = fmt::format("ERROR {}: {}\n", error.code, error.message);
  return error;
}

Row current_row(sqlite3_stmt* statement) {
  Row row;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) row.push_back(to_cell(statement, i));
  return row;
}

WithoutEffects::WithoutEffects(sqlite3* connection) : connection_(connection) {
  for (Switch& one : switches_) {
    sqlite3_db_config(connection_, one.name, -1, &one.was);
    sqlite3_db_config(connection_, one.name, 0, nullptr);
  }
}

WithoutEffects::~WithoutEffects() {
  for (const Switch& one : switches_) sqlite3_db_config(connection_, one.name, one.was, nullptr);
}

}  // namespace heddle
