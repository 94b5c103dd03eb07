// The services of a cut as scenarios declare them.
#pragma once

#include <vector>

#include "heddle/scenario.h"
#include "heddle/split.h"

namespace heddle::chopping {

// Each has a level of its own where they differ.
std::vector<ServiceDeclaration> service_declarations(const SplitReport& report);

}  // namespace heddle::chopping
