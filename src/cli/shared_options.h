// Options that several commands take, with the same meaning everywhere.
#pragma once

#include <string_view>
#include <vector>

#include "cli/command.h"

namespace heddle {

inline constexpr std::string_view kOutputGroup = "Output";

OptionDefinition on_option();
OptionDefinition step_timeout_option();
OptionDefinition format_option(std::vector<std::string_view> formats, std::string_view meaning);
OptionDefinition output_option();
OptionDefinition color_option();

}  // namespace heddle
