// Help texts for people, printed from the tables of commands and options.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/command.h"

namespace heddle {

// What `heddle --help` prints of these commands.
std::string overview(const std::vector<const CommandDefinition*>& commands,
                     const std::vector<Example>& examples);
// What `heddle help <word>` prints.
std::string help_for(const CommandDefinition& command);

// "heddle explore FILE.spec... [--options]"
std::string usage_of(const CommandDefinition& command);
// "--jobs=N", or "--all" for a flag.
std::string spelled(const OptionDefinition& option);
// The meaning with the choices and the fallback.
std::string full_meaning(const OptionDefinition& option);
// The headings under which the options stand, in order, each once.
std::vector<std::string_view> option_groups(const CommandDefinition& command);

// The text in lines of at most `width` columns, each after `indent` spaces.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

// What the tool is, in one line.
inline constexpr std::string_view kTagline =
    "finds, draws, makes happen and removes the interleavings that break software";

// What the exit codes mean for every command.
const std::vector<ExitMeaning>& common_exit_codes();

// Options of heddle itself, before any command.
const std::vector<OptionDefinition>& global_options();

}  // namespace heddle
