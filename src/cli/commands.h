// The commands of heddle.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command.h"
#include "heddle/result.h"

namespace heddle {

const CommandDefinition& explore_command();
const CommandDefinition& replay_command();
const CommandDefinition& check_command();
const CommandDefinition& find_command_definition();
const CommandDefinition& split_command();
const CommandDefinition& record_command();
const CommandDefinition& hold_command();
const CommandDefinition& race_command();
const CommandDefinition& clean_command();
const CommandDefinition& help_command();
const CommandDefinition& completion_command();

// All commands, in the order of the help.
const std::vector<const CommandDefinition*>& commands();

// The command of that word, or a Diagnostic that suggests one.
Result<const CommandDefinition*> find_command(std::string_view word);

// The words of all commands.
std::vector<std::string> command_words();

// What `heddle --help` prints.
std::string overview();

}  // namespace heddle
