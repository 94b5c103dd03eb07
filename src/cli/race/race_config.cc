#include "cli/race/race_config.h"

#include <filesystem>
#include <system_error>

#include "cli/output/output.h"
#include "frontend/config/config.h"
#include "frontend/config/race_settings.h"

namespace heddle {

Result<RaceSettings> read_race_settings(const std::string& path, bool is_named) {
  std::error_code ignored;
  if (!is_named && !std::filesystem::exists(path, ignored)) return RaceSettings{};
  const auto text = read_input(path);
  if (!text) return text.error();
  const auto config = parse_race_config(*text, path);
  if (!config) return config.error();
  return race_settings(*config);
}

}  // namespace heddle
