// Which executions of a test are tried.
#pragma once

#include <vector>

#include "heddle/sched.h"
#include "sched/schedule/schedule.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

// Tries until something fails or the limits are reached; `first` before all others.
Answer search(Test& test, const std::vector<Token>& first);
// The same, with what the program's earlier runs have found (kept_tokens.h), and keeps what is
// found.
Answer search_and_keep(Test& test);

}  // namespace heddle::sched::runtime
