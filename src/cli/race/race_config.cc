#include "cli/race/race_config.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/output/output.h"

namespace heddle {

Result<std::optional<Config>> read_race_config(const std::string& path, bool is_needed) {
  std::error_code ignored;
  if (!is_needed && !std::filesystem::exists(path, ignored)) return std::optional<Config>();
  const auto text = read_input(path);
  if (!text) {
    Diagnostic trouble = text.error();
    if (trouble.what_to_do.empty()) {
      trouble.what_to_do = "name the file that describes the system with --config=FILE";
    }
    return trouble;
  }
  auto config = parse_race_config(*text, path);
  if (!config) return config.error();
  return std::optional(std::move(*config));
}

}  // namespace heddle
