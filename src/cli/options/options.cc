// CLI11 separates options, values and arguments; the tables of src/cli/command.h say what is
// allowed, and values.h reads the values, so that every message has the same shape.
#include "cli/options/options.h"

#include <algorithm>
#include <array>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/assert.h"
#include "base/read_number.h"
#include "base/text.h"
#include "cli/options/help.h"
#include "cli/options/values.h"

namespace heddle {

namespace {

const OptionDefinition* find_option(const CommandDefinition& command, std::string_view name) {
  for (const OptionDefinition& option : command.options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

std::string see_help(const CommandDefinition& command) {
  return fmt::format("see \"heddle help {}\"", command.word);
}

// Words that people use for what an option of some command is called, nearest first.
struct OtherOption {
  std::string_view word;
  std::array<std::string_view, 3> options;
};
constexpr OtherOption kOtherOptions[] = {
    {"--level", {"--isolation"}},
    {"--isolation-level", {"--isolation", "--level"}},
    {"--isolation", {"--level"}},
    {"--store", {"--on"}},
    {"--database", {"--on"}},
    {"--db", {"--on"}},
    {"--server", {"--on"}},
    {"--url", {"--on"}},
    {"--address", {"--on"}},
    {"--execute", {"--on"}},
    {"--ddl", {"--schema"}},
    {"--tables", {"--schema"}},
    {"--statements", {"--list-statements"}},
    {"--show-program", {"--print-program"}},
    {"--threads", {"--jobs"}},
    {"--parallel", {"--jobs"}},
    {"--workers", {"--jobs"}},
    {"--time-limit", {"--timeout"}},
    {"--deadline", {"--timeout"}},
    {"--seconds", {"--timeout"}},
    {"--quiet", {"--no-progress"}},
    {"--silent", {"--no-progress"}},
    {"--json", {"--format"}},
    {"--markdown", {"--format"}},
    {"--html", {"--format"}},
    {"--sarif", {"--format"}},
    {"--colour", {"--color"}},
    {"--out", {"--output"}},
    {"--file", {"--output"}},
    {"--fix", {"--repair"}},
    {"--ignore", {"--suppress", "--exclude"}},
    {"--repeat", {"--runs"}},
    {"--times", {"--runs"}},
    {"--random", {"--seed"}},
    {"--axioms", {"--constraints"}},
    {"--facts", {"--constraints"}},
    {"--cut", {"--services"}},
    {"--input-format", {"--from"}},
    {"--watch", {"--follow"}},
    {"--depth", {"--length", "--rounds"}},
};

// The option of the command that is nearest to a name that none has; empty: none is near.
std::string nearest_option(const CommandDefinition& command, std::string_view name) {
  for (const OtherOption& other : kOtherOptions) {
    if (other.word != name) continue;
    for (const std::string_view option : other.options) {
      if (find_option(command, option) != nullptr) return std::string(option);
    }
  }
  std::vector<std::string> names;
  for (const OptionDefinition& option : command.options) names.emplace_back(option.name);
  return closest_word(name, names);
}

Diagnostic unknown_option(const CommandDefinition& command, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  const std::string closest = nearest_option(command, name);
  return {.what = fmt::format("heddle {} has no option \"{}\"", command.word, name),
          .what_to_do =
              closest.empty() ? see_help(command) : fmt::format("did you mean \"{}\"?", closest)};
}

// A lone "-" is standard input.
bool looks_like_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

// The word as an option of the command, or null: "--jobs" and "--jobs=2" both name --jobs.
const OptionDefinition* option_named_by(const CommandDefinition& command, std::string_view word) {
  return find_option(command, word.substr(0, word.find('=')));
}

Diagnostic value_missing(const OptionDefinition& option) {
  return {.what = fmt::format("{} needs a value", option.name),
          .what_to_do = "write " + spelled(option)};
}

// An option that may be named without its value, with the value that this means.
std::vector<std::string> with_bare_values(const CommandDefinition& command,
                                          std::vector<std::string> words) {
  for (std::string& word : words) {
    if (word == "--") break;
    const OptionDefinition* option = find_option(command, word);
    if (option != nullptr && !option->bare.empty()) word += fmt::format("={}", option->bare);
  }
  return words;
}

// What CLI11 would take silently or report in other words: a value for a flag, an option without
// its value, and an unknown option.
Result<void> check_words(const CommandDefinition& command, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") break;
    if (!looks_like_option(word)) continue;
    const OptionDefinition* option = option_named_by(command, word);
    if (option == nullptr) return unknown_option(command, word);
    const bool has_value = word.find('=') != std::string::npos;
    const bool flag = option->kind == ValueKind::flag;
    if (flag && has_value) {
      return Diagnostic{.what = fmt::format("{} takes no value", option->name),
                        .what_to_do = fmt::format("write just {}", option->name)};
    }
    if (word.find('=') + 1 == word.size()) {
      return value_missing(*option);
    }
    if (flag || has_value) continue;
    const bool last = i + 1 == words.size();
    if (last || looks_like_option(words[i + 1])) return value_missing(*option);
    ++i;
  }
  return {};
}

Result<void> check_inputs(const CommandDefinition& command,
                          const std::vector<std::string>& inputs) {
  if (inputs.size() < command.fewest_arguments) {
    return Diagnostic{.what = fmt::format("heddle {} needs {}", command.word, command.arguments),
                      .what_to_do = see_help(command)};
  }
  if (inputs.size() > command.most_arguments) {
    return Diagnostic{.what = fmt::format("heddle {} does not take \"{}\"", command.word,
                                          inputs[command.most_arguments]),
                      .what_to_do = see_help(command)};
  }
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    return Diagnostic{.what = "standard input (-) is named twice", .what_to_do = "name it once"};
  }
  return {};
}

}  // namespace

Arguments::Arguments(const CommandDefinition& command, std::string version)
    : command_(&command), version_(std::move(version)) {}

bool Arguments::has(std::string_view option) const {
  HEDDLE_ASSERT(find_option(*command_, option) != nullptr);
  return values_.find(option) != values_.end();
}

std::string Arguments::text(std::string_view option) const {
  if (has(option)) return values_.find(option)->second.back();
  return std::string(find_option(*command_, option)->fallback);
}

std::vector<std::string> Arguments::texts(std::string_view option) const {
  return has(option) ? values_.find(option)->second : std::vector<std::string>{};
}

std::uint64_t Arguments::number(std::string_view option) const {
  const Result<std::uint64_t> number = parse_number(text(option));
  HEDDLE_ASSERT(number.has_value());
  return *number;
}

std::uint32_t Arguments::duration_ms(std::string_view option) const {
  const Result<std::uint32_t> duration = parse_duration(text(option));
  HEDDLE_ASSERT(duration.has_value());
  return *duration;
}

std::vector<IsolationLevel> Arguments::levels(std::string_view option) const {
  std::vector<IsolationLevel> levels;
  for (const std::string& name : texts(option)) {
    const std::optional<IsolationLevel> level = find_isolation_level(name);
    HEDDLE_ASSERT(level.has_value());
    if (std::find(levels.begin(), levels.end(), *level) == levels.end()) levels.push_back(*level);
  }
  return levels;
}

bool Arguments::knows(std::string_view option) const {
  return find_option(*command_, option) != nullptr;
}

void Arguments::add_setting(std::string_view option, std::string value, ValueOrigin origin) {
  HEDDLE_ASSERT(knows(option));
  std::vector<std::string>& values = values_[std::string(option)];
  std::vector<std::optional<ValueOrigin>>& origins = origins_[std::string(option)];
  origins.resize(values.size());
  values.push_back(std::move(value));
  origins.emplace_back(std::move(origin));
}

void Arguments::set_settings_file(std::string file, std::vector<std::string> keys) {
  settings_file_ = std::move(file);
  settings_used_ = std::move(keys);
}

const ValueOrigin* Arguments::origin(std::string_view option, std::size_t number) const {
  const auto found = origins_.find(option);
  if (found == origins_.end() || number >= found->second.size()) return nullptr;
  const std::optional<ValueOrigin>& origin = found->second[number];
  return origin ? &*origin : nullptr;
}

Result<Arguments> parse_arguments(const CommandDefinition& command,
                                  const std::vector<std::string>& words, std::string version) {
  const std::vector<std::string> whole = with_bare_values(command, words);
  if (Result<void> checked = check_words(command, whole); !checked) return checked.error();

  Arguments arguments(command, std::move(version));
  CLI::App app;
  app.set_help_flag();
  for (const OptionDefinition& option : command.options) {
    const auto keep = [&arguments, &option](const CLI::results_t& values) {
      arguments.values_[std::string(option.name)] = values;
      return true;
    };
    CLI::Option* added = app.add_option(std::string(option.name), keep);
    added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    added->type_size(option.kind == ValueKind::flag ? 0 : 1);
    added->allow_extra_args(false);
  }
  app.add_option("inputs", arguments.inputs_);

  try {
    app.parse(std::vector<std::string>(whole.rbegin(), whole.rend()));
  } catch (const CLI::ParseError& error) {
    return Diagnostic{.what = error.what(), .what_to_do = see_help(command)};
  }
  for (const auto& [name, values] : arguments.values_) {
    const OptionDefinition& option = *find_option(command, name);
    for (const std::string& value : values) {
      if (Result<void> checked = check_value(option, value); !checked) return checked.error();
    }
  }
  if (Result<void> checked = check_inputs(command, arguments.inputs_); !checked) {
    return checked.error();
  }
  return arguments;
}

}  // namespace heddle
