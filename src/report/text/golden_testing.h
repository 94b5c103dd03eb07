// The comparison of reports with the files in the folder golden/ beside the test. UPDATE_GOLDEN=1
// rewrites them; the difference is for people to read.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <source_location>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/source_tree_testing.h"
#include "base/text.h"

namespace heddle::sample {

inline std::string read_golden(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

inline void expect_golden(const std::string& name, const std::string& text,
                          const std::source_location& test = std::source_location::current()) {
  const std::string file = test.file_name();
  const std::filesystem::path in_tree = file.substr(file.rfind("/src/") + 1);
  const std::filesystem::path path = source_tree() / in_tree.parent_path() / "golden" / name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  EXPECT_EQ(text, read_golden(path)) << "UPDATE_GOLDEN=1 rewrites " << path;
}

inline void expect_width(const std::string& text, std::size_t width) {
  for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), width) << line;
}

}  // namespace heddle::sample
