// The accesses of one statement of a text, with those of what it calls and sets off.
#pragma once

#include <cstddef>
#include <vector>

#include "race/accesses/access.h"

namespace heddle::race {

class Effects;

// REQUIRES: the text was read, and has a statement at `place`.
std::vector<Access> accesses_of_statement(const TraceStatement& unit, std::size_t place,
                                          const ParsedText& parsed, const StoreTables& tables,
                                          Effects& effects);

}  // namespace heddle::race
