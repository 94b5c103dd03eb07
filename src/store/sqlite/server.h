// SQLite, by its addresses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heddle/result.h"
#include "store/store.h"

namespace heddle {

// "sqlite" and "sqlite:wal".
bool is_sqlite_address(std::string_view address);
// REQUIRES: is_sqlite_address(address); the guard has been started.
Result<std::shared_ptr<StoreServer>> start_sqlite(const std::string& address);

}  // namespace heddle
