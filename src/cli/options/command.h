// What a command is: a word, what it takes, and a table of its options.
//
// The parser, the help texts, the man page and the shell completion all read these tables, so that
// a command or an option is described once. To add a command write command_<word>.cc with its
// definition and name it in commands.cc; to add an option add a row to the command's table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle {

class Arguments;

// The meaning of the process's exit status, the same for every command.
enum class ExitCode : std::uint8_t {
  nothing_found = 0,
  found = 1,
  trouble = 2,
  unknown = 3,
  interrupted = 130,
};

// How the text of an option's value is read.
enum class ValueKind : std::uint8_t {
  flag,       // no value
  text,       // anything but nothing
  number,     // a whole number from 0 to a million
  count,      // a whole number from 1 to a million
  seed,       // a whole number of 64 bits
  duration,   // "30", "30s", "500ms", "2m", "1h"
  choice,     // one of OptionDefinition::choices
  level,      // the name of an isolation level
  file,       // a path, completed as one
  directory,  // likewise
};

struct OptionDefinition {
  std::string_view name = {};   // "--jobs"
  std::string_view value = {};  // what the help calls the value, "N"; empty for a flag
  ValueKind kind = ValueKind::flag;
  std::string_view group = {};  // the heading of the help under which it stands
  std::string_view meaning = {};
  std::string_view fallback = {};  // the value when none is given; may be empty
  bool repeatable = false;         // otherwise the last one given counts
  std::vector<std::string_view> choices = {};
  std::string_view bare = {};  // the value where the option is named without one; empty: an error
};

// A command line people may copy, and what it is good for.
struct Example {
  std::string_view line;
  std::string_view meaning;
};

// What one exit status means for one command.
struct ExitMeaning {
  ExitCode code;
  std::string_view meaning;
};

struct CommandDefinition {
  std::string_view word;
  std::string_view summary;    // one line, no full stop
  std::string_view arguments;  // as the usage line shows them: "FILE.spec..."
  std::size_t fewest_arguments = 0;
  std::size_t most_arguments = 0;
  std::vector<std::string_view> choices = {};      // of the arguments; empty: files
  std::string_view pattern = {};                   // of those files: "*.spec"
  std::vector<std::string_view> description = {};  // paragraphs
  std::vector<Example> examples = {};
  std::vector<OptionDefinition> options = {};
  std::vector<ExitMeaning> exit_codes = {};
  Result<ExitCode> (*run)(const Arguments& arguments) = nullptr;
};

}  // namespace heddle
