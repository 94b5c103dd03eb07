// Names of files and folders, and patterns of them, that say what is left out.
//
//   Result<PathPattern> pattern = PathPattern::parse("generated", ".");
//   if (pattern->matches("src/generated/Orders.java")) ...
//
// "legacy" and "*.gen.java", without a slash before their end, are for files and folders of that
// name wherever they are, but for the folders above the one that the pattern was written for.
// "src/legacy", "./legacy" and "/srv/legacy" are one place, seen from that folder. What matches a
// folder matches everything below it. `*` and `?` stand for characters of one name, [abc], [a-z]
// and
// [!a] for one character, a name `**` for any number of folders, and \ takes the meaning of the
// next character away.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle {

// Whether the whole name is one of those that a pattern of `*`, `?`, [...] and \ describes. Takes
// time by the product of both lengths at worst.
bool matches_glob(std::string_view pattern, std::string_view name);

// Whether it has `*`, `?` or [ in it.
bool is_glob(std::string_view text);

class PathPattern {
 public:
  // `folder`: relative patterns are seen from there; relative to the current one. Errors: bad_input
  // for a pattern that is empty or names the root of all files.
  static Result<PathPattern> parse(std::string_view text, const std::string& folder);

  // As it was written.
  const std::string& text() const { return text_; }

  // The file or folder, or one that it is in. Looks at names only; links are not followed. A
  // relative path is seen from the current folder.
  bool matches(const std::string& path) const;

 private:
  std::string text_;
  std::vector<std::string> segments_;  // from the root where `above_` is empty
  std::vector<std::string> above_;     // folders that are not looked at
};

// Several patterns, in the order they were given.
class PathPatterns {
 public:
  void add(PathPattern pattern) { patterns_.push_back(std::move(pattern)); }
  bool empty() const { return patterns_.empty(); }
  const std::vector<PathPattern>& all() const { return patterns_; }

  // The number of the first one that matches; all().size(): none does.
  std::size_t first_match(const std::string& path) const;
  bool match(const std::string& path) const { return first_match(path) < patterns_.size(); }

 private:
  std::vector<PathPattern> patterns_;
};

}  // namespace heddle
