// Failures that were found before, in a file that the next run tries first:
// .heddle/<program>.tokens, in the folder in which the program is started. HEDDLE_TOKENS=off: none
// are kept, and none are tried.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sched/schedule/schedule.h"

namespace heddle::sched::runtime {

// Those of the program's test of this number, the latest first.
std::vector<Token> kept_tokens(std::uint64_t test);

// Puts a token before the others, and drops the oldest if they are many. Where the file cannot be
// written nothing is kept.
void keep_token(const std::string& token);

// A token as people are told it: a long one is put into a file of its own beside the others, and
// the file's path is told. Where that cannot be written, the token.
std::string told_token(const std::string& token);

// What stands for a token: itself, or the path of a file that holds it. None: it is neither.
std::optional<Token> read_token(std::string_view told);

}  // namespace heddle::sched::runtime
