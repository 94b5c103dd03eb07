// Rings of servers of MariaDB, by their address.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heddle/result.h"
#include "store/store.h"

namespace heddle {

// "mariadb:ring": two servers in circular replication; or what looks like it.
bool is_ring_address(std::string_view address);
// REQUIRES: is_ring_address(address); the guard has been started.
Result<std::shared_ptr<StoreServer>> start_ring(const std::string& address);

}  // namespace heddle
