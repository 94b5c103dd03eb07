#include "cli/settings_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/options/combinations.h"
#include "cli/options/values.h"
#include "cli/split_cuts.h"
#include "frontend/config/config.h"
#include "store/open/given_schema.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "heddle.yaml";

// What is nearest above, within the repository that the folder is in.
std::optional<fs::path> settings_above(const fs::path& folder) {
  std::error_code error;
  std::optional<fs::path> nearest;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (!nearest && fs::is_regular_file(at / kName, error)) nearest = at / kName;
    if (nearest && at == folder) return nearest;
    if (fs::exists(at / ".git", error)) return nearest;
    if (at == at.parent_path()) return std::nullopt;
  }
}

std::string shown(const fs::path& path) {
  std::error_code error;
  const fs::path relative = fs::proximate(path, error);
  return (error || relative.empty() ? path : relative).string();
}

// Empty: there is none.
Result<std::string> find_settings(const std::vector<std::string>& inputs) {
  std::error_code error;
  std::set<std::string> found;
  for (const std::string& input : inputs) {
    const fs::path path = fs::canonical(input, error);
    if (error || input == "-") continue;
    const fs::path folder = fs::is_directory(path, error) ? path : path.parent_path();
    if (const auto settings = settings_above(folder)) found.insert(settings->string());
  }
  if (found.size() > 1) {
    return Diagnostic{.what = fmt::format("both {} and {} could be meant", shown(*found.begin()),
                                          shown(*std::next(found.begin()))),
                      .what_to_do = "choose with --config=FILE, or write --no-config"};
  }
  if (!found.empty()) return shown(*found.begin());
  const fs::path here = fs::current_path(error);
  const auto settings = error ? std::nullopt : settings_above(here);
  return settings ? shown(*settings) : std::string();
}

// Puts the file's values in their places, and remembers which keys had one.
class SettingsApplier {
 public:
  SettingsApplier(const Config& config, Arguments& arguments)
      : config_(config), arguments_(arguments), folder_(fs::path(config.file).parent_path()) {}

  Result<void> apply() {
    const ProgramSettings& program = config_.program;
    if (auto applied = apply_files(program.files); !applied) return applied;
    if (auto applied = apply_schema(program.schema); !applied) return applied;
    if (auto applied = apply_dialect(program.dialect); !applied) return applied;
    if (auto applied = apply_levels(program.levels); !applied) return applied;
    if (!arguments_.has("--entry")) {
      for (const Setting& entry : program.entries) add("--entry", "entries", entry);
    }
    for (const Setting& exclusion : program.exclude) add("--exclude", "exclude", exclusion);
    for (const Setting& refusal : program.refusals) add("--refusal", "refusals", refusal);
    return {};
  }

  const std::vector<std::string>& used() const { return used_; }

 private:
  Diagnostic at(const Setting& setting, Diagnostic trouble) const {
    trouble.file = config_.file;
    trouble.position = setting.position;
    return trouble;
  }

  void use(const std::string& key) {
    if (std::ranges::find(used_, key) == used_.end()) used_.push_back(key);
  }

  void add(std::string_view option, const std::string& key, const Setting& setting) {
    arguments_.add_setting(option, setting.text, {config_.file, setting.position});
    use(key);
  }

  // Seen from the file's folder; a name that means standard input on the command line is a file.
  std::string path_of(const std::string& text) const {
    const std::string path = (folder_ / text).lexically_normal().string();
    return path == "-" ? "./-" : path;
  }

  Result<void> apply_files(const std::vector<Setting>& files) {
    if (!program_inputs(arguments_).empty()) return {};
    for (const Setting& file : files) {
      std::error_code error;
      if (!fs::exists(path_of(file.text), error)) {
        return at(file, {.what = fmt::format("there is no file or folder {}", path_of(file.text)),
                         .what_to_do = "names are seen from the folder of this file"});
      }
      arguments_.add_input(path_of(file.text));
      use("files");
    }
    return {};
  }

  Result<void> apply_schema(const std::vector<Setting>& schema) {
    if (schema.empty() || arguments_.has("--schema")) return {};
    Setting setting = schema.front();
    std::error_code error;
    if (fs::exists(path_of(setting.text), error)) {
      setting.text = path_of(setting.text);
    } else if (setting.text.find("://") == std::string::npos && !is_store_address(setting.text)) {
      return at(setting, {.what = fmt::format("there is no file {}", path_of(setting.text)),
                          .what_to_do = "name a file, or a database as for --schema"});
    }
    add("--schema", "schema", setting);
    return {};
  }

  Result<void> apply_dialect(const std::vector<Setting>& dialect) {
    if (dialect.empty()) return {};
    for (OptionDefinition option : arguments_.command().options) {
      if (option.name != "--dialect") continue;
      option.name = "dialect";
      if (Result<void> checked = check_value(option, dialect.front().text); !checked) {
        return at(dialect.front(), checked.error());
      }
    }
    if (!arguments_.has("--dialect")) add("--dialect", "dialect", dialect.front());
    return {};
  }

  // A level of all on the command line is before all of the file, one of a name before that name's.
  Result<void> apply_levels(const std::vector<LevelSetting>& levels) {
    const OptionDefinition option{.name = "levels", .value = "LEVEL", .kind = ValueKind::level};
    std::set<std::string> given;
    for (const std::string& text : arguments_.texts("--isolation")) {
      const std::size_t equals = text.rfind('=');
      given.insert(equals == text.npos ? std::string() : text.substr(0, equals));
    }
    for (const LevelSetting& setting : levels) {
      if (Result<void> checked = check_value(option, setting.level.text); !checked) {
        return at(setting.level, checked.error());
      }
      const std::string& name = setting.functionality;
      // Levels of names are those of services there.
      const bool is_for_others = !name.empty() && arguments_.command().word == "split";
      if (given.contains("") || given.contains(name) || is_for_others) continue;
      Setting level = setting.level;
      if (!name.empty()) level.text = name + "=" + level.text;
      add("--isolation", "levels", level);
    }
    return {};
  }

  const Config& config_;
  Arguments& arguments_;
  fs::path folder_;
  std::vector<std::string> used_;
};

bool begins_text(const Arguments& arguments) {
  if (arguments.text("--format") != "text") return false;
  return std::ranges::none_of(
      std::vector<std::string_view>{"--print-program", "--show-chopping"},
      [&](std::string_view option) { return arguments.knows(option) && arguments.has(option); });
}

}  // namespace

std::vector<OptionDefinition> settings_options() {
  constexpr std::string_view kGroup = "Settings";
  return {
      {.name = "--config",
       .value = "FILE",
       .kind = ValueKind::file,
       .group = kGroup,
       .meaning = "Take from this file what the command line leaves open. Without it from the "
                  "heddle.yaml that is nearest to what is named here, else to the current folder, "
                  "in the folder itself or above it in its repository."},
      {.name = "--no-config", .group = kGroup, .meaning = "Take nothing from any heddle.yaml."},
  };
}

Result<void> apply_settings(Arguments& arguments) {
  if (!arguments.knows("--no-config")) return {};
  constexpr std::array kRows = {Combination{.option = "--config", .other = "--no-config"}};
  if (Result<void> checked = check_combinations(arguments, kRows); !checked) return checked;
  if (arguments.has("--no-config")) return {};
  std::string path = arguments.text("--config");
  if (path.empty()) {
    Result<std::string> found = find_settings(program_inputs(arguments));
    if (!found) return found.error();
    path = *std::move(found);
  }
  if (path.empty()) return {};
  const Result<std::string> text = read_input(path);
  if (!text) return text.error();
  const Result<Config> config = parse_config(*text, path == "-" ? "<stdin>" : path);
  if (!config) return config.error();
  SettingsApplier applier(*config, arguments);
  if (Result<void> applied = applier.apply(); !applied) return applied;
  arguments.set_settings_file(config->file, applier.used());
  return {};
}

void announce_settings(const Arguments& arguments, const std::string& more, Output& output) {
  std::vector<std::string> lines;
  if (!arguments.settings_used().empty()) {
    lines.push_back(fmt::format("with {} of {}", join(arguments.settings_used(), ", "),
                                arguments.settings_file()));
  }
  if (!more.empty()) lines.push_back(more);
  const bool begins = begins_text(arguments);
  std::string beginning;
  for (const std::string& line : lines) {
    if (!begins) print_message("heddle: " + line + "\n");
    beginning += line + "\n";
  }
  if (begins) output.begin_with(beginning);
}

}  // namespace heddle
