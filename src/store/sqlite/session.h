// One connection of SQLite as a StoreSession.
//
// SQLite's calls return when they are done, and a statement that finds the file locked waits inside
// of them, in the busy handler, holding the locks that it has by then. To see that from outside,
// and to let other sessions go on, each session makes these calls in a coroutine. It is given back
// when the text is done, when the busy handler is called, and after so many instructions of
// SQLite's machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/coroutine.h"
#include "base/file.h"
#include "store/sqlite/connection.h"
#include "store/store.h"

namespace heddle {

class SqliteSession : public StoreSession {
 public:
  // What a statement does when the file is locked and SQLite says that waiting may help: wait, as
  // with a busy timeout that never ends, or be refused at once.
  enum class Patience : std::uint8_t { waits, is_refused };

  static Result<std::unique_ptr<SqliteSession>> start(SqliteConnection connection,
                                                      SqliteJournal journal, int id,
                                                      Patience patience);
  ~SqliteSession() override;

  Result<void> send(const std::string& text) override;
  // Goes on with what waits: one more try.
  Result<bool> busy() override;
  // Readable unless the session waits for a lock, of whose end nothing tells.
  int socket() const override { return signal_.get(); }
  std::vector<Reply> take_replies() override { return std::exchange(replies_, {}); }
  std::vector<std::string> take_notices() override { return {}; }
  std::vector<Notification> take_notifications() override { return {}; }
  TransactionState transaction_state() const override;
  // SQLite tells at once whether waiting helps.
  bool awaits_deadlock_check() const override { return false; }
  // What is under way is refused at the next look.
  bool cancel() override;
  int backend_id() const override { return id_; }

  // The rest is for the owner of the session, while nothing runs.
  bool waits_for_lock() const { return stage_ == Stage::waits; }
  bool may_write() const;  // holds the only lock under which one may write
  bool may_read() const;   // holds a lock that keeps others from committing, or a snapshot
  // Called at the end of the session.
  void on_close(std::function<void()> action) { on_close_ = std::move(action); }
  sqlite3* connection() const { return connection_.get(); }

 private:
  enum class Stage : std::uint8_t { idle, under_way, waits };

  SqliteSession(SqliteConnection connection, SqliteJournal journal, FileDescriptor signal, int id,
                Patience patience);

  void give_back(Stage now);  // on the thread: lets the owner run until it resumes
  void serve();               // the thread's own function
  void run_text();
  // Runs the first statement; how much of the text it was, 0 when nothing more is to be run.
  std::size_t run_statement(const char* begin, std::size_t size);
  void run_prepared(sqlite3_stmt* statement);
  void take_error(int code);
  void end_transaction_of(const StepError& error);

  static int on_busy(void* session, int tries);
  static int on_progress(void* session);
  // Why a statement is not allowed; empty: it is.
  std::string reason_to_forbid(int action, const std::string& name, const char* value) const;
  static int on_access(void* session, int action, const char* first, const char* second,
                       const char* database, const char* trigger);

  SqliteConnection connection_;
  SqliteJournal journal_;
  FileDescriptor signal_;
  int id_;
  Patience patience_;
  std::function<void()> on_close_;
  std::string text_;
  std::vector<Reply> replies_;
  std::string forbidden_;  // why the last statement was not allowed, in heddle's words
  Stage stage_ = Stage::idle;
  bool cancelled_ = false;
  bool ended_ = false;
  Coroutine calls_;
};

}  // namespace heddle
