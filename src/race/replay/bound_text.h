// A statement with its values where its parameters stand, for people.
#pragma once

#include <string>

#include "heddle/trace.h"

namespace heddle {

// "SELECT 1 WHERE id = $1" with 7 becomes "SELECT 1 WHERE id = 7"; texts that are no numbers are
// quoted. What stands inside of quotes and comments stays.
std::string bound_text(const TraceStatement& statement);

}  // namespace heddle
