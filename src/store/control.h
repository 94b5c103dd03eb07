// What the control connections of all stores do alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "store/store.h"

namespace heddle {

// Runs a text on the session and waits for it, as StoreDatabase::execute promises. `product` is for
// messages.
Result<std::vector<Reply>> execute_on(StoreSession& session, const std::string& product,
                                      const std::string& text, std::uint32_t timeout_ms);

}  // namespace heddle
