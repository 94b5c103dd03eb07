// What a recording asks of a database of a system that runs: who is connected to it, and whether
// it can be copied.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/result.h"
#include "store/postgres/session.h"

namespace heddle {

// A connection to the database, by the server's number of it.
struct PostgresClient {
  std::uint32_t backend = 0;
  std::string user = {};
  std::string application = {};  // what it calls itself; may be empty
  std::string address = {};      // where it comes from; empty: a socket of the server's machine
};

// How many connections of clients to a database the server has let in so far, those for replication
// aside. Numbers of one `origin` can be compared.
struct PostgresSessions {
  std::uint64_t count = 0;
  std::string origin = {};  // which database, and when it was counted from the beginning
};

// What the user of an address may do with its database.
struct PostgresCloneRights {
  std::string user;
  std::string owner;  // of the database
  bool may_create = false;
  bool may_copy = false;  // this one
  std::uint64_t bytes = 0;
};

// Looks at the database of an address while others work with it.
class PostgresWatch {
 public:
  // Connects to the same server, but where it can to another database, so that nobody is kept from
  // making that one anew. Errors: bad_input where the address is none of PostgreSQL's, environment
  // where the server cannot be reached.
  static Result<PostgresWatch> open(const std::string& address);

  const std::string& database() const { return database_; }
  // The connections of clients to the database, without those of recordings. Error: environment.
  Result<std::vector<PostgresClient>> clients();
  // None: the server does not count them, before PostgreSQL 14. Errors: environment, also where
  // there is no such database.
  Result<std::optional<PostgresSessions>> sessions();
  // Numbers of sessions() may be so old.
  std::chrono::milliseconds staleness() const;
  // Whether it is itself connected to the database, and counted.
  bool is_in_database() const { return is_in_database_; }
  // Errors: environment, also where there is no such database.
  Result<PostgresCloneRights> clone_rights();

 private:
  PostgresWatch(PostgresConnection connection, std::string database);

  PostgresConnection connection_;
  std::string database_;
  bool is_in_database_;
};

// Copies the database, drops the copy, and returns how long the copying took. PostgreSQL copies no
// database to which others are connected. Errors: as above, what the server says, and that it takes
// longer than half a minute.
// REQUIRES: the guard was started.
Result<std::chrono::milliseconds> measure_postgres_clone(const std::string& address);

}  // namespace heddle
