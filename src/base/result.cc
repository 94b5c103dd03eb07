#include "heddle/result.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace heddle {

std::string to_string(const Diagnostic& diagnostic) {
  std::string text;
  if (!diagnostic.file.empty()) {
    text = printable(diagnostic.file);
    if (diagnostic.position.line != 0) text += fmt::format(":{}", diagnostic.position.line);
    if (diagnostic.position.column != 0) text += fmt::format(":{}", diagnostic.position.column);
    text += ": ";
  }
  text += shown_message(diagnostic.what);
  if (!diagnostic.what_to_do.empty()) text += ", " + shown_message(diagnostic.what_to_do);
  return text;
}

}  // namespace heddle
