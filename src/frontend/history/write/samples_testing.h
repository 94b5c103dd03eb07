// For tests: public histories with known verdicts, where they lie beside the checkout.
#pragma once

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/source_tree_testing.h"

namespace heddle {

inline std::string read_sample(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The files below shared/data/histories/FOLDER whose names end so, in a fixed order. Without that
// folder none, and a message says so.
inline std::vector<std::filesystem::path> find_samples(const std::string& folder,
                                                       const std::string& extension) {
  const std::filesystem::path root = source_tree().parent_path() / "shared/data/histories" / folder;
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(root)) {
    std::printf("No public histories in ../shared/data/histories/%s: nothing to compare with.\n",
                folder.c_str());
    return files;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file() && entry.path().extension() == extension) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace heddle
