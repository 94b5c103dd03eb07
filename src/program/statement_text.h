// Text of a program's statements.
#pragma once

#include <string>

namespace heddle::program {

// Puts INTO where PL/pgSQL's own manual puts it: before the FROM of a query, at the end of what
// has RETURNING.
std::string with_into(const std::string& text, const std::string& targets);

}  // namespace heddle::program
