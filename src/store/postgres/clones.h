// Copies of a database as a whole, under names of this run, that go when heddle goes.
//
//   auto clones = PostgresClones::open(address);
//   Result<std::string> model = (*clones)->copy((*clones)->original());
//   Result<std::string> one = (*clones)->copy(*model);  // for one run
//   (*clones)->drop(*one);
#pragma once

#include <memory>
#include <set>
#include <string>

#include "heddle/result.h"
#include "store/postgres/run_claim.h"
#include "store/postgres/session.h"

namespace heddle {

class PostgresClones {
 public:
  // Connects to the same server, but to another database than the address names. Errors: bad_input
  // where the address is none of PostgreSQL's, environment. REQUIRES: the guard was started.
  static Result<std::unique_ptr<PostgresClones>> open(const std::string& address);

  PostgresClones(const PostgresClones&) = delete;
  PostgresClones& operator=(const PostgresClones&) = delete;
  // Drops what is left.
  ~PostgresClones();

  // The database that the address names.
  const std::string& original() const { return original_; }

  // Copies a database and returns the copy's name. It has the owner, the settings and the grants of
  // the database. PostgreSQL copies no database that is in use, so that the connections of its
  // clients are ended first. Error: environment.
  Result<std::string> copy(const std::string& database);

  // Drops a copy with the connections to it. REQUIRES: the name is from copy().
  Result<void> drop(const std::string& clone);

 private:
  PostgresClones(ConnectionParameters parameters, PostgresConnection connection,
                 std::string original);

  Result<void> create_copy(const std::string& database, const std::string& clone);
  Result<void> end_clients(const std::string& database);
  Result<void> copy_settings(const std::string& database, const std::string& clone);

  ConnectionParameters parameters_;
  PostgresConnection connection_;
  PostgresRunClaim claim_;
  std::string original_;
  std::set<std::string> clones_;
};

}  // namespace heddle
