// What all sections of heddle.yaml are read with: maps whose keys are known, texts, and lists.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/config/config.h"
#include "frontend/yaml/yaml_tree.h"

namespace heddle {

// "did you mean ...?" of a word that is none of the keys.
std::string suggest_key(std::string_view word, const std::vector<std::string>& keys);

class SectionReader {
 public:
  explicit SectionReader(std::string file) : file_(std::move(file)) {}

  Diagnostic trouble(const YamlNode& at, std::string what, std::string what_to_do) const;

  // Calls `use` for each entry whose key is one of those; every other key is trouble. `elsewhere`:
  // what to do about a word that belongs elsewhere; empty: it does not.
  template <class Keys, class Use>
  Result<void> each_entry(const YamlNode& map, const Keys& keys, std::string_view noun,
                          const Use& use,
                          std::string (*elsewhere)(std::string_view word) = nullptr) const {
    std::set<std::string> seen;
    for (const auto& [key, value] : map.entries) {
      if (auto checked = check_key(*key, {keys.begin(), keys.end()}, noun, elsewhere); !checked) {
        return checked;
      }
      if (!seen.insert(key->text).second) {
        return trouble(*key, fmt::format("the {} \"{}\" is there twice", noun, key->text),
                       "put both into one");
      }
      if (Result<void> used = use(*key, *value); !used) return used;
    }
    return {};
  }

  // Calls `use` for each entry of a map whose keys the team chooses.
  template <class Use>
  Result<void> each_named(const YamlNode& key, const YamlNode& map, std::string_view noun,
                          const Use& use) const {
    if (map.kind != YamlKind::map || map.entries.empty()) {
      return trouble(value_or(key, map), fmt::format("\"{}\" needs {}s by name", key.text, noun),
                     fmt::format("write {}: and below it NAME: for each {}", key.text, noun));
    }
    std::set<std::string> seen;
    for (const auto& [name, value] : map.entries) {
      if (name->kind != YamlKind::scalar || trim(name->text).empty()) {
        return trouble(*name, fmt::format("this is no name of a {}", noun), "write a word");
      }
      if (!seen.insert(name->text).second) {
        return trouble(*name, fmt::format("the {} \"{}\" is there twice", noun, name->text),
                       "leave one out");
      }
      if (Result<void> used = use(*name, *value); !used) return used;
    }
    return {};
  }

  Result<void> read_one(const YamlNode& key, const YamlNode& value, std::vector<Setting>& to) const;
  // One text is a list of one.
  Result<void> read_list(const YamlNode& key, const YamlNode& value,
                         std::vector<Setting>& to) const;
  Result<void> read_flag(const YamlNode& key, const YamlNode& value, bool& to) const;
  // That there are keys at all.
  Result<void> check_map(const YamlNode& at, const YamlNode& value, std::string_view what,
                         const std::vector<std::string>& keys) const;

  // Where nothing stands its place is behind it.
  static const YamlNode& value_or(const YamlNode& key, const YamlNode& value) {
    return value.kind == YamlKind::nothing ? key : value;
  }

 private:
  Result<void> check_key(const YamlNode& key, const std::vector<std::string>& keys,
                         std::string_view noun, std::string (*elsewhere)(std::string_view)) const;

  std::string file_;
};

}  // namespace heddle
