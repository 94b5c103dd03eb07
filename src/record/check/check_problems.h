// What is to be changed, and where, so that all of a system passes through heddle.
#pragma once

#include <vector>

#include "frontend/config/config.h"
#include "record/check/record_check.h"

namespace heddle {

// In the order of the file. REQUIRES: the rest of the check is of that config.
std::vector<CheckProblem> find_problems(const Config& config, const RecordCheck& check);

// "3 connections of user shop, psql, from 127.0.0.1".
std::string bypass_text(const BypassCheck& bypass);
// And such connections of which nothing else is known.
std::string unseen_text(std::uint64_t connections);

}  // namespace heddle
