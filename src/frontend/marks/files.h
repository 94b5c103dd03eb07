// The files below what a user names that may use a store, in any language.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "frontend/marks/language.h"
#include "heddle/result.h"

namespace heddle::marks {

struct FoundFile {
  std::string path;  // as the user named it, or the folder that it is in
  const Language* language = nullptr;
  bool is_named = false;  // the file itself, not a folder around it
};

struct FoundFiles {
  std::vector<FoundFile> files;  // sorted by path, each once
  std::size_t tests = 0;         // files that were left out because they are tests
};

// Left out below a folder are tests, what builds and package managers put there, and links to
// folders. Files that are too large, or cannot be read, are not: whoever opens them sees that.
FoundFiles find_source_files(const std::vector<std::string>& paths);

// Why a file that a user names cannot be one of a program: it has no reader. None: it can.
std::optional<Diagnostic> refuse_file(const std::string& path);

}  // namespace heddle::marks
