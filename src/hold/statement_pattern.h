// Patterns of statements: "SELECT balance FROM account*". Case, blanks and comments mean nothing,
// * stands for anything, ? for one character.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

class StatementPattern {
 public:
  explicit StatementPattern(std::string_view text);

  bool matches(std::string_view statement) const;

 private:
  std::string pattern_;
};

}  // namespace heddle
