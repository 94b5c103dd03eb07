#include "frontend/marks/files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/marks/front_ends.h"
#include "frontend/marks/language.h"

namespace heddle::marks {

namespace {

// Of version control, build tools and package managers.
constexpr std::array<std::string_view, 16> kForeignFolders = {"node_modules",  "bower_components",
                                                              "vendor",        "target",
                                                              "build",         "dist",
                                                              "out",           "bin",
                                                              "obj",           "venv",
                                                              ".venv",         "__pycache__",
                                                              "site-packages", "third_party",
                                                              "_build",        "coverage-report"};
bool is_foreign(std::string_view path) {
  if (path.substr(path.rfind('/') + 1).find(".min.") != std::string_view::npos) return true;
  const std::vector<std::string> segments = split(path, '/');
  return std::any_of(segments.begin(), segments.end() - 1, [](const std::string& name) {
    return (name.starts_with('.') && name.size() > 1 && name != "..") ||
           std::ranges::find(kForeignFolders, name) != kForeignFolders.end();
  });
}

bool is_test_file(std::string_view name) {
  const std::string_view stem = name.substr(0, name.find('.'));
  for (const std::string_view end : {"_test", "_spec", "Test", "Tests", "IT", "TestCase"}) {
    if (stem.size() > end.size() && stem.ends_with(end)) return true;
  }
  return name.find(".test.") != std::string_view::npos ||
         name.find(".spec.") != std::string_view::npos || stem.starts_with("test_");
}

}  // namespace

std::size_t add_foreign_sources(const std::vector<std::string>& files, const std::string& folder,
                                bool keeps_tests, std::vector<std::string>& found) {
  std::size_t tests = 0;
  for (const std::string& file : files) {
    if (language_of(file) == nullptr) continue;
    std::string_view below = file;
    if (below.starts_with(folder)) below.remove_prefix(folder.size());
    if (is_foreign(below)) continue;
    if (!keeps_tests && is_test_file(below.substr(below.rfind('/') + 1))) {
      ++tests;
    } else {
      found.push_back(file);
    }
  }
  return tests;
}

std::optional<Diagnostic> refuse_file(const std::string& path) {
  std::error_code error;
  if (path == "-" || std::filesystem::is_directory(path, error)) return std::nullopt;
  const Language* language = language_of(path);
  const bool is_read = language != nullptr && has_front_end(language->family);
  const std::string_view name =
      language == nullptr ? foreign_document(path) : std::string_view(language->name);
  if (is_read || name.empty()) return std::nullopt;
  std::vector<std::string> all;
  for (const FrontEnd& one : front_ends()) all.emplace_back(one.what);
  return Diagnostic{
      .what = fmt::format("there is no reader for {}", name),
      .what_to_do = fmt::format(
          "name files of {}; what others send to a database can be said as procedures in "
          "PL/pgSQL, or as a scenario for heddle explore",
          join(all, " or of ")),
      .file = path};
}

}  // namespace heddle::marks
