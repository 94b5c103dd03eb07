// From the words of a command line to checked values, as a command's table of options says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/command.h"
#include "heddle/isolation.h"
#include "heddle/result.h"

namespace heddle {

// Where a value stands that the user did not give on the command line.
struct ValueOrigin {
  std::string file;
  SourcePosition position = {};
};

// What the user gave to one command. Every value has been checked against its ValueKind, so that
// the readers below cannot fail; they REQUIRE that the option is in the command's table.
class Arguments {
 public:
  Arguments(const CommandDefinition& command, std::string version);

  const CommandDefinition& command() const { return *command_; }
  const std::string& version() const { return version_; }
  const std::vector<std::string>& inputs() const { return inputs_; }

  // Whether the user gave it: a fallback does not count.
  bool has(std::string_view option) const;
  // The last value given, else the fallback, else an empty text.
  std::string text(std::string_view option) const;
  // All values given, in order.
  std::vector<std::string> texts(std::string_view option) const;
  // REQUIRES: it was given or has a fallback.
  std::uint64_t number(std::string_view option) const;
  std::uint32_t duration_ms(std::string_view option) const;
  std::vector<IsolationLevel> levels(std::string_view option) const;

  // Whether the command takes it.
  bool knows(std::string_view option) const;
  // A value that a settings file gives, behind those that there are. REQUIRES: it has been checked.
  void add_setting(std::string_view option, std::string value, ValueOrigin origin);
  // An input that a settings file names.
  void add_input(std::string input) { inputs_.push_back(std::move(input)); }
  // Of the value with this number among texts(); null: the command line.
  const ValueOrigin* origin(std::string_view option, std::size_t number) const;
  // Which settings file counts, and which of its keys say something that the command line does not.
  void set_settings_file(std::string file, std::vector<std::string> keys);
  const std::string& settings_file() const { return settings_file_; }
  const std::vector<std::string>& settings_used() const { return settings_used_; }

 private:
  friend Result<Arguments> parse_arguments(const CommandDefinition& command,
                                           const std::vector<std::string>& words,
                                           std::string version);

  const CommandDefinition* command_;
  std::string version_;
  std::vector<std::string> inputs_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::map<std::string, std::vector<std::optional<ValueOrigin>>, std::less<>> origins_;
  std::string settings_file_;
  std::vector<std::string> settings_used_;
};

// Reads the words that follow the command's own word. `version` is that of the program.
Result<Arguments> parse_arguments(const CommandDefinition& command,
                                  const std::vector<std::string>& words, std::string version);

}  // namespace heddle
