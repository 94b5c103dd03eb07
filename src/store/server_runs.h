// The runs of heddle on a given server, as others see them: the guard, which removes what its run
// leaves, and `heddle clean`, which removes what a run and its guard left.
//
// A run lives as long as the server says so, not as long as some process does: processes have the
// same numbers elsewhere, and a database may be old because its run takes long. Each run holds a
// lock that carries its mark on a connection that it opens before it makes its first database
// (run_claim.h), so that its death ends the lock, however it dies. Marks are random, so that a run
// that is dead never comes back.
//
// When a client dies, what it asked for goes on: measured, a CREATE DATABASE of PostgreSQL took
// 0.2 to 0.4 seconds and ended in a database that the guard's DROP, 0.1 seconds after the client's
// death, had not seen. So connections of the run are ended first, and only when none is left is
// there nobody who could still make a database.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle {

/// One connection to the server; it waits for each answer. Not thread-safe.
class ServerRuns {
 public:
  ServerRuns() = default;
  ServerRuns(const ServerRuns&) = delete;
  ServerRuns& operator=(const ServerRuns&) = delete;
  virtual ~ServerRuns() = default;

  /// The names of all databases on the server.
  virtual Result<std::vector<std::string>> databases() = 0;
  /// Whether the run of that mark holds its lock or has any other connection.
  virtual Result<bool> is_alive(const std::string& run) = 0;
  /// Ends the connections into the database and, where its name has the mark of a run, all others
  /// of that run. Returns whether there were any; they end a moment later.
  virtual Result<bool> end_connections(const std::string& database) = 0;
  /// Drops the database, if it is there. Error: it is in use, or the server refuses.
  virtual Result<void> drop(const std::string& database) = 0;
};

/// For a client that is dead: what it asked for may still be under way, and end in a database that
/// a DROP before it does not see. So there is a database to drop only once none of its connections
/// is left. Ends them, and returns whether the database is gone; if it is not, ask again.
bool drop_if_unused(const Result<std::unique_ptr<ServerRuns>>& server, const std::string& database);

struct Leftovers {
  std::vector<std::string> abandoned;  // databases of runs that are dead
  std::vector<std::string> in_use;     // of runs that live
};

/// The databases on the server that runs of heddle made, by their names, sorted.
Result<Leftovers> find_leftovers(ServerRuns& server);

/// What a connection of PostgreSQL that makes databases calls itself.
std::string run_application(std::string_view run);
/// The key of the lock of PostgreSQL's that the run holds: its mark as a number.
std::int64_t run_lock_key(std::string_view run);
/// The names of the locks of MariaDB that a run may hold: one run may know a server by two
/// addresses, and a lock has one holder.
std::vector<std::string> run_lock_names(std::string_view run);

}  // namespace heddle
