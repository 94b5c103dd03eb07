// What is told of an execution that failed.
#pragma once

#include <string>

#include "sched/test/test.h"

namespace heddle::sched::runtime {

// `executions`: how many were tried before it.
sched::Failure explain(Test& test, const Execution& execution, std::uint64_t executions);

// The execution of a token, and whether it is still what it was.
Answer replay_token(Test& test, const char* token);

std::string token_of(const Test& test, const Execution& execution);

}  // namespace heddle::sched::runtime
