// Options that several commands take, with the same meaning everywhere.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cli/options/command.h"
#include "cli/options/options.h"

namespace heddle {

inline constexpr std::string_view kOutputGroup = "Output";

OptionDefinition on_option();

// --jobs=N; the meaning says what runs side by side.
OptionDefinition jobs_option(std::string_view meaning);
// What it says, or one for each processor.
std::size_t jobs_of(const Arguments& arguments);

OptionDefinition step_timeout_option();
// --fail-on=WHAT.
OptionDefinition fail_on_option(std::string_view group);
// --constraints=FILE.
OptionDefinition constraints_option(std::string_view group);
// --classes=PATH; the meaning says what the program itself does.
OptionDefinition classes_option(std::string_view group, std::string_view meaning);
// --sessions=N and --prefix=N.
OptionDefinition sessions_option();
OptionDefinition prefix_option();
OptionDefinition format_option(std::vector<std::string_view> formats, std::string_view meaning);
OptionDefinition output_option();
OptionDefinition color_option();
OptionDefinition suppress_option();
OptionDefinition write_suppressions_option();
OptionDefinition no_progress_option();

}  // namespace heddle
