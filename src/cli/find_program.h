// The program that heddle find and heddle split are given: files, and tables of a database.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle {

// Reads the files, --schema, --dialect and --jobs. REQUIRES: these options are the command's.
Result<Program> read_program(const Arguments& arguments, std::vector<std::string> files);

// --schema and --dialect.
std::vector<OptionDefinition> table_options();

}  // namespace heddle
