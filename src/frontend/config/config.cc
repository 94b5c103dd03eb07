#include "frontend/config/config.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/config/race_reader.h"
#include "frontend/config/section_reader.h"
#include "frontend/config/system_reader.h"
#include "frontend/yaml/yaml_tree.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 4> kSections = {"program", "system", "record", "race"};
// What a command wants to know.
enum class ConfigPurpose : std::uint8_t { program, system, race };
// Where only the program matters these are left alone, too.
constexpr std::array<std::string_view, 6> kAnySections = {"program", "system",   "record",
                                                          "race",    "services", "stores"};
constexpr std::array<std::string_view, 7> kProgramKeys = {"files",   "schema",  "dialect", "levels",
                                                          "entries", "exclude", "refusals"};
constexpr std::array<std::string_view, 3> kMovedKeys = {"services", "stores", "edges"};

std::string section_of(std::string_view word) {
  if (is_one_of(word, kProgramKeys)) return "write it below \"program:\"";
  return is_one_of(word, kMovedKeys) ? "write it below \"system:\"" : "";
}

class ConfigReader {
 public:
  ConfigReader(const std::string& file, ConfigPurpose purpose, const VariableLookup& lookup)
      : reader_(file), purpose_(purpose), lookup_(lookup) {
    config_.file = file;
  }

  Result<Config> read(const YamlNode& root) {
    if (root.kind == YamlKind::nothing) return std::move(config_);
    if (root.kind != YamlKind::map) {
      return reader_.trouble(root, "these are no sections",
                             "write \"program:\" and its keys below it");
    }
    const auto read_section = [this](const YamlNode& name, const YamlNode& value) {
      return read_one_section(name, value);
    };
    Result<void> checked =
        purpose_ == ConfigPurpose::program
            ? reader_.each_entry(root, kAnySections, "section", read_section, section_of)
            : reader_.each_entry(root, kSections, "section", read_section, section_of);
    if (!checked) return checked.error();
    if (auto fits = check_race(reader_, config_); !fits) return fits.error();
    return std::move(config_);
  }

 private:
  Result<void> read_one_section(const YamlNode& name, const YamlNode& value) {
    if (purpose_ == ConfigPurpose::program) {
      return name.text == "program" ? read_program(value) : Result<void>();
    }
    if (name.text == "system") return read_system(reader_, lookup_, name, value, config_.system);
    if (name.text == "record") return read_record(reader_, lookup_, name, value, config_.record);
    if (name.text == "race" && purpose_ == ConfigPurpose::race) {
      return read_race(reader_, lookup_, name, value, config_.race);
    }
    return {};
  }

  Result<void> read_program(const YamlNode& section) {
    if (section.kind == YamlKind::nothing) return {};
    if (section.kind != YamlKind::map) {
      return reader_.trouble(
          section, "the section \"program\" has no keys",
          "use one of: " + join({kProgramKeys.begin(), kProgramKeys.end()}, ", "));
    }
    return reader_.each_entry(
        section, kProgramKeys, "key of \"program\"",
        [this](const YamlNode& key, const YamlNode& value) { return read_key(key, value); });
  }

  Result<void> read_key(const YamlNode& key, const YamlNode& value) {
    ProgramSettings& program = config_.program;
    if (key.text == "levels") return read_levels(key, value);
    if (key.text == "schema") return reader_.read_one(key, value, program.schema);
    if (key.text == "dialect") return reader_.read_one(key, value, program.dialect);
    return reader_.read_list(key, value,
                             key.text == "files"      ? program.files
                             : key.text == "entries"  ? program.entries
                             : key.text == "refusals" ? program.refusals
                                                      : program.exclude);
  }

  // A level, or a map from functionalities to levels.
  Result<void> read_levels(const YamlNode& key, const YamlNode& value) {
    constexpr std::string_view kForm = "write levels: {all: LEVEL, FUNCTIONALITY: LEVEL, ...}";
    const auto is_text = [](const YamlNode& node) {
      return node.kind == YamlKind::scalar && !trim(node.text).empty();
    };
    std::vector<LevelSetting>& levels = config_.program.levels;
    if (is_text(value)) {
      levels.push_back({.functionality = {}, .level = {value.text, value.position}});
      return {};
    }
    if (value.kind != YamlKind::map || value.entries.empty()) {
      return reader_.trouble(SectionReader::value_or(key, value), "\"levels\" needs levels",
                             std::string(kForm));
    }
    std::set<std::string> seen;
    for (const auto& [name, level] : value.entries) {
      if (!is_text(*name))
        return reader_.trouble(*name, "this names no functionality", std::string(kForm));
      if (!is_text(*level)) {
        return reader_.trouble(SectionReader::value_or(*name, *level),
                               fmt::format("\"{}\" has no level", name->text), std::string(kForm));
      }
      if (!seen.insert(name->text).second) {
        return reader_.trouble(*name, fmt::format("\"{}\" has two levels", name->text),
                               "leave one out");
      }
      levels.push_back({.functionality = name->text == "all" ? std::string() : name->text,
                        .level = {level->text, level->position}});
    }
    return {};
  }

  SectionReader reader_;
  ConfigPurpose purpose_;
  const VariableLookup& lookup_;
  Config config_;
};

Result<Config> parse_for(ConfigPurpose purpose, const std::string& text, const std::string& file,
                         const VariableLookup& lookup) {
  const std::string_view section = purpose == ConfigPurpose::program ? "program" : "system";
  const Result<YamlPart> root =
      parse_yaml(text, file, fmt::format("write \"{}:\" and its keys below it", section));
  if (!root) return root.error();
  return ConfigReader(file, purpose, lookup).read(**root);
}

}  // namespace

Result<Config> parse_config(const std::string& text, const std::string& file) {
  return parse_for(ConfigPurpose::program, text, file, environment_variable);
}

Result<Config> parse_system_config(const std::string& text, const std::string& file,
                                   const VariableLookup& lookup) {
  return parse_for(ConfigPurpose::system, text, file, lookup);
}

Result<Config> parse_race_config(const std::string& text, const std::string& file,
                                 const VariableLookup& lookup) {
  return parse_for(ConfigPurpose::race, text, file, lookup);
}

}  // namespace heddle
