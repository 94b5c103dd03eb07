// The functionalities that the command line or heddle.yaml names: by name, as Class.method with as
// many packages in front as one likes, with the parameters' classes behind it, or by a pattern of
// these with * and ?.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/result.h"
#include "heddle/split.h"

namespace heddle {

// --entry and --only.
std::vector<OptionDefinition> choice_options();

// Whether the name or pattern is for it.
bool is_named(const Functionality& functionality, std::string_view name);

// Of those that the option names, their own names, in the order of the program. Errors: bad_input
// where there is none of such a name, with those that are near.
Result<std::vector<std::string>> chosen(const Arguments& arguments, std::string_view option,
                                        const Program& program);

// What --isolation says of all functionalities and of single ones; what the command line says of a
// name is before what a file says of it, and of equals the last one counts. Errors: bad_input for
// no level, and for a name that nobody has.
Result<void> read_levels(const Arguments& arguments, const Program& program, FindOptions& options);

// Leaves of the program what --entry names, and says so in one line; empty: everything.
Result<std::string> keep_entries(const Arguments& arguments, Program& program);

// Leaves of the report the causes in which one of these takes part; none: all.
void keep_only(const std::vector<std::string>& only, SplitReport& report);

}  // namespace heddle
