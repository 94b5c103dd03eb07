// Servers of MariaDB and MySQL, by their addresses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heddle/result.h"
#include "store/database_name.h"
#include "store/store.h"

namespace heddle {

// "mariadb", "mariadb://user:password@host:port/" and "mysql://...".
bool is_mariadb_address(std::string_view address);
// REQUIRES: is_mariadb_address(address); the guard has been started. `draw`: as above.
Result<std::shared_ptr<StoreServer>> start_mariadb(const std::string& address,
                                                   const NewNameDraw& draw = draw_database_name);

}  // namespace heddle
