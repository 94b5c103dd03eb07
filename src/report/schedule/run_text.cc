#include "report/schedule/run_text.h"

#include <algorithm>

#include "base/text.h"
#include "report/diagram/diagram.h"
#include "report/schedule/finding_diagram.h"
#include "report/text/counted.h"
#include "report/text/layout.h"

namespace heddle {

std::string text_beside(const std::string& label, std::size_t label_width, const std::string& text,
                        const TextOptions& options) {
  const std::size_t margin = label_width + 2;
  const std::size_t width = std::max(options.width, margin + kNarrowestText) - margin;
  std::string result = label + std::string(margin - std::min(margin, display_width(label)), ' ');
  const std::vector<std::string> lines = wrap(text, width);
  return result + join(lines, "\n" + std::string(margin, ' ')) + "\n";
}

std::string wrapped_text(const std::string& text, const TextOptions& options) {
  return join(wrap(text, std::max(options.width, kNarrowestText)), "\n") + "\n";
}

std::string indented_text(std::size_t indent, const std::string& text, const TextOptions& options) {
  std::string result;
  const std::size_t width = std::max(options.width, indent + kNarrowestText) - indent;
  for (const std::string& line : wrap(text, width, 4)) {
    result += std::string(indent, ' ') + line + "\n";
  }
  return result;
}

std::string heading_text(const std::string& text, const TextOptions& options) {
  std::string result;
  for (const std::string& line : wrap(text, std::max(options.width, kNarrowestText))) {
    result += paint(line, TextStyle::heading, options) + "\n";
  }
  return result;
}

std::string contrast_text(const Contrast& contrast, const TextOptions& options) {
  std::size_t label = display_width("  this run");
  for (const Contrast::Side& side : contrast.serial) {
    label = std::max(label, display_width("  " + side.who));
  }
  label = std::min(label, options.width / 3);
  std::string text = heading_text(contrast.where, options);
  text += text_beside("  this run", label, contrast.observed, options);
  for (const Contrast::Side& side : contrast.serial) {
    // Many orders that give the same do not fit beside it.
    const std::string who = "  " + side.who;
    const bool fits = display_width(who) <= label;
    text += fits ? text_beside(who, label, side.text, options)
                 : join(wrap(who, options.width, 4), "\n") + "\n" +
                       text_beside("", label, side.text, options);
  }
  return text;
}

std::string run_text(const Finding& finding, const std::vector<Contrast>& contrasts,
                     const TextOptions& options) {
  std::string text = render_diagram_text(draw(finding), options);
  for (const Contrast& contrast : contrasts) {
    text += "\n" + contrast_text(contrast, options);
  }
  const std::vector<std::string> broken = broken_invariants(finding);
  if (!broken.empty()) text += "\n";
  for (const std::string& line : broken) text += wrapped_text(line, options);
  return text;
}

std::string differences_text(const std::vector<std::string>& differences,
                             const TextOptions& options) {
  std::string text = differences.empty() ? "" : "What differed:\n";
  for (const CountedText& difference : counted_texts(differences)) {
    const std::string runs = counted(difference.count, "run", "runs");
    text += text_beside("  " + runs, 10, difference.text, options);
  }
  return text;
}

}  // namespace heddle
