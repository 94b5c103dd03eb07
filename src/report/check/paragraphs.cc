#include "report/check/paragraphs.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

// Of what is wrapped, however narrow the terminal.
}  // namespace

std::string counted(std::size_t count, std::string_view what) {
  std::string number = fmt::to_string(count);
  for (std::size_t at = number.size(); at > 3; at -= 3) number.insert(at - 3, ",");
  return fmt::format("{} {}{}", number, what, count == 1 ? "" : "s");
}

std::string_view order_word(CallOrder order) {
  switch (order) {
    case CallOrder::linearizable:
      return "linearizable";
    case CallOrder::sequential:
      return "sequential";
    case CallOrder::quiescent:
      return "quiescent";
  }
  return "";
}

std::string paragraph(const std::string& text, const TextOptions& options) {
  return join(wrap(text, std::max(options.width, kNarrowestText)), "\n") + "\n";
}

std::string paragraph_heading(const std::string& text, const TextOptions& options) {
  std::string result;
  for (const std::string& line : wrap(text, std::max(options.width, kNarrowestText))) {
    result += paint(line, TextStyle::heading, options) + "\n";
  }
  return result;
}

std::string beside_word(std::string_view word, const std::vector<std::string>& sentences,
                        const TextOptions& options) {
  const std::string margin(word.size() + 1, ' ');
  const std::size_t width = options.width - std::min(options.width, margin.size());
  std::string text;
  for (const std::string& sentence : sentences) {
    for (const std::string& line : wrap(sentence, std::max(width, kNarrowestText), 2)) {
      text += (text.empty() ? std::string(word) + " " : margin) + line + "\n";
    }
  }
  return text;
}

std::string render_let(const std::vector<CheckExplanation::Let>& let, const TextOptions& options) {
  std::size_t name = 0;
  for (const CheckExplanation::Let& each : let) name = std::max(name, display_width(each.name));
  std::vector<std::string> lines;
  for (const CheckExplanation::Let& each : let) {
    if (each.name.empty()) {
      lines.push_back(each.text);
      continue;
    }
    const std::string padding(name - display_width(each.name), ' ');
    lines.push_back(fmt::format("{}{} = {}  ({})", each.name, padding, each.text, each.place));
  }
  return beside_word("Let", lines, options);
}

}  // namespace heddle
