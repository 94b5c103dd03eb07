#include "frontend/config/race_settings.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace heddle {
namespace {

std::vector<std::string> texts_of(const std::vector<Setting>& settings) {
  std::vector<std::string> texts;
  for (const Setting& each : settings) texts.push_back(each.text);
  return texts;
}

// Each name of a store that has several, with the first one that the file has, whichever store
// names which as its alias.
std::map<std::string, std::string> aliases_of(const std::vector<StoreSettings>& stores) {
  std::vector<std::vector<std::string>> groups;
  for (const StoreSettings& store : stores) {
    std::vector<std::string> group = {store.name.text};
    for (const Setting& alias : store.aliases) group.push_back(alias.text);
    // The groups that share a name with it come before, and keep their first names in front.
    std::vector<std::string> merged;
    std::erase_if(groups, [&](const std::vector<std::string>& other) {
      const bool is_shared =
          std::ranges::any_of(other, [&](const auto& name) { return is_one_of(name, group); });
      if (is_shared) merged.insert(merged.end(), other.begin(), other.end());
      return is_shared;
    });
    merged.insert(merged.end(), group.begin(), group.end());
    groups.push_back(std::move(merged));
  }
  std::map<std::string, std::string> aliases;
  for (const std::vector<std::string>& group : groups) {
    for (const std::string& name : group) {
      if (name != group.front()) aliases[name] = group.front();
    }
  }
  return aliases;
}

}  // namespace

RaceSettings race_settings(const Config& config) {
  RaceSettings settings;
  settings.aliases = aliases_of(config.system.stores);
  settings.identities = texts_of(config.race.identities);
  for (const LockSettings& each : config.race.locks) {
    settings.locks.push_back({.acquire = each.acquire.front().text,
                              .release = each.release.empty() ? "" : each.release.front().text});
  }
  settings.async = texts_of(config.race.async);
  settings.benign = texts_of(config.race.benign);
  return settings;
}

}  // namespace heddle
