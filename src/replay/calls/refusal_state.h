// Functionalities handle errors by PostgreSQL's names for them.
#pragma once

#include <string>

namespace heddle {

// The SQLSTATE that PostgreSQL has for the error code of a store: that code itself, or what the
// number of one of MariaDB's errors means.
std::string refusal_state(const std::string& code);

}  // namespace heddle
