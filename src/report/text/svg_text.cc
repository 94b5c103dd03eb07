#include "report/text/svg_text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

// What a character of the usual fixed-width fonts takes at a font size of 1.
constexpr double kAdvance = 0.602;
constexpr int kTextSize = 13;
constexpr int kTitleSize = 17;
constexpr int kBadgeSize = 11;
constexpr std::size_t kFewestColumns = 8;

double width_at(std::string_view text, int size) {
  return static_cast<double>(display_width(text)) * kAdvance * size;
}

int rounded_up(double pixels) { return static_cast<int>(std::ceil(pixels)); }

std::size_t columns_at(int pixels, int size) {
  const double columns = static_cast<double>(std::max(pixels, 0)) / (kAdvance * size);
  return std::max(kFewestColumns, static_cast<std::size_t>(columns));
}

std::string text_element(double x, int y, std::string_view css_class, std::string_view text,
                         int size) {
  const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  const std::string_view shown = text.substr(blanks);
  if (shown.empty()) return "";
  const double left = x + static_cast<double>(blanks) * kAdvance * size;
  return fmt::format("<text x=\"{:.1f}\" y=\"{}\" class=\"{}\" textLength=\"{:.1f}\">{}</text>\n",
                     left, y, css_class, width_at(shown, size), markup_text(shown));
}

struct StyleClass {
  std::string_view name;
  std::string_view light;
  std::string_view dark;
};

// Of texts: fill. Of shapes: fill and stroke. Contrast of texts is at least 4.5 to 1.
constexpr std::array<StyleClass, 10> kTextClasses = {{
    {"hd-plain", "fill:#1f2328", "fill:#e6edf3"},
    {"hd-heading", "fill:#1f2328;font-weight:bold", "fill:#e6edf3"},
    {"hd-faint", "fill:#59636e", "fill:#9198a1"},
    {"hd-step", "fill:#1f2328", "fill:#e6edf3"},
    {"hd-read", "fill:#0a5ca8", "fill:#79b8ff"},
    {"hd-write", "fill:#7a4a00", "fill:#f0b45a"},
    {"hd-stalled", "fill:#6b5900;font-style:italic", "fill:#d9c25c"},
    {"hd-commit", "fill:#1f2328;font-weight:bold", "fill:#e6edf3"},
    {"hd-error", "fill:#b3261e", "fill:#ff8f85"},
    {"hd-wrong", "fill:#b3261e;font-weight:bold", "fill:#ff8f85"},
}};

constexpr std::array<StyleClass, 14> kShapeClasses = {{
    {"hd-page", "fill:#ffffff", "fill:#161b22"},
    {"hd-head", "fill:#eef1f4;stroke:#8b949e", "fill:#262c36;stroke:#6e7681"},
    {"hd-box", "fill:#ffffff;stroke:#8b949e", "fill:#1c2128;stroke:#6e7681"},
    {"hd-box-setup", "fill:#f6f8fa;stroke:#d0d7de", "fill:#191e25;stroke:#3d444d"},
    {"hd-box-commit", "fill:#eef1f4;stroke:#59636e", "fill:#262c36;stroke:#9198a1"},
    {"hd-box-stalled", "fill:#fff8d6;stroke:#b59b1f;stroke-dasharray:4 3",
     "fill:#2d2a16;stroke:#9c8a2e;stroke-dasharray:4 3"},
    {"hd-box-error", "fill:#ffefed;stroke:#c4625b", "fill:#34191a;stroke:#c4625b"},
    {"hd-box-wrong", "fill:#ffefed;stroke:#b3261e;stroke-width:2.5",
     "fill:#34191a;stroke:#ff8f85;stroke-width:2.5"},
    {"hd-bar", "fill:#f5dc66;stroke:#b59b1f", "fill:#6b5c14;stroke:#c9b037"},
    {"hd-life", "stroke:#c4ccd4;stroke-dasharray:2 4", "stroke:#484f58;stroke-dasharray:2 4"},
    {"hd-axis", "stroke:#8b949e;fill:none", "stroke:#6e7681;fill:none"},
    {"hd-arrow", "stroke:#7b2cbf;stroke-width:1.8;stroke-linejoin:round;fill:none",
     "stroke:#c792ea;stroke-width:1.8;stroke-linejoin:round;fill:none"},
    {"hd-tip", "fill:#7b2cbf", "fill:#c792ea"},
    {"hd-badge", "fill:#f6ecff;stroke:#7b2cbf", "fill:#2c1f3a;stroke:#c792ea"},
}};

}  // namespace

int text_width(std::string_view text) { return rounded_up(width_at(text, kTextSize)); }

int title_width(std::string_view text) { return rounded_up(width_at(text, kTitleSize)); }

std::size_t columns_within(int pixels) { return columns_at(pixels, kTextSize); }

std::size_t title_columns_within(int pixels) { return columns_at(pixels, kTitleSize); }

std::string svg_line(int x, int y, std::string_view css_class, std::string_view text) {
  return text_element(x, y, css_class, text, kTextSize);
}

std::string svg_title_line(int x, int y, std::string_view text) {
  return text_element(x, y, "hd-title", text, kTitleSize);
}

std::string svg_badge_text(int x, int y, std::string_view text) {
  return text_element(x - width_at(text, kBadgeSize) / 2, y, "hd-label", text, kBadgeSize);
}

int badge_width(std::string_view text) { return rounded_up(width_at(text, kBadgeSize)) + 10; }

std::string_view css_class_of(TextStyle style) {
  return kTextClasses[static_cast<std::size_t>(style)].name;
}

std::string svg_style() {
  std::string rules = fmt::format(
      ".hd-schedule text{{font-family:'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,"
      "'Courier New',monospace;font-size:{}px}}\n"
      ".hd-schedule text.hd-title{{font-size:{}px;font-weight:bold;fill:#1f2328}}\n"
      ".hd-schedule text.hd-label{{font-size:{}px;font-weight:bold;fill:#5a189a}}\n",
      kTextSize, kTitleSize, kBadgeSize);
  for (const StyleClass& rule : kTextClasses) {
    rules += fmt::format(".{}{{{}}}\n", rule.name, rule.light);
  }
  for (const StyleClass& rule : kShapeClasses) {
    rules += fmt::format(".{}{{{}}}\n", rule.name, rule.light);
  }
  return rules;
}

std::string svg_dark_style() {
  std::string rules =
      ".hd-schedule text.hd-title{fill:#e6edf3}\n.hd-schedule text.hd-label{fill:#e3c8ff}\n";
  for (const StyleClass& rule : kTextClasses) {
    rules += fmt::format(".{}{{{}}}\n", rule.name, rule.dark);
  }
  for (const StyleClass& rule : kShapeClasses) {
    rules += fmt::format(".{}{{{}}}\n", rule.name, rule.dark);
  }
  return rules;
}

}  // namespace heddle
