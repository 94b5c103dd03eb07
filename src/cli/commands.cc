#include "cli/commands.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/options/command.h"
#include "cli/options/help.h"

namespace heddle {

namespace {

// People who forget the word of the command name their file first.
bool is_existing_file(std::string_view word) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(std::filesystem::path(word), ignored);
}

// Words that people use for what a command does.
struct OtherCommand {
  std::string_view word;
  std::string_view command;
};
constexpr OtherCommand kOtherCommands[] = {
    {"run", "explore"},     {"test", "explore"},     {"search", "find"},  {"scan", "find"},
    {"analyze", "find"},    {"analyse", "find"},     {"lint", "find"},    {"verify", "check"},
    {"validate", "check"},  {"reproduce", "replay"}, {"rerun", "replay"}, {"cut", "split"},
    {"decompose", "split"}, {"man", "help"},         {"usage", "help"},   {"version", "--version"},
};

std::string suggestion(std::string_view word) {
  if (is_existing_file(word)) {
    const bool finding = word.ends_with(".json");
    return fmt::format("name the command first: heddle {} {}", finding ? "replay" : "explore",
                       word);
  }
  const auto* const other = std::ranges::find(kOtherCommands, word, &OtherCommand::word);
  if (other != std::end(kOtherCommands)) return fmt::format("did you mean \"{}\"?", other->command);
  std::vector<std::string> candidates = command_words();
  for (const OptionDefinition& option : global_options()) candidates.emplace_back(option.name);
  const std::string closest = closest_word(word, candidates);
  if (closest.empty()) return "use one of: " + join(command_words(), ", ");
  return fmt::format("did you mean \"{}\"?", closest);
}

}  // namespace

const std::vector<const CommandDefinition*>& commands() {
  static const std::vector<const CommandDefinition*> table = {
      &explore_command(), &replay_command(), &check_command(),      &find_command_definition(),
      &split_command(),   &record_command(), &race_command(),       &hold_command(),
      &clean_command(),   &help_command(),   &completion_command(),
  };
  return table;
}

std::vector<std::string> command_words() {
  std::vector<std::string> words;
  for (const CommandDefinition* command : commands()) words.emplace_back(command->word);
  return words;
}

Result<const CommandDefinition*> find_command(std::string_view word) {
  for (const CommandDefinition* command : commands()) {
    if (command->word == word) return command;
  }
  return Diagnostic{.what = fmt::format("unknown command \"{}\"", word),
                    .what_to_do = suggestion(word)};
}

std::string overview() {
  return overview(commands(),
                  {explore_command().examples.front(), explore_command().examples.back(),
                   replay_command().examples.front()});
}

}  // namespace heddle
