// Whether options take what is written for them.
#pragma once

#include <cstdint>
#include <string_view>

#include "cli/options/command.h"
#include "heddle/result.h"

namespace heddle {

// Whether the option takes this value; the message names the option.
Result<void> check_value(const OptionDefinition& option, std::string_view value);

}  // namespace heddle
