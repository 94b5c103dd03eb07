#include "cli/race/race_config.h"

#include <filesystem>
#include <system_error>

#include "cli/output/output.h"
#include "frontend/config/config.h"

namespace heddle {

Result<RaceSettings> read_race_settings(const std::string& path, bool is_named) {
  RaceSettings settings;
  std::error_code ignored;
  if (!is_named && !std::filesystem::exists(path, ignored)) return settings;
  const auto text = read_input(path);
  if (!text) return text.error();
  const auto config = parse_system_config(*text, path);
  if (!config) return config.error();
  for (const StoreSettings& store : config->system.stores) {
    for (const Setting& alias : store.aliases) settings.aliases[alias.text] = store.name.text;
  }
  return settings;
}

}  // namespace heddle
