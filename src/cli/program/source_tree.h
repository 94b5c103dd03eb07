// The files below the folders that a program is given as: those that are read, and those that are
// left out, each with the reason.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/source_place.h"
#include "heddle/result.h"

namespace heddle {

struct TreeFile {
  std::string path;
  std::string text;
  bool is_generated = false;
};

struct LeftOutFile {
  std::string path;
  LeftOutReason reason = LeftOutReason::test;
};

// All lists are in the order of the paths.
struct SourceTree {
  std::vector<TreeFile> files;        // .java and .sql
  std::vector<LeftOutFile> left_out;  // .java and .sql, and folders that cannot be read
  std::vector<std::string> others;    // files with other endings, where no file would be left out
  std::vector<std::string> excluded_others;  // and those that the user excludes
};

struct TreeOptions {
  bool with_tests = false;  // and samples and documentation
  // Whether the user excludes a file or folder; called with paths as they are printed.
  std::function<bool(const std::string& path)> is_excluded = {};
  std::function<void(std::size_t files)> progress = {};
};

// Goes through a folder. Symbolic links to folders are not followed. Where nothing but
// documentation defines tables, its .sql files are read. Errors: the folder cannot be read.
Result<SourceTree> read_source_tree(const std::string& folder, const TreeOptions& options);

// What is wrong with a folder none of whose files is read.
std::optional<Diagnostic> refuse_empty_tree(const std::string& folder, const SourceTree& tree);

// "6 files are left out; tests: 4 (app/src/test/A.java, ...), samples: 2 (...)"; empty: none.
std::string describe_left_out(const std::vector<LeftOutFile>& left_out);
// What reads them.
std::string way_back(const std::vector<LeftOutFile>& left_out);

}  // namespace heddle
