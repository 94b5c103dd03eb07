#include "cli/record/record_init.h"

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/output/output.h"
#include "frontend/config/config.h"
#include "frontend/config/system_template.h"

namespace heddle {
namespace {

constexpr std::string_view kPrint = "heddle record --init --config=- prints an example";

// What is there says nothing of a system. A variable that is not set does not matter here.
bool lacks_system(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return false;
  const auto config =
      parse_system_config(*text, path, [](const std::string&) { return std::optional("x"); });
  return config && config->system.position.line == 0;
}

Diagnostic already_there(const std::string& path) {
  if (lacks_system(path)) {
    return {.what = "the file is there already, without a section \"system\"",
            .what_to_do = fmt::format("add that section by hand: {}", kPrint),
            .file = path};
  }
  return {.what = "the file is there already, and is not overwritten",
          .what_to_do = fmt::format("name another one with --config=FILE: {}", kPrint),
          .file = path};
}

Result<void> write_template(const FileDescriptor& file, const std::string& path,
                            std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_trouble(path, "write", errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

Result<ExitCode> write_first_config(const std::string& path) {
  if (path == "-") {
    auto output = Output::open("");
    if (!output) return output.error();
    if (auto written = output->write_whole(system_template()); !written) return written.error();
    return ExitCode::nothing_found;
  }
  // A file that somebody else makes in this moment is not overwritten either.
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) {
    if (errno == EEXIST) return already_there(path);
    return file_trouble(path, "write", errno);
  }
  if (auto written = write_template(file, path, system_template()); !written) {
    ::unlink(path.c_str());
    return written.error();
  }
  print_on_terminal(
      fmt::format("{}: replace the shop in it by your system, then look whether all "
                  "of it passes through heddle: heddle record --check\n",
                  path));
  return ExitCode::nothing_found;
}

}  // namespace heddle
