// What psql's backslash commands make of a step: the queries it sends and the decisions between
// them.
#pragma once

#include <string_view>
#include <vector>

#include "heddle/scenario.h"

namespace heddle {

// The instructions of a step. Without a backslash command that is one query, the whole text.
Result<std::vector<Instruction>> split_instructions(const SqlBlock& block, std::string_view file);

// An error if `block`, which is not a step, has one of the commands that only steps may have.
// `owner` names the block in the message: "setup".
Result<void> reject_commands(const SqlBlock& block, std::string_view owner, std::string_view file);

}  // namespace heddle
