// heddle split with several cuts: --compare holds given ones against each other, --search looks for
// better ones.
#pragma once

#include <string>
#include <vector>

#include "cli/options/deadline.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "heddle/program.h"
#include "heddle/split.h"

namespace heddle {

// The arguments that are cuts by their extension, and those that are not.
std::vector<std::string> cut_inputs(const Arguments& arguments);
std::vector<std::string> program_inputs(const Arguments& arguments);

Result<Cut> read_cut(const std::string& path);

// What is wrong with the options that --compare and --search have or exclude.
Result<void> check_cut_options(const Arguments& arguments);

Result<ExitCode> compare_cuts(const Arguments& arguments, const Program& program,
                              const SplitOptions& options, const CommandDeadline& deadline,
                              Output& output);
Result<ExitCode> search_cuts(const Arguments& arguments, const Program& program,
                             const SplitOptions& options, const CommandDeadline& deadline,
                             Output& output);

std::vector<OptionDefinition> cut_options();

}  // namespace heddle
