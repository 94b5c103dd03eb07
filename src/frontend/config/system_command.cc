#include "frontend/config/system_command.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace fs = std::filesystem;

Result<Command> system_command(const Config& config, const std::vector<Setting>& words,
                               std::vector<std::string> environment) {
  Command command;
  for (const Setting& each : words) command.arguments.push_back(each.text);
  // One text is a line of words.
  if (words.size() == 1 && words.front().text.find(' ') != std::string::npos) {
    command.arguments.clear();
    for (std::string& word : split(words.front().text, ' ')) {
      if (!word.empty()) command.arguments.push_back(std::move(word));
    }
  }
  std::error_code ignored;
  const fs::path folder = fs::absolute(config.file, ignored).parent_path();
  command.working_directory = folder.string();
  const std::string& name = command.arguments.front();
  const bool is_path = name.find('/') != std::string::npos && !name.starts_with('/');
  command.program = find_program(is_path ? (folder / name).string() : name);
  if (command.program.empty()) {
    return Diagnostic{.what = fmt::format("there is no program \"{}\"", name),
                      .what_to_do = "name one of $PATH, or a file from the folder of this one",
                      .file = config.file,
                      .position = words.front().position};
  }
  command.environment = std::move(environment);
  return command;
}

}  // namespace heddle
