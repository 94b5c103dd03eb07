// Types that are said by a table: account.balance%TYPE, account%ROWTYPE, account.
#pragma once

#include <string>
#include <string_view>

#include "heddle/schema.h"

namespace heddle::plpgsql {

// The type of the column in place of its name, and `account%ROWTYPE` in place of the name of a
// table; what the schema does not know stays as it is written.
std::string declared_type(std::string_view written, const Schema& schema);

}  // namespace heddle::plpgsql
