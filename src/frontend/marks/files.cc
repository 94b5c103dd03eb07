#include "frontend/marks/files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::marks {

namespace {

namespace fs = std::filesystem;

// Of version control, build tools and package managers.
constexpr std::array<std::string_view, 16> kForeignFolders = {"node_modules",  "bower_components",
                                                              "vendor",        "target",
                                                              "build",         "dist",
                                                              "out",           "bin",
                                                              "obj",           "venv",
                                                              ".venv",         "__pycache__",
                                                              "site-packages", "third_party",
                                                              "_build",        "coverage-report"};
constexpr std::array<std::string_view, 8> kTestFolders = {
    "test", "tests", "testing", "__tests__", "it", "spec", "testFixtures", "fixtures"};

bool is_foreign_folder(const std::string& name) {
  return (name.starts_with('.') && name.size() > 1 && name != "..") ||
         std::ranges::find(kForeignFolders, name) != kForeignFolders.end();
}

bool is_test_folder(const std::string& name) {
  return std::ranges::find(kTestFolders, name) != kTestFolders.end();
}

bool is_test_file(std::string_view name) {
  const std::string_view stem = name.substr(0, name.find('.'));
  for (const std::string_view end : {"_test", "_spec", "Test", "Tests", "IT", "TestCase"}) {
    if (stem.size() > end.size() && stem.ends_with(end)) return true;
  }
  return name.find(".test.") != std::string_view::npos ||
         name.find(".spec.") != std::string_view::npos || stem.starts_with("test_");
}

std::size_t count_sources(const fs::path& folder) {
  std::size_t count = 0;
  std::error_code error;
  fs::recursive_directory_iterator next(folder, fs::directory_options::skip_permission_denied,
                                        error);
  for (; !error && next != fs::recursive_directory_iterator(); next.increment(error)) {
    if (language_of(next->path().string()) != nullptr) ++count;
  }
  return count;
}

void add_folder(const std::string& path, FoundFiles& found) {
  std::error_code error;
  fs::recursive_directory_iterator next(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && next != fs::recursive_directory_iterator(); next.increment(error)) {
    const std::string name = next->path().filename().string();
    std::error_code ignored;
    if (next->is_directory(ignored)) {
      if (is_foreign_folder(name)) {
        next.disable_recursion_pending();
      } else if (is_test_folder(name)) {
        found.tests += count_sources(next->path());
        next.disable_recursion_pending();
      }
      continue;
    }
    if (!next->is_regular_file(ignored)) continue;
    const Language* language = language_of(name);
    if (language == nullptr || name.find(".min.") != std::string::npos) continue;
    if (is_test_file(name)) {
      ++found.tests;
      continue;
    }
    found.files.push_back({.path = next->path().string(), .language = language, .is_named = false});
  }
}

}  // namespace

FoundFiles find_source_files(const std::vector<std::string>& paths) {
  FoundFiles found;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      add_folder(path, found);
    } else if (const Language* language = language_of(path); language != nullptr) {
      found.files.push_back({.path = path, .language = language, .is_named = true});
    }
  }
  // One that is named and in a folder is named.
  std::ranges::sort(found.files, [](const FoundFile& a, const FoundFile& b) {
    return std::pair(std::string_view(a.path), !a.is_named) <
           std::pair(std::string_view(b.path), !b.is_named);
  });
  const auto same = std::ranges::unique(found.files, {}, &FoundFile::path);
  found.files.erase(same.begin(), same.end());
  return found;
}

std::optional<Diagnostic> refuse_file(const std::string& path) {
  std::error_code error;
  if (path == "-" || fs::is_directory(path, error)) return std::nullopt;
  const Language* language = language_of(path);
  const bool is_read =
      language != nullptr && (language->family == Family::java || language->family == Family::sql);
  const std::string_view name =
      language == nullptr ? foreign_document(path) : std::string_view(language->name);
  if (is_read || name.empty()) return std::nullopt;
  return Diagnostic{
      .what = fmt::format("there is no reader for {}", name),
      .what_to_do =
          "name files of SQL or of Java with JDBC; what others send to a database can be "
          "said as procedures in PL/pgSQL, or as a scenario for heddle explore",
      .file = path};
}

}  // namespace heddle::marks
