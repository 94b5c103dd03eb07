// One connection of MariaDB's Connector/C as a StoreSession, for MariaDB and MySQL.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mysql.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/mariadb/address.h"
#include "store/store.h"

namespace heddle {

struct MariadbConnectionCloser {
  void operator()(MYSQL* connection) const { mysql_close(connection); }
};
using MariadbConnection = std::unique_ptr<MYSQL, MariadbConnectionCloser>;

// Connects and waits for it, so many seconds; what is sent may hold several statements.
Result<MariadbConnection> connect_to_mariadb(const MariadbAddress& address,
                                             unsigned patience_s = 30);

// A column of a result, as the server describes it to a client.
struct MariadbColumn {
  std::string database;
  std::string table;         // as the statement calls it
  std::string source_table;  // what it is
  std::string name;
  std::string source;
  unsigned charset = 0;
  unsigned long length = 0;
  unsigned type = 0;  // enum_field_types
  unsigned flags = 0;
  unsigned decimals = 0;
};

// What the server has told a client beside the rows of a Reply.
struct MariadbAnswer {
  std::vector<MariadbColumn> columns;  // none: no rows were asked for
  std::uint64_t affected = 0;          // of an UPDATE the rows that it matched
  std::uint64_t inserted = 0;          // the generated key; 0: there is none
  unsigned warnings = 0;
  unsigned error = 0;  // 0: none
  std::string sqlstate;
  std::string message;  // of the error
};

// A session of which a driver of MariaDB's can be told everything that the server has answered.
class MariadbClient {
 public:
  MariadbClient() = default;
  MariadbClient(const MariadbClient&) = delete;
  MariadbClient& operator=(const MariadbClient&) = delete;
  virtual ~MariadbClient() = default;

  // For each of the replies to the last text; empty unless somebody has asked for them before.
  virtual void keep_answers() = 0;
  virtual std::vector<MariadbAnswer> take_answers() = 0;
  // What the server says of its state: SERVER_STATUS_...
  virtual unsigned server_status() const = 0;
  // "10.11.6-MariaDB"
  virtual std::string server_version() const = 0;
  // All that StoreSession::socket() can be.
  virtual std::vector<int> sockets() const = 0;
};

class MariadbSession : public StoreSession, public MariadbClient {
 public:
  // `kill` is asked to cancel what the connection of that number does; it must outlive the session.
  // Messages do not name the database, which is another one in each run.
  // While `shows_types` says so, columns of results carry the types that PostgreSQL has for them,
  // and an UPDATE counts the rows that it matched, as there, not those that it changed.
  MariadbSession(MariadbConnection connection, std::string database,
                 std::function<bool(unsigned long)> kill,
                 std::shared_ptr<const bool> shows_types = nullptr)
      : connection_(std::move(connection)),
        database_(std::move(database)),
        kill_(std::move(kill)),
        shows_types_(std::move(shows_types)) {}

  Result<void> send(const std::string& text) override;
  Result<bool> busy() override;
  int socket() const override { return mysql_get_socket(connection_.get()); }
  std::vector<Reply> take_replies() override { return std::exchange(replies_, {}); }
  void keep_answers() override { keeps_answers_ = true; }
  std::vector<MariadbAnswer> take_answers() override { return std::exchange(answers_, {}); }
  std::vector<std::string> take_notices() override { return {}; }
  std::vector<Notification> take_notifications() override { return {}; }
  TransactionState transaction_state() const override;
  // InnoDB looks before it lets anybody wait.
  bool awaits_deadlock_check() const override { return false; }
  bool cancel() override { return kill_(mysql_thread_id(connection_.get())); }
  int backend_id() const override;

  // The GTID of its last transaction that was logged, as far as the server has told of itself; that
  // needs session_track_system_variables. Empty: it has told of none.
  std::string last_gtid() const;

  unsigned server_status() const override;
  std::string server_version() const override { return mysql_get_server_info(connection_.get()); }
  std::vector<int> sockets() const override { return {socket()}; }

  MYSQL* connection() const { return connection_.get(); }

 private:
  // What the connector is doing; each stage may have to wait for the server. Errors do not tell
  // whether the transaction goes on, so that an idle statement asks.
  enum class Stage : std::uint8_t { idle, query, result, next, ask };

  // Goes on with the stage. False: it waits.
  bool advance();
  void begin(Stage stage);
  // The reply of the stage that has ended, and the stage after it.
  void finish_stage();
  void take_error();
  std::uint64_t count_matched() const;
  std::string count_affected() const;
  void keep_answer(const Reply& reply);

  MariadbConnection connection_;
  std::string database_;
  std::function<bool(unsigned long)> kill_;
  std::shared_ptr<const bool> shows_types_;  // may be null
  std::string text_;                         // the connector reads it while it sends
  std::vector<Reply> replies_;
  bool keeps_answers_ = false;
  std::vector<MariadbAnswer> answers_;
  Stage stage_ = Stage::idle;
  int waits_for_ = 0;  // MYSQL_WAIT_...; 0: the stage has ended
  int failed_ = 0;     // of query, next and ask
  MYSQL_RES* result_ = nullptr;
};

// The error of the connection's last call, in words that do not name the database.
StepError to_error(MYSQL* connection, const std::string& database);

}  // namespace heddle
