// One libpq connection as a StoreSession.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "store/postgres/types.h"
#include "store/store.h"

namespace heddle {

struct PostgresConnectionCloser {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using PostgresConnection = std::unique_ptr<PGconn, PostgresConnectionCloser>;

// Parameters of a connection: libpq's keywords and values.
using ConnectionParameters = std::map<std::string, std::string>;

// Table oid to the name and the columns by number, shared by the sessions of one database; and the
// types, where somebody wants to know those of results.
struct PostgresTableNames {
  struct Table {
    std::string name;
    std::map<int, std::string> columns;
  };
  std::map<unsigned, Table> tables;
  PostgresTypes types;
};

// A column of a result, as the server describes it.
struct PostgresColumn {
  std::string name;
  Oid table = 0;  // 0: no table's
  int number = 0;
  Oid type = 0;
  int modifier = -1;
};
Column to_column(const PostgresColumn& described, const PostgresTableNames& names);

// An error by the codes of its fields (PostgreSQL manual, 55.8); `text` is for people.
StepError to_error(const std::map<char, std::string>& fields, std::string text);

// What a PGresult says, as data. `names` resolves the tables and types of result columns.
Reply to_reply(const PGresult* result, const PostgresTableNames& names);

// Connects and waits for it, also where that fails.
PostgresConnection connect_and_wait(const ConnectionParameters& parameters);

// Begins connecting; PQconnectPoll must follow.
PostgresConnection start_connecting(const ConnectionParameters& parameters);

// Drives all connections until each is there or one has failed.
Result<void> finish_connecting(const std::vector<PGconn*>& connections);

class PostgresSession : public StoreSession {
 public:
  // `names` must outlive the session. `hears_lock_waits`: the session was opened with the settings
  // that make the server log its waits for locks to the client.
  PostgresSession(PostgresConnection connection, const PostgresTableNames& names,
                  bool hears_lock_waits = false);

  Result<void> send(const std::string& text) override;
  Result<bool> busy() override;
  int socket() const override;
  std::vector<Reply> take_replies() override;
  std::vector<std::string> take_notices() override;
  std::vector<Notification> take_notifications() override;
  TransactionState transaction_state() const override;
  bool awaits_deadlock_check() const override { return hears_lock_waits_ && !deadlock_checked_; }
  bool cancel() override;
  int backend_id() const override;

  PGconn* connection() const { return connection_.get(); }
  const PostgresTableNames& names() const { return names_; }
  // Whether the server says when it has looked for a deadlock.
  bool hears_lock_waits() const { return hears_lock_waits_; }
  // Whether what goes over its socket is the protocol itself, not wrapped into TLS or GSSAPI.
  bool is_plain() const;
  // What the server says of itself: server_version, TimeZone; empty: nothing.
  std::string parameter(const std::string& name) const;

 private:
  static void receive_notice(void* self, const PGresult* notice);
  // The results that came before the connection broke.
  Result<bool> take_last_words();
  // Reads a COPY TO STDOUT to its end and forgets it.
  void drain_copy();

  PostgresConnection connection_;
  const PostgresTableNames& names_;
  std::vector<Reply> replies_;
  std::vector<std::string> notices_;
  bool under_way_ = false;
  bool hears_lock_waits_ = false;
  bool deadlock_checked_ = false;  // of the present wait for a lock
};

}  // namespace heddle
