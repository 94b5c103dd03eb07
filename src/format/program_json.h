// Programs as JSON documents; docs/formats/statements.md describes them.
#pragma once

#include <string>

#include "heddle/program.h"

namespace heddle {

// Every statement with what it reads and writes, and under which conditions.
std::string to_json(const Program& program);

}  // namespace heddle
