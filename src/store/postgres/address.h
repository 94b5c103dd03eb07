// Addresses of PostgreSQL servers: whatever libpq reads.
#pragma once

#include <string>

#include "heddle/result.h"
#include "store/postgres/session.h"

namespace heddle {

// libpq's own reading of a URI or of keywords with values, with what the environment says of
// authentication and encryption. Errors say what is wrong with it.
Result<ConnectionParameters> parse_postgres_address(const std::string& address);

// The same without the environment.
Result<ConnectionParameters> parse_conninfo(const std::string& address);

// Keywords with values, as libpq reads them.
std::string to_conninfo(const ConnectionParameters& parameters);

// Where the server of these parameters listens: HOST:PORT, or the path of its socket.
std::string server_of(const ConnectionParameters& parameters);

// postgres://user:password@HOST:PORT/database with what these parameters say besides. `scheme`:
// "postgres", or "jdbc:postgresql", which takes user and password among the options.
std::string url_of(const ConnectionParameters& parameters, const std::string& address,
                   const std::string& scheme);

}  // namespace heddle
