// The replicated store, by its addresses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heddle/result.h"
#include "store/store.h"

namespace heddle {

// "replicated" and "replicated:3".
bool is_replicated_address(std::string_view address);
// REQUIRES: is_replicated_address(address).
Result<std::shared_ptr<StoreServer>> start_replicated(const std::string& address);

}  // namespace heddle
