// The program that heddle find and heddle split are given: files, and tables of a database.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "heddle/isolation.h"
#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle {

constexpr std::size_t kMostFiles = 10'000;  // that a command takes

// Reads the files, --schema, --dialect, --with-tests, --exclude and --jobs. REQUIRES: these options
// are the command's.
// Without `reads_redis` commands of Redis in Java count as places that are not read.
Result<Program> read_program(const Arguments& arguments, std::vector<std::string> files,
                             bool reads_redis = true);

// Adds what --isolation says: "LEVEL", or "NAME=LEVEL". Errors: bad_input for no level.
Result<void> add_level(const std::string& text, std::optional<IsolationLevel>& level,
                       std::map<std::string, IsolationLevel>& levels);

// What --autocommit says.
std::optional<bool> autocommit_of(const Arguments& arguments);

// --schema, --dialect, --autocommit, --with-tests and --exclude.
std::vector<OptionDefinition> table_options();

}  // namespace heddle
