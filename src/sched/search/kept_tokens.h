// Failures that were found before, in a file that the next run tries first:
// .heddle/<program>.tokens, in the folder in which the program is started.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sched/schedule/schedule.h"

namespace heddle::sched::runtime {

// Those of the program's test of this number, the latest first. HEDDLE_TOKENS=off: none.
std::vector<Token> kept_tokens(std::uint64_t test);

// Puts a token before the others, and drops the oldest if they are many. Where the file cannot be
// written nothing is kept.
void keep_token(const std::string& token);

}  // namespace heddle::sched::runtime
