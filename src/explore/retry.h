// What an application that tries again has: sessions that the store ended run once more after the
// others, and the final rows are compared with those of the serial orders of all sessions.
#pragma once

#include <optional>

#include "explore/search.h"
#include "heddle/repair.h"
#include "replay/runner.h"

namespace heddle {

// One run per outcome with ended sessions. None: there is no such outcome.
Result<std::optional<RetryReport>> examine_retries(const Scenario& scenario,
                                                   const SearchResult& found,
                                                   const std::vector<SessionScripts>& scripts,
                                                   Runner& runner);

}  // namespace heddle
