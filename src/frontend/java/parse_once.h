// Parsing of texts that come again and again: code that is called from many places runs the same
// statements in each of them.
#pragma once

#include <string>
#include <vector>

#include "heddle/result.h"
#include "heddle/statement.h"

namespace heddle::java {

// What parse_statements() says of a text in PostgreSQL's dialect. Each thread remembers the last
// ones.
Result<std::vector<Statement>> parse_once(const std::string& text);

}  // namespace heddle::java
