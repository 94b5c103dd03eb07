#include "hold/statement_pattern.h"

#include <cctype>

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

// A star is tried at its shortest first, and only the last one is ever moved: time proportional to
// the product of both lengths.
bool is_like(std::string_view text, std::string_view pattern) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = pattern.npos;
  std::size_t behind_star = 0;
  while (at < text.size()) {
    const bool is_star = in_pattern < pattern.size() && pattern[in_pattern] == '*';
    if (is_star) {
      star = in_pattern++;
      behind_star = at;
    } else if (in_pattern < pattern.size() &&
               (pattern[in_pattern] == '?' || pattern[in_pattern] == text[at])) {
      ++in_pattern;
      ++at;
    } else if (star != pattern.npos) {
      in_pattern = star + 1;
      at = ++behind_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == pattern.npos;
}

}  // namespace

StatementPattern::StatementPattern(std::string_view text) : pattern_(plain(text)) {}

bool StatementPattern::matches(std::string_view statement) const {
  return is_like(plain(statement), pattern_);
}

}  // namespace heddle
