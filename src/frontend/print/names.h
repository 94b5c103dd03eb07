// Names and strings as each dialect writes them.
#pragma once

#include <string>
#include <string_view>

#include "heddle/statement.h"

namespace heddle::sql {

// In quotes only where the dialect needs them.
std::string print_name(std::string_view name, Dialect dialect);
// Whether the name needs no quotes even if the dialect reserves it: letters, digits, underscores.
bool is_plain_name(std::string_view name);
std::string print_string(std::string_view value, Dialect dialect);

// "PostgreSQL", "MySQL", "SQLite".
std::string_view product_name(Dialect dialect);

}  // namespace heddle::sql
