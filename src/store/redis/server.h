// Servers of Redis, by their addresses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heddle/result.h"
#include "store/store.h"

namespace heddle {

// "redis", "redis://user:password@host:port/" and "unix:/path".
bool is_redis_address(std::string_view address);
// REQUIRES: is_redis_address(address); the guard has been started.
Result<std::shared_ptr<StoreServer>> start_redis(const std::string& address);

}  // namespace heddle
