#include "hold/statement_pattern.h"

#include <cctype>

#include "base/path_pattern.h"

namespace heddle {
namespace {

// In small letters, with one blank between words, without comments and a last semicolon.
std::string plain(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("/*") && rest.size() > 2) {
      const std::size_t end = rest.find("*/", 2);
      if (end == rest.npos) break;
      at += end + 1;
      continue;
    }
    if (rest.starts_with("--")) {
      const std::size_t end = rest.find('\n');
      if (end == rest.npos) break;
      at += end - 1;
      continue;
    }
    const auto c = static_cast<unsigned char>(rest.front());
    if (std::isspace(c) == 0) {
      result += static_cast<char>(std::tolower(c));
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  while (result.ends_with(' ') || result.ends_with(';')) result.pop_back();
  return result;
}

// What is special in globs and not in patterns of statements, where arrays have brackets.
std::string as_glob(std::string_view pattern) {
  std::string glob;
  for (const char c : pattern) {
    if (c == '[' || c == '\\') glob += '\\';
    glob += c;
  }
  return glob;
}

}  // namespace

StatementPattern::StatementPattern(std::string_view text) : pattern_(as_glob(plain(text))) {}

bool StatementPattern::matches(std::string_view statement) const {
  return matches_glob(pattern_, plain(statement));
}

}  // namespace heddle
