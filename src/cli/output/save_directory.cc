#include "cli/output/save_directory.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/output/written_file.h"

namespace heddle {

Result<SaveDirectory> SaveDirectory::open(const std::string& path, std::string_view option) {
  SaveDirectory directory;
  if (path.empty()) return directory;
  directory.path_ = path;
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  const bool made = !error;
  if (made && ::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    error = std::error_code(errno, std::generic_category());
  }
  if (!error) return directory;
  return Diagnostic{.what = fmt::format("cannot {} the directory {}: {}",
                                        made ? "write to" : "make", path, error.message()),
                    .what_to_do = fmt::format("give {} a directory that you may write to", option),
                    .trouble = Trouble::environment};
}

std::string SaveDirectory::unused_stem(const std::string& stem) {
  std::string candidate = stem;
  for (std::size_t i = 2; !used_.insert(candidate).second; ++i) {
    candidate = fmt::format("{}-{}", stem, i);
  }
  return candidate;
}

Result<void> SaveDirectory::write(const std::string& stem, const std::string& suffix,
                                  const std::string& text) {
  return write_report_file(fmt::format("{}/{}{}", path_, stem, suffix), text);
}

}  // namespace heddle
