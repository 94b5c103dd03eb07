// SQLite's library: connections to a file, and its errors.
#pragma once

#include <cstdint>
#include <memory>
#include <sqlite3.h>
#include <string>

#include "heddle/outcome.h"
#include "heddle/result.h"

namespace heddle {

// How SQLite keeps what it needs to roll back: the old pages in a journal, the default, or the new
// ones in a write-ahead log.
enum class SqliteJournal : std::uint8_t { rollback, wal };

struct SqliteConnectionCloser {
  void operator()(sqlite3* connection) const { sqlite3_close(connection); }
};
using SqliteConnection = std::unique_ptr<sqlite3, SqliteConnectionCloser>;

// Opens the file, which is made when it is not there. For one thread at a time, waits for no lock
// and not for the disk. REQUIRES: others that have opened the file wanted the same journal.
Result<SqliteConnection> open_sqlite(const std::string& path, SqliteJournal journal);

// Opens the file to be read as it is on the disk, whatever is locked: what is committed, unless a
// transaction has outgrown its memory. REQUIRES: no WAL; closed before anybody writes.
Result<SqliteConnection> open_sqlite_as_it_is(const std::string& path);

// "SQLITE_CONSTRAINT_UNIQUE"
std::string sqlite_code_name(int code);

// The error of the connection's last call, which returned `code`. A file that is locked is a
// deadlock where the connection itself is in a transaction, for then no waiting helps.
StepError to_sqlite_error(sqlite3* connection, int code);

// The row that the statement stands at, as texts: a blob as X'00FF'.
Row current_row(sqlite3_stmt* statement);

// Switches triggers and foreign keys off, which rows that are put back would set off, for as long
// as it lives.
class WithoutEffects {
 public:
  explicit WithoutEffects(sqlite3* connection);
  ~WithoutEffects();
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

}  // namespace heddle
