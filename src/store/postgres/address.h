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

}  // namespace heddle
