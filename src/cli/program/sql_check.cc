#include "cli/program/sql_check.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "base/text.h"
#include "heddle/statement.h"

namespace heddle {

namespace {

// Of definitions in other dialects than PostgreSQL's, which parse_statements() does not read.
bool begins_definition(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kWords = {"create", "alter", "drop",
                                                             "insert", "set",   "delimiter"};
  const std::string_view first = text.substr(0, text.find_first_of(" \t\n\r"));
  return std::ranges::find(kWords, to_lower(first)) != kWords.end();
}

// A statement without comments in front.
std::string_view bare(std::string_view text) {
  while (true) {
    text = trim(text);
    if (text.starts_with("--") || text.starts_with("#")) {
      const std::size_t end = text.find('\n');
      text = end == text.npos ? std::string_view() : text.substr(end);
    } else if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/", 2);
      text = end == text.npos ? std::string_view() : text.substr(end + 2);
    } else {
      return text;
    }
  }
}

}  // namespace

std::optional<Diagnostic> refuse_garbage(const SourceText& file, Dialect dialect) {
  bool has_any = false;
  for (const StatementText& piece : split_statements(file.text)) {
    std::string_view text = bare(piece.text);
    // psql's own commands, one on a line.
    while (text.starts_with("\\")) {
      const std::size_t end = text.find('\n');
      text = end == text.npos ? std::string_view() : bare(text.substr(end));
    }
    if (text.empty()) continue;
    has_any = true;
    if (dialect != Dialect::postgres && begins_definition(text)) return std::nullopt;
    const auto read = parse_statements(text, dialect);
    if (read && !read->empty()) return std::nullopt;
    if (!read && read.error().trouble == Trouble::bound) return std::nullopt;
  }
  if (!has_any) return std::nullopt;
  return Diagnostic{.what = "nothing in it is a statement of SQL",
                    .what_to_do = "name files of SQL or of Java; --dialect says whose SQL it is",
                    .file = file.file};
}

}  // namespace heddle
