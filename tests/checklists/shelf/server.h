// The least that a store has to do: it has no tables, and takes any text for one that did nothing.
// CONTRIBUTING's checklist for a store is tested with it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heddle/result.h"
#include "store/store.h"

namespace heddle {

// "shelf".
bool is_shelf_address(std::string_view address);
// REQUIRES: is_shelf_address(address).
Result<std::shared_ptr<StoreServer>> start_shelf(const std::string& address);

}  // namespace heddle
