// What the control connections of all stores do alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "store/store.h"

namespace heddle {

// How long a text of heddle's own may take.
constexpr std::uint32_t kOwnQueryTimeoutMs = 60'000;

// The name of a session whose application calls itself "heddle/s1": s1, as people call it.
std::string session_name(const std::string& application);

// Runs a text on the session and waits for it, as StoreDatabase::execute promises. `product` is for
// messages.
Result<std::vector<Reply>> execute_on(StoreSession& session, const std::string& product,
                                      const std::string& text, std::uint32_t timeout_ms);

}  // namespace heddle
