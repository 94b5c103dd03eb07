// PostgreSQL's names for the errors of all stores.
#pragma once

#include <string>

namespace heddle {

// The SQLSTATE that PostgreSQL has for the error code of a store: that code itself, or what the
// number of one of MariaDB's errors, or the name of one of SQLite's, means.
std::string refusal_state(const std::string& code);

}  // namespace heddle
