#include "cli/completion.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options/command.h"
#include "heddle/isolation.h"

namespace heddle {

namespace {

std::string spaced(const std::vector<std::string_view>& words) {
  return join(std::vector<std::string>(words.begin(), words.end()), " ");
}

// The words that an option's value can be, where they can be listed.
std::string listed_values(const OptionDefinition& option) {
  if (option.kind == ValueKind::choice) return spaced(option.choices);
  if (option.kind != ValueKind::level) return {};
  std::vector<std::string> names;
  for (const LevelDefinition& level : isolation_levels()) names.emplace_back(level.name);
  return join(names, " ");
}

// Bash ------------------------------------------------------------------------------------------

// Bash splits words at "=" and ":", so that --format=te arrives as three words, and a level such as
// postgres:serializable as three more. The script therefore reads the line itself.
constexpr std::string_view kBashHead = R"(# bash completion for heddle: heddle completion bash
_heddle() {
  local line=${COMP_LINE:0:COMP_POINT} word option value colon command= i
  word=${line##*[[:space:]]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == [a-z]* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  option=${word%%=*}
  value=${word#*=}
  COMPREPLY=()
)";

// What readline replaces begins after the last character at which it splits.
constexpr std::string_view kBashTail = R"(  if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then
    colon=${word##*=}
    colon=${colon%"${colon##*:}"}
    COMPREPLY=("${COMPREPLY[@]#"$colon"}")
  fi
  if [[ $word == --*=* && $COMP_WORDBREAKS != *=* ]]; then
    COMPREPLY=("${COMPREPLY[@]/#/$option=}")
  fi
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == --*= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _heddle heddle
)";

std::string bash_files(std::string_view pattern) {
  const std::string filter = pattern.empty() ? "" : fmt::format(" -X '!{}'", pattern);
  return fmt::format(
      "{{ compopt -o filenames 2>/dev/null; "
      "mapfile -t COMPREPLY < <(compgen -f{} -- \"$value\"; compgen -d -- \"$value\"); }}",
      filter);
}

std::string bash_words(std::string_view words, std::string_view variable) {
  return fmt::format("mapfile -t COMPREPLY < <(compgen -W '{}' -- \"${}\")", words, variable);
}

std::string bash_values(const CommandDefinition& command) {
  std::string cases;
  for (const OptionDefinition& option : command.options) {
    std::string action;
    if (option.kind == ValueKind::file) action = bash_files("");
    if (option.kind == ValueKind::directory) {
      action =
          "{ compopt -o filenames 2>/dev/null; "
          "mapfile -t COMPREPLY < <(compgen -d -- \"$value\"); }";
    }
    if (const std::string values = listed_values(option); !values.empty()) {
      action = bash_words(values, "value");
    }
    if (!action.empty())
      cases += fmt::format("    \"{} {}=\"*) {} ;;\n", command.word, option.name, action);
  }
  return cases;
}

std::string bash_arguments(const CommandDefinition& command) {
  std::string names;
  for (const OptionDefinition& option : command.options) {
    names += fmt::format("{}{} ", option.name, option.value.empty() ? "" : "=");
  }
  const std::string plain = command.choices.empty() ? bash_files(command.pattern)
                                                    : bash_words(spaced(command.choices), "word");
  return fmt::format("    \"{0} --\"*=*) ;;\n    \"{0} -\"*) {1} ;;\n    \"{0} \"*) {2} ;;\n",
                     command.word, bash_words(names + "--help", "word"), plain);
}

// Zsh -------------------------------------------------------------------------------------------

// Inside '...[meaning]:name:action' these characters would end a part.
std::string zsh_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result;
}

std::string zsh_action(const OptionDefinition& option) {
  if (option.kind == ValueKind::file) return "_files";
  if (option.kind == ValueKind::directory) return "_files -/";
  const std::string values = listed_values(option);
  return values.empty() ? " " : fmt::format("({})", zsh_escaped(values));
}

std::string zsh_option(const OptionDefinition& option) {
  const std::string_view meaning = option.meaning.substr(0, option.meaning.find(". "));
  std::string spec = fmt::format("{}{}{}[{}]", option.repeatable ? "*" : "", option.name,
                                 option.value.empty() ? "" : "=", zsh_escaped(meaning));
  if (!option.value.empty()) spec += fmt::format(":{}:{}", option.value, zsh_action(option));
  return fmt::format("        '{}' \\\n", spec);
}

std::string zsh_command(const CommandDefinition& command) {
  std::string text = fmt::format("    {})\n      _arguments -s \\\n", command.word);
  for (const OptionDefinition& option : command.options) text += zsh_option(option);
  const std::string action =
      command.choices.empty()
          ? (command.pattern.empty() ? "_files" : fmt::format("_files -g \"{}\"", command.pattern))
          : fmt::format("({})", spaced(command.choices));
  return text + fmt::format("        '*:{}:{}'\n      ;;\n", command.arguments, action);
}

}  // namespace

std::string bash_completion() {
  std::string text(kBashHead);
  text += "  case \"$command $word\" in\n";
  for (const CommandDefinition* command : commands()) {
    text += bash_values(*command) + bash_arguments(*command);
  }
  text += fmt::format("    *) {} ;;\n  esac\n",
                      bash_words(join(command_words(), " ") + " --help --version", "word"));
  return text + std::string(kBashTail);
}

std::string zsh_completion() {
  std::string text =
      "#compdef heddle\n"
      "# zsh completion for heddle: heddle completion zsh\n"
      "_heddle() {\n"
      "  local -a words_of_heddle=(\n";
  for (const CommandDefinition* command : commands()) {
    text += fmt::format("    '{}:{}'\n", command->word, zsh_escaped(command->summary));
  }
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'command' words_of_heddle\n"
      "    return\n"
      "  fi\n"
      "  local word=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $word in\n";
  for (const CommandDefinition* command : commands()) text += zsh_command(*command);
  return text +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _heddle ]]; then\n"
         "  _heddle \"$@\"\n"
         "else\n"
         "  compdef _heddle heddle\n"
         "fi\n";
}

}  // namespace heddle
