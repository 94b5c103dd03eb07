#include "vocabulary/spelling.h"

#include "base/text.h"

namespace heddle {

std::string same_spelling(std::string_view name) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  std::string result;
  bool in_space = false;
  for (const char c : to_lower(trim(name))) {
    const bool space = kSpace.find(c) != std::string_view::npos;
    if (!(space && in_space)) result += space || c == '_' ? '-' : c;
    in_space = space;
  }
  return result;
}

}  // namespace heddle
