#include "report/race/step_lines.h"

#include <string_view>

#include "base/text.h"
#include "base/utf8.h"

namespace heddle {

namespace {

constexpr std::size_t kLongestAsked = 160;
constexpr std::size_t kLongestOutcome = 120;

bool tells_of_rows_written(std::string_view outcome) {
  for (const std::string_view tag : {"INSERT ", "UPDATE ", "DELETE ", "MERGE "}) {
    if (outcome.starts_with(tag)) return true;
  }
  return false;
}

// "COMMIT" of COMMIT, "BEGIN" of BEGIN ISOLATION LEVEL SERIALIZABLE.
bool is_repeated(const RaceRunStep& step) {
  return !step.is_request && step.text.size() >= step.outcome.size() &&
         equal_ignoring_case(std::string_view(step.text).substr(0, step.outcome.size()),
                             step.outcome);
}

std::string outcome_text(const RaceRunStep& step) {
  return without_middle(printable(trim(step.outcome)), kLongestOutcome);
}

}  // namespace

std::string without_middle(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  const std::size_t behind = width / 3;
  std::size_t at = text.size();
  while (at > 0) {
    std::size_t before = at - 1;
    while (before > 0 && (static_cast<unsigned char>(text[before]) & 0xC0U) == 0x80U) --before;
    if (display_width(std::string_view(text).substr(before)) > behind) break;
    at = before;
  }
  return shorten(text, width - behind) + text.substr(at);
}

std::string edge_text(const RaceRunStep& step) {
  return printable(step.caller) + " -> " + printable(step.callee);
}

StyledLine asked_line(const RaceRunStep& step) {
  const std::string text = step.is_request ? printable(step.text) : one_line(step.text);
  return {step.is_outer ? TextStyle::commit : TextStyle::step,
          edge_text(step) + ": " + without_middle(text, kLongestAsked)};
}

StyledCell outcome_lines(const RaceRunStep& step) {
  if (step.outcome.empty() || is_repeated(step)) return {};
  const std::string text = outcome_text(step);
  if (step.is_error) return {{TextStyle::error, "✗ " + text}};
  if (!step.is_request && tells_of_rows_written(step.outcome)) return {{TextStyle::write, text}};
  return {{step.is_outer ? TextStyle::commit : TextStyle::read, "→ " + text}};
}

StyledCell answered_lines(const RaceRunStep& step) {
  StyledCell outcome = outcome_lines(step);
  if (step.is_request) {
    const std::string who = printable(step.callee);
    if (outcome.empty()) return {{TextStyle::step, who + " answers"}};
    outcome[0].text = (step.is_error ? "✗ " : "→ ") + who + " answers " + outcome_text(step);
    return outcome;
  }
  const std::string word = step.has_waited ? "... resumes" : "... is answered";
  if (!outcome.empty() && outcome[0].style == TextStyle::write) {
    outcome[0].text = word + ": " + outcome[0].text;
    return outcome;
  }
  outcome.insert(outcome.begin(), {TextStyle::step, word});
  return outcome;
}

}  // namespace heddle
