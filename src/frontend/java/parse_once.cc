#include "frontend/java/parse_once.h"

#include <unordered_map>

namespace heddle::java {

Result<std::vector<Statement>> parse_once(const std::string& text) {
  constexpr std::size_t kMostTexts = 1'000;
  static thread_local std::unordered_map<std::string, Result<std::vector<Statement>>> known;
  if (const auto found = known.find(text); found != known.end()) return found->second;
  Result<std::vector<Statement>> parsed = parse_statements(text, Dialect::postgres);
  if (known.size() >= kMostTexts) known.clear();
  known.emplace(text, parsed);
  return parsed;
}

}  // namespace heddle::java
