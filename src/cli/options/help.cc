#include "cli/options/help.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kIndent = 2;

// "  --jobs=N        Run N ...", the meaning beside a name that leaves room for it, below
// otherwise.
std::string entry(std::string_view name, std::string_view meaning, std::size_t column) {
  const std::string text = wrapped(meaning, column, kWidth);
  std::string head = fmt::format("{:{}}{}", "", kIndent, name);
  if (display_width(head) + 2 > column) return head + "\n" + text;
  head.append(column - display_width(head), ' ');
  return head + text.substr(column);
}

std::string paragraphs(const std::vector<std::string_view>& texts) {
  std::string result;
  for (const std::string_view text : texts) result += wrapped(text, 0, kWidth) + "\n";
  return result;
}

std::string examples_text(const std::vector<Example>& examples) {
  std::string result = "Examples:\n";
  for (const Example& example : examples) {
    result += fmt::format("  {}\n", example.line) + wrapped(example.meaning, 6, kWidth);
  }
  return result + "\n";
}

std::string options_text(const CommandDefinition& command) {
  std::string result;
  for (const std::string_view group : option_groups(command)) {
    result += fmt::format("{}:\n", group);
    for (const OptionDefinition& option : command.options) {
      if (option.group == group) result += entry(spelled(option), full_meaning(option), 26);
    }
    result += "\n";
  }
  return result;
}

std::string exit_codes_text(const std::vector<ExitMeaning>& codes) {
  std::string result = "Exit codes:\n";
  for (const ExitMeaning& code : codes) {
    result += entry(fmt::format("{}", static_cast<int>(code.code)), code.meaning, 8);
  }
  return result;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  std::string line(indent, ' ');
  bool empty = true;
  for (const std::string& word : split(text, ' ')) {
    if (!empty && display_width(line) + 1 + display_width(word) > width) {
      result += line + "\n";
      line.assign(indent, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  return result + line + "\n";
}

std::string usage_of(const CommandDefinition& command) {
  return fmt::format("heddle {} {}{}", command.word, command.arguments,
                     command.options.empty() ? "" : " [--options]");
}

std::string spelled(const OptionDefinition& option) {
  if (option.value.empty()) return std::string(option.name);
  if (!option.bare.empty()) return fmt::format("{}[={}]", option.name, option.value);
  return fmt::format("{}={}", option.name, option.value);
}

std::string full_meaning(const OptionDefinition& option) {
  std::string meaning(option.meaning);
  if (!option.choices.empty()) {
    const std::vector<std::string> choices(option.choices.begin(), option.choices.end());
    meaning += " One of: " + join(choices, ", ") + ".";
  }
  if (!option.fallback.empty()) meaning += fmt::format(" Default: {}.", option.fallback);
  return meaning;
}

std::vector<std::string_view> option_groups(const CommandDefinition& command) {
  std::vector<std::string_view> groups;
  for (const OptionDefinition& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  return groups;
}

const std::vector<ExitMeaning>& common_exit_codes() {
  static const std::vector<ExitMeaning> codes = {
      {ExitCode::nothing_found, "nothing was found"},
      {ExitCode::found, "something was found"},
      {ExitCode::trouble, "the input, the usage or the environment is at fault"},
      {ExitCode::unknown, "unknown: a time or size limit was hit"},
      {ExitCode::interrupted, "interrupted"}};
  return codes;
}

const std::vector<OptionDefinition>& global_options() {
  static const std::vector<OptionDefinition> options = {
      {.name = "--help", .meaning = "Print this help; after a command, the help of the command."},
      {.name = "--version", .meaning = "Print the version."}};
  return options;
}

std::string overview(const std::vector<const CommandDefinition*>& commands,
                     const std::vector<Example>& examples) {
  std::string text = fmt::format("heddle {}.\n\n", kTagline);
  text += "Usage: heddle COMMAND [inputs] [--options]\n\nCommands:\n";
  for (const CommandDefinition* command : commands) {
    text += entry(command->word, command->summary, 16);
  }
  text += "\n" + examples_text(examples) + "Options:\n";
  for (const OptionDefinition& option : global_options()) {
    text += entry(option.name, option.meaning, 16);
  }
  text += "\n" + exit_codes_text(common_exit_codes());
  return text + "\n\"heddle help COMMAND\" explains one command.\n";
}

std::string help_for(const CommandDefinition& command) {
  return fmt::format("heddle {} - {}\n\nUsage: {}\n\n", command.word, command.summary,
                     usage_of(command)) +
         paragraphs(command.description) + examples_text(command.examples) + options_text(command) +
         exit_codes_text(command.exit_codes);
}

}  // namespace heddle
