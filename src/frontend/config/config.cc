#include "frontend/config/config.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/yaml/yaml_tree.h"

namespace heddle {

namespace {

// `services` and `stores` are for commands that do not read this file yet.
constexpr std::array<std::string_view, 3> kSections = {"program", "services", "stores"};

// What people write for a key.
struct Synonym {
  std::string_view word;
  std::string_view key;
};
constexpr std::array kSynonyms = {
    Synonym{"excludes", "exclude"},        Synonym{"exclusions", "exclude"},
    Synonym{"ignore", "exclude"},          Synonym{"skip", "exclude"},
    Synonym{"isolation", "levels"},        Synonym{"level", "levels"},
    Synonym{"entry", "entries"},           Synonym{"entrypoints", "entries"},
    Synonym{"functionalities", "entries"}, Synonym{"paths", "files"},
    Synonym{"sources", "files"},           Synonym{"source", "files"},
    Synonym{"folders", "files"},           Synonym{"tables", "schema"},
    Synonym{"database", "schema"},         Synonym{"sql", "dialect"},
    Synonym{"application", "program"},     Synonym{"app", "program"}};

template <class Keys>
std::string suggestion(std::string_view word, const Keys& keys) {
  const std::vector<std::string> names(keys.begin(), keys.end());
  for (const Synonym& synonym : kSynonyms) {
    if (!equal_ignoring_case(word, synonym.word)) continue;
    if (!is_one_of(synonym.key, keys)) continue;
    return fmt::format("did you mean \"{}\"?", synonym.key);
  }
  const std::string closest = closest_word(word, names);
  return closest.empty() ? "use one of: " + join(names, ", ")
                         : fmt::format("did you mean \"{}\"?", closest);
}

class ConfigReader {
 public:
  explicit ConfigReader(const std::string& file) { config_.file = file; }

  Result<Config> read(const YamlNode& root) {
    if (root.kind == YamlKind::nothing) return std::move(config_);
    root_ = &root;
    if (root.kind != YamlKind::map) {
      return trouble(root, "these are no sections", "write \"program:\" and its keys below it");
    }
    Result<void> checked =
        each_entry(root, kSections, "section", [this](const YamlNode& name, const YamlNode& value) {
          return name.text == "program" ? read_program(value) : Result<void>();
        });
    if (!checked) return checked.error();
    return std::move(config_);
  }

 private:
  Diagnostic trouble(const YamlNode& at, std::string what, std::string what_to_do) const {
    return {.what = std::move(what),
            .what_to_do = std::move(what_to_do),
            .file = config_.file,
            .position = at.position};
  }

  // Calls `use` for each entry whose key is one of those.
  template <class Keys, class Use>
  Result<void> each_entry(const YamlNode& map, const Keys& keys, std::string_view noun,
                          const Use& use) {
    std::set<std::string> seen;
    for (const auto& [key, value] : map.entries) {
      if (key->kind != YamlKind::scalar) {
        return trouble(*key, fmt::format("this is no name of a {}", noun),
                       "use one of: " + join({keys.begin(), keys.end()}, ", "));
      }
      if (!is_one_of(key->text, keys)) {
        return trouble(*key, fmt::format("there is no {} \"{}\"", noun, key->text),
                       &map == root_ && is_one_of(key->text, kKeys) ? "write it below \"program:\""
                                                                    : suggestion(key->text, keys));
      }
      if (!seen.insert(key->text).second) {
        return trouble(*key, fmt::format("the {} \"{}\" is there twice", noun, key->text),
                       "put both into one");
      }
      if (Result<void> used = use(*key, *value); !used) return used;
    }
    return {};
  }

  Result<void> read_program(const YamlNode& section) {
    if (section.kind == YamlKind::nothing) return {};
    if (section.kind != YamlKind::map) {
      return trouble(section, "the section \"program\" has no keys",
                     "use one of: " + join({kKeys.begin(), kKeys.end()}, ", "));
    }
    return each_entry(
        section, kKeys, "key of \"program\"",
        [this](const YamlNode& key, const YamlNode& value) { return read_key(key, value); });
  }

  Result<void> read_key(const YamlNode& key, const YamlNode& value) {
    ProgramSettings& program = config_.program;
    if (key.text == "levels") return read_levels(key, value);
    if (key.text == "schema") return read_one(key, value, program.schema);
    if (key.text == "dialect") return read_one(key, value, program.dialect);
    return read_list(key, value,
                     key.text == "files"     ? program.files
                     : key.text == "entries" ? program.entries
                                             : program.exclude);
  }

  // Where nothing stands its place is behind it.
  static const YamlNode& value_or(const YamlNode& key, const YamlNode& value) {
    return value.kind == YamlKind::nothing ? key : value;
  }

  Result<void> read_one(const YamlNode& key, const YamlNode& value, std::vector<Setting>& to) {
    if (value.kind == YamlKind::scalar && !trim(value.text).empty()) {
      to.push_back({.text = value.text, .position = value.position});
      return {};
    }
    return trouble(value_or(key, value), fmt::format("\"{}\" needs a text", key.text),
                   fmt::format("write {}: VALUE, or leave the key out", key.text));
  }

  // One text is a list of one.
  Result<void> read_list(const YamlNode& key, const YamlNode& value, std::vector<Setting>& to) {
    if (value.kind == YamlKind::scalar) return read_one(key, value, to);
    if (value.kind != YamlKind::list || value.items.empty()) {
      return trouble(value_or(key, value), fmt::format("\"{}\" needs a list of texts", key.text),
                     fmt::format("write {}: [VALUE, ...], or leave the key out", key.text));
    }
    for (const YamlPart& item : value.items) {
      if (item->kind != YamlKind::scalar || trim(item->text).empty()) {
        return trouble(*item,
                       fmt::format("\"{}\" has something in its list that is no text", key.text),
                       fmt::format("write {}: [VALUE, ...]", key.text));
      }
      to.push_back({.text = item->text, .position = item->position});
    }
    return {};
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
      return trouble(value_or(key, value), "\"levels\" needs levels", std::string(kForm));
    }
    std::set<std::string> seen;
    for (const auto& [name, level] : value.entries) {
      if (!is_text(*name)) return trouble(*name, "this names no functionality", std::string(kForm));
      if (!is_text(*level)) {
        return trouble(value_or(*name, *level), fmt::format("\"{}\" has no level", name->text),
                       std::string(kForm));
      }
      if (!seen.insert(name->text).second) {
        return trouble(*name, fmt::format("\"{}\" has two levels", name->text), "leave one out");
      }
      levels.push_back({.functionality = name->text == "all" ? std::string() : name->text,
                        .level = {level->text, level->position}});
    }
    return {};
  }

  static constexpr std::array<std::string_view, 6> kKeys = {"files",  "schema",  "dialect",
                                                            "levels", "entries", "exclude"};

  const YamlNode* root_ = nullptr;
  Config config_;
};

}  // namespace

Result<Config> parse_config(const std::string& text, const std::string& file) {
  const Result<YamlPart> root = parse_yaml(text, file, "write \"program:\" and its keys below it");
  if (!root) return root.error();
  return ConfigReader(file).read(**root);
}

}  // namespace heddle
