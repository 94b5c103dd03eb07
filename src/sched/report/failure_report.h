// What is told of an execution that failed.
#pragma once

#include <optional>
#include <string>

#include "sched/schedule/schedule.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

// `executions`: how many were tried before it.
sched::Failure explain(Test& test, const Execution& execution, std::uint64_t executions);

// What HEDDLE_REPLAY asks for; none: nothing. Stops the program if it is no token.
std::optional<Token> token_to_replay();

// What comes of a test while another one is replayed.
Answer left_out();

// The execution of a token, which calls the debugger where it is to stop; nothing more is told
// of it than how it fails.
Answer replay_to(Test& test, const Token& token, const DebuggerStop& stop);

// The execution of a token; says so if it is no longer what it was.
Answer replay_token(Test& test, const Token& token);

std::string token_of(const Test& test, const Execution& execution);

}  // namespace heddle::sched::runtime
