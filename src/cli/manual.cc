#include "cli/manual.h"

#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options/command.h"
#include "cli/options/help.h"

namespace heddle {

namespace {

// A dot or a quote that begins a line would be a request, and a bare - a typographic hyphen.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (result.empty() && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string item(std::string_view name, std::string_view meaning) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(name), escaped(meaning));
}

std::string exit_items(const std::vector<ExitMeaning>& codes) {
  std::string text;
  for (const ExitMeaning& code : codes) {
    text += item(fmt::format("{}", static_cast<int>(code.code)), code.meaning);
  }
  return text;
}

std::string example_items(const std::vector<Example>& examples) {
  std::string text;
  for (const Example& example : examples) text += item(example.line, example.meaning);
  return text;
}

std::string command_section(const CommandDefinition& command) {
  std::string text =
      fmt::format(".SH HEDDLE {}\n\\fB{}\\fR\n", escaped(command.word), escaped(usage_of(command)));
  text += fmt::format(".PP\n{}\n", escaped(fmt::format("To {}.", command.summary)));
  for (const std::string_view paragraph : command.description) {
    text += fmt::format(".PP\n{}\n", escaped(paragraph));
  }
  for (const std::string_view group : option_groups(command)) {
    text += fmt::format(".SS {}\n", escaped(group));
    for (const OptionDefinition& option : command.options) {
      if (option.group == group) text += item(spelled(option), full_meaning(option));
    }
  }
  text += ".SS Examples\n" + example_items(command.examples);
  return text + ".SS Exit status\n" + exit_items(command.exit_codes);
}

}  // namespace

std::string manual_page(const std::string& version) {
  std::string text =
      fmt::format(".TH HEDDLE 1 \"\" \"heddle {}\" \"User Commands\"\n", escaped(version));
  text += fmt::format(".SH NAME\nheddle \\- {}\n", escaped(kTagline));
  text += ".SH SYNOPSIS\n";
  for (const CommandDefinition* command : commands()) {
    text += fmt::format("\\fB{}\\fR\n.br\n", escaped(usage_of(*command)));
  }
  text += ".SH OPTIONS\n";
  for (const OptionDefinition& option : global_options()) text += item(option.name, option.meaning);
  for (const CommandDefinition* command : commands()) text += command_section(*command);
  return text + ".SH EXIT STATUS\n" + exit_items(common_exit_codes());
}

}  // namespace heddle
