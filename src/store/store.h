// One interface to every store: a server holds databases, a database holds sessions.
//
// Sessions are asynchronous: send, then ask `busy` until it says no, then take the replies. The
// runner (src/replay) owns the waiting; nothing here sleeps. One thread per database at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/interpret.h"
#include "heddle/isolation.h"
#include "heddle/outcome.h"
#include "heddle/replay.h"
#include "heddle/result.h"
#include "heddle/statement.h"

namespace heddle {

// An asynchronous message between sessions (PostgreSQL's NOTIFY).
struct Notification {
  std::string channel;
  std::string payload;
  int sender = 0;  // backend id
};

// What a functionality that a session calls asks its store for.
struct CalledStatement {
  std::string text;                 // with the values in it
  std::string statement;            // with $1, $2, ...
  std::vector<ClientValue> values;  // theirs
  bool is_question = false;         // heddle asks for a value; the program itself does not
};

// Which connection of a session that has several a text is for.
struct ConnectionTurn {
  enum class Kind : std::uint8_t {
    one,      // that one
    current,  // it does not say: the one with the open transaction
    next,     // it begins a transaction, of whatever connection comes next
    end,      // it ends the open transaction
    all,      // each of them
  };
  Kind kind = Kind::current;
  std::size_t connection = 0;  // of `one`
};

class StoreSession;

// A session of several stores in one (store/combined.h).
class PartedSession {
 public:
  PartedSession() = default;
  PartedSession(const PartedSession&) = delete;
  PartedSession& operator=(const PartedSession&) = delete;
  virtual ~PartedSession() = default;

  // The store that what follows is for. REQUIRES: nothing under way.
  virtual void turn_to(std::size_t store) = 0;
  // The session in one of them alone.
  virtual StoreSession& part(std::size_t store) = 0;
};

// A session that has several connections to one database (store/connected_database.h): to each of
// the services that divide it, or those on which a call has transactions open at the same time.
class SeveralConnections {
 public:
  SeveralConnections() = default;
  SeveralConnections(const SeveralConnections&) = delete;
  SeveralConnections& operator=(const SeveralConnections&) = delete;
  virtual ~SeveralConnections() = default;

  // Which connection the next text is for; without a word `current`.
  virtual void turn_to_connection(const ConnectionTurn& turn) = 0;
  // One of them alone.
  virtual StoreSession& connection(std::size_t number) = 0;
};

// One client connection. What only some sessions can do is an interface of its own, and a simple
// store has none of these.
class StoreSession {
 public:
  StoreSession() = default;
  StoreSession(const StoreSession&) = delete;
  StoreSession& operator=(const StoreSession&) = delete;
  virtual ~StoreSession() = default;

  // Null: there is one store.
  virtual PartedSession* parted() { return nullptr; }
  // Null: it has one connection.
  virtual SeveralConnections* several() { return nullptr; }

  // Sends a text of one or more statements. REQUIRES: nothing under way.
  virtual Result<void> send(const std::string& text) = 0;
  // The next statement of the functionality that the session calls. Where the program itself runs
  // in the session (src/gate), the program sends it, or does something else, which is an error.
  // REQUIRES: nothing under way.
  virtual Result<void> send_called(const CalledStatement& called) { return send(called.text); }
  // The functionality has ended, with this for its caller. Where the program itself runs, it must
  // end now, too.
  virtual Result<void> end_called(const Reply& /*end*/) { return {}; }
  // What was called is of no interest any more; the next statement is of a new call.
  virtual void forget_called() {}
  // What the session is waiting for, where that is not the store; for messages.
  virtual std::string delay() { return ""; }
  // Reads what has arrived, never blocks. True while the reply is not complete.
  virtual Result<bool> busy() = 0;
  // The file descriptor that becomes readable when something arrives.
  virtual int socket() const = 0;
  // REQUIRES: !busy().
  virtual std::vector<Reply> take_replies() = 0;
  // Messages to the client so far, each with its final newline.
  virtual std::vector<std::string> take_notices() = 0;
  virtual std::vector<Notification> take_notifications() = 0;
  virtual TransactionState transaction_state() const = 0;
  // The store has yet to look whether the present wait for a lock closes a deadlock, and will say
  // when it has. Always false where it does not say. REQUIRES: waits for a lock.
  virtual bool awaits_deadlock_check() const { return false; }
  // Asks the server to cancel what is under way.
  virtual bool cancel() = 0;
  // The server's number for this connection.
  virtual int backend_id() const = 0;
};

// The session in that one of its stores; itself where there is one.
inline StoreSession& part_of(StoreSession& session, std::size_t store) {
  PartedSession* const parted = session.parted();
  return parted == nullptr ? session : parted->part(store);
}

// Tells the session which of its stores what follows is for. REQUIRES: nothing under way.
inline void turn_to_store(StoreSession& session, std::size_t store) {
  if (PartedSession* const parted = session.parted()) parted->turn_to(store);
}

// What a session is opened with.
struct SessionOptions {
  std::string application_name;
  std::optional<IsolationLevel> level;  // default level of its transactions; none: the server's
  // Look for deadlocks after 1 ms and say when it is done, where heddle may set it.
  bool early_deadlock_check = false;
  // Where tables are looked for before the usual places; empty: nowhere else.
  std::string schema = {};
};

// Who waits for whom, among the sessions of one database.
struct WaitState {
  bool blocked = false;       // waits for a lock that another session holds
  std::vector<int> blockers;  // backend ids, direct
  // Of sessions with several connections: those blockers that hold the lock on another connection
  // than the one that was last sent something. Whether such waits close a circle no store knows.
  std::vector<int> aside = {};
};

// What the catalogue says of a column.
struct CatalogueColumn {
  std::string name;
  std::string type;
  std::string default_expression;  // empty: none
  bool identity = false;
  bool computed = false;  // GENERATED ALWAYS AS (...) STORED: cannot be inserted
};

struct ForeignKey {
  std::vector<std::string> columns;
  std::string table;  // display name
  std::vector<std::string> referenced;
};

// A table that a user made.
struct CatalogueTable {
  std::string name;    // as people write it: schema left out when it is public
  std::string quoted;  // as SQL needs it, always with its schema
  std::string rows;    // behind FROM: the rows of the table itself
  std::vector<CatalogueColumn> columns;
  std::vector<std::string> key;  // columns of the primary key, else of a unique key; may be empty
  std::vector<ForeignKey> foreign_keys;
  bool partition = false;    // a part of another table of this list
  bool partitioned = false;  // has no rows of its own, only parts
  std::size_t store = 0;     // of several in one
};

// A committed row, as the control connection sees it.
struct WatchedRow {
  std::string writer;     // number of the transaction that wrote it; empty: the store does not tell
  std::string text;       // as StoreDatabase::matching takes it back
  std::string value;      // as people read it
  std::vector<Cell> key;  // of the columns of the table's key
};

// A version that a row had.
struct WatchedVersion {
  std::size_t number = 0;
  std::string text;  // of the WatchedRow
};

// How long what a plain read of a transaction sees stays the same, and whether reads that lock and
// writes see the same.
struct SnapshotRule {
  bool sees_uncommitted = false;    // what others have written and not committed
  bool keeps = false;               // until the transaction ends, not the statement
  bool locking_is_current = false;  // they see what is committed by now
  bool reads_wait = false;  // plain reads too, and what waited sees what is committed afterwards
  bool at_commit = false;   // nothing is read or written before the commit (Redis)
  bool rechecks = false;    // what waited looks again at the rows it had found, and at no others
};

// A database that heddle created and will remove.
class StoreDatabase {
 public:
  StoreDatabase() = default;
  StoreDatabase(const StoreDatabase&) = delete;
  StoreDatabase& operator=(const StoreDatabase&) = delete;
  virtual ~StoreDatabase() = default;

  // Of several stores in one: how many, and the database of one of them, to which texts go.
  virtual std::size_t part_count() const { return 1; }
  virtual StoreDatabase& part(std::size_t /*store*/) { return *this; }

  // Its tables can be in schemas of their own.
  virtual bool has_schemas() const { return false; }
  // Its sessions can have several connections (store/connected_database.h).
  virtual bool takes_connections() const { return false; }
  // How many connections each session has that may have transactions open at the same time.
  virtual std::size_t connection_count() const { return 1; }
  // Where services divide the tables: whose the table or sequence of that name is.
  virtual std::optional<std::size_t> service_of(const std::string& /*relation*/) const {
    return std::nullopt;
  }

  virtual Dialect dialect() const = 0;
  // Of each part.
  std::vector<Dialect> dialects() {
    std::vector<Dialect> all;
    for (std::size_t store = 0; store < part_count(); ++store) {
      all.push_back(part(store).dialect());
    }
    return all;
  }

  // Opens all sessions at once, in parallel.
  virtual Result<std::vector<std::unique_ptr<StoreSession>>> open_sessions(
      const std::vector<SessionOptions>& options) = 0;
  // Runs a text on the control connection and waits for it. A refused statement is a Reply; a
  // statement that does not return in time is cancelled and is a Diagnostic (trouble: bound).
  virtual Result<std::vector<Reply>> execute(const std::string& text, std::uint32_t timeout_ms) = 0;
  // Whether the backend waits for a lock held by one of `others`; the cheap question.
  virtual Result<bool> is_blocked(int backend, const std::vector<int>& others) = 0;
  // The same for several backends at once with their blockers; the thorough question.
  virtual Result<std::vector<WaitState>> wait_states(const std::vector<int>& backends,
                                                     const std::vector<int>& others) = 0;
  // Reads the catalogue of user tables, sorted by name; result columns of replies taken afterwards
  // carry the names of their tables.
  virtual Result<std::vector<CatalogueTable>> read_catalogue() = 0;
  // Learns the types of the database, so that result columns of replies taken afterwards carry
  // theirs. Error: the store cannot say them (trouble: bad_input).
  virtual Result<void> learn_types() {
    return Diagnostic{.what =
                          "sessions that call a functionality run on PostgreSQL, MariaDB and "
                          "the replicated store only",
                      .what_to_do = "choose one of them with --on",
                      .file = "",
                      .position = {},
                      .trouble = Trouble::bad_input};
  }
  // Of a store with several copies of its rows: from now on sessions work on one of them alone, and
  // what they say about copies is read and does nothing, until that is called off. Serial orders
  // are run so: what is serial is so on one copy. REQUIRES: nothing has been run since the start.
  virtual void keep_one_copy(bool /*only*/) {}
  // Whether a text does nothing but say such things about copies. It holds for one run, and is
  // undone by restore_snapshot.
  virtual bool is_about_copies(const std::string& /*text*/) const { return false; }
  // Whether heddle may copy rows back past triggers and foreign keys; else only `wipe` is left.
  virtual bool can_restore() const = 0;
  // Remembers the present contents, to which `restore` goes back. REQUIRES: read_catalogue.
  virtual Result<void> take_snapshot() = 0;
  // Goes back to the snapshot in the tables named `changed`, and in all sequences. REQUIRES: no
  // open transaction in any session, and that nothing but rows and sequences has changed since.
  virtual Result<void> restore_snapshot(const std::set<std::string>& changed) = 0;
  // The statement that leaves a session as if it were new. REQUIRES: no open transaction. Empty:
  // there is none, only a new session will do.
  virtual std::string cleaning_text() const = 0;
  // The statement that gives a transaction up.
  virtual std::string rollback_text() const { return "ROLLBACK"; }

  // The committed rows of each of the tables: as a client reads them, in any order.
  virtual Result<std::vector<std::vector<Row>>> read_rows(
      const std::vector<const CatalogueTable*>& tables, std::uint32_t timeout_ms) = 0;
  // The same for watching a run.
  virtual Result<std::vector<std::vector<WatchedRow>>> watch_rows(
      const std::vector<const CatalogueTable*>& tables) = 0;
  // Whether sessions can read what is not committed, and then how they see the rows; else as above.
  virtual bool shows_uncommitted() const { return false; }
  virtual Result<std::vector<std::vector<WatchedRow>>> watch_uncommitted_rows(
      const std::vector<const CatalogueTable*>& tables) {
    return watch_rows(tables);
  }
  // Whether a statement may see rows as they were before the newest commits, whatever its level
  // says of snapshots, because they are in several places.
  virtual bool has_copies() const { return false; }
  // Whether watching shows that a row was written that is as it was before.
  virtual bool shows_equal_writes() const { return true; }
  // The numbers of those versions of rows of the table that satisfy the predicate, which calls the
  // row by the alias; all of them where it cannot be evaluated on its own.
  virtual Result<std::vector<std::size_t>> matching(
      const CatalogueTable& table, const std::string& alias, const std::string& predicate,
      const std::vector<WatchedVersion>& versions) = 0;
  // The number of each backend's transaction, none where it has written nothing or the store does
  // not tell. Of several stores in one: one for each store, backend by backend; where sessions have
  // several connections (connection_count), one for each of these.
  virtual Result<std::vector<std::optional<std::string>>> writers(
      const std::vector<int>& backends) = 0;
  // What asks a session for the level of its transaction, without a look at any row (empty: nothing
  // does), and what the answer means.
  virtual std::string level_text() const = 0;
  virtual SnapshotRule snapshot_rule(std::string_view level) const = 0;
  // Whether a condition that was asked for with SQL or a command holds.
  virtual bool is_true(const Cell& cell) const = 0;

  // Drops whatever users can make in a database. REQUIRES: no open transaction in any session.
  virtual Result<void> wipe() = 0;
};

class StoreServer {
 public:
  StoreServer() = default;
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;
  virtual ~StoreServer() = default;

  // Of several stores in one: one of them.
  virtual const StoreServer& part(std::size_t /*store*/) const { return *this; }

  // "PostgreSQL 15.4 (throwaway)"
  virtual std::string description() const = 0;
  // Whether heddle started it and may treat it as its own.
  virtual bool is_throwaway() const = 0;
  virtual Dialect dialect() const = 0;
  // The level of sessions that are given none.
  virtual IsolationLevel default_level() const = 0;
  // Whether sessions can be given this level; the message says which can.
  virtual Result<void> offers(IsolationLevel level) const = 0;
  // Thread-safe. The preferred name is taken where the server is heddle's own and the name is free;
  // empty: none.
  virtual Result<std::unique_ptr<StoreDatabase>> create_database(
      const std::string& preferred_name) = 0;
};

}  // namespace heddle
