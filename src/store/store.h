// One interface to every store: a server holds databases, a database holds sessions.
//
// Sessions are asynchronous: send, then ask `busy` until it says no, then take the replies. The
// runner (src/replay) owns the waiting; nothing here sleeps. One thread per database at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/isolation.h"
#include "heddle/outcome.h"
#include "heddle/replay.h"
#include "heddle/result.h"

namespace heddle {

// An asynchronous message between sessions (PostgreSQL's NOTIFY).
struct Notification {
  std::string channel;
  std::string payload;
  int sender = 0;  // backend id
};

// One client connection.
class StoreSession {
 public:
  StoreSession() = default;
  StoreSession(const StoreSession&) = delete;
  StoreSession& operator=(const StoreSession&) = delete;
  virtual ~StoreSession() = default;

  // Sends a text of one or more statements. REQUIRES: nothing under way.
  virtual Result<void> send(const std::string& text) = 0;
  // Reads what has arrived, never blocks. True while the reply is not complete.
  virtual Result<bool> busy() = 0;
  // The file descriptor that becomes readable when something arrives.
  virtual int socket() const = 0;
  // REQUIRES: !busy().
  virtual std::vector<Reply> take_replies() = 0;
  virtual std::vector<std::string> take_notices() = 0;
  virtual std::vector<Notification> take_notifications() = 0;
  virtual TransactionState transaction_state() const = 0;
  // Asks the server to cancel what is under way.
  virtual bool cancel() = 0;
  // The server's number for this connection.
  virtual int backend_id() const = 0;
};

// Who waits for whom, among the sessions of one database.
struct WaitState {
  bool blocked = false;       // waits for a lock that another session holds
  std::vector<int> blockers;  // backend ids, direct
};

// A database that heddle created and will remove.
class StoreDatabase {
 public:
  StoreDatabase() = default;
  StoreDatabase(const StoreDatabase&) = delete;
  StoreDatabase& operator=(const StoreDatabase&) = delete;
  virtual ~StoreDatabase() = default;

  // `level`: the session's default isolation level; none leaves the server's.
  virtual Result<std::unique_ptr<StoreSession>> open_session(
      const std::string& name, std::optional<IsolationLevel> level) = 0;
  // Runs a text on the control connection and waits for it.
  virtual Result<std::vector<Reply>> execute(const std::string& text) = 0;
  // Whether the backend waits for a lock held by one of `others`; the cheap question.
  virtual Result<bool> is_blocked(int backend, const std::vector<int>& others) = 0;
  // The same for several backends at once with their blockers; the thorough question.
  virtual Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends) = 0;
};

class StoreServer {
 public:
  StoreServer() = default;
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;
  virtual ~StoreServer() = default;

  // "PostgreSQL 15.4 (throwaway)"
  virtual std::string description() const = 0;
  virtual Result<std::unique_ptr<StoreDatabase>> create_database() = 0;
};

// Starts or reaches the store that `address` names.
Result<std::unique_ptr<StoreServer>> open_server(const StoreAddress& address);

}  // namespace heddle
