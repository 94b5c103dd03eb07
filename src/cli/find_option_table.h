// The options of heddle find.
#pragma once

#include <vector>

#include "cli/options/options.h"

namespace heddle {

// In the order in which they are explained.
std::vector<OptionDefinition> find_option_table();

}  // namespace heddle
