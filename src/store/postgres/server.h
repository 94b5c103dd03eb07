// Servers of PostgreSQL, by their addresses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heddle/result.h"
#include "store/database_name.h"
#include "store/store.h"

namespace heddle {

// "postgres", "postgres://..." and what else libpq takes.
bool is_postgres_address(std::string_view address);
// REQUIRES: is_postgres_address(address); the guard has been started. `draw`: how its databases get
// their names.
Result<std::shared_ptr<StoreServer>> start_postgres(const std::string& address,
                                                    const NewNameDraw& draw = draw_database_name);

}  // namespace heddle
