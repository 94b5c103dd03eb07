// For tests of the printer: trees as texts, and statements out of other tests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/source_tree_testing.h"
#include "frontend/sql/tree.h"

namespace heddle::sql {

inline std::string shape_of(const Node& node) {
  std::string text = node.name + "=" + node.scalar;
  const bool has_children = node.first != nullptr;
  if (has_children) text += "{";
  for (const Node& child : node) {
    if (!child.name.ends_with("location")) text += shape_of(child) + ",";
  }
  return has_children ? text + "}" : text;
}

// The tree of a text of one statement of PostgreSQL, without locations; or the trouble.
inline std::string shape_of_text(std::string_view sql) {
  const ParseOutcome parsed = parse_tree(sql);
  if (!parsed.is_ok) return "cannot parse: " + parsed.trouble.message;
  if (parsed.tree.statements.size() != 1) return "not one statement";
  return shape_of(*parsed.tree.statements[0].node);
}

// The string literals of a C++ source, those side by side as one; raw ones included.
inline std::vector<std::string> string_literals(const std::string& source) {
  std::vector<std::string> literals;
  bool adjacent = false;
  for (std::size_t at = 0; at < source.size(); ++at) {
    const bool is_raw = source.compare(at, 3, "R\"(") == 0;
    if (is_raw) {
      const std::size_t end = std::min(source.find(")\"", at), source.size());
      literals.push_back(source.substr(at + 3, end - at - 3));
      at = end + 1;
      adjacent = false;
    } else if (source[at] == '"') {
      std::string text;
      for (++at; at < source.size() && source[at] != '"'; ++at) {
        const bool is_escape = source[at] == '\\' && at + 1 < source.size();
        if (is_escape) ++at;
        const char c = source[at];
        const char meant = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        text += is_escape ? meant : c;
      }
      if (adjacent) {
        literals.back() += text;
      } else {
        literals.push_back(std::move(text));
      }
      adjacent = true;
    } else if (source[at] != ' ' && source[at] != '\n') {
      adjacent = false;
    }
  }
  return literals;
}

// What the tests of frontend/sql have between quotes.
inline std::vector<std::string> texts_of_tests() {
  const std::filesystem::path folder = source_tree() / "src/frontend/sql";
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().string().ends_with("_test.cc")) continue;
    const Result<std::string> source = read_file(entry.path().string());
    if (!source) continue;
    for (std::string& literal : string_literals(*source)) texts.push_back(std::move(literal));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace heddle::sql
