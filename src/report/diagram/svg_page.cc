#include "report/diagram/svg_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/text/layout.h"
#include "report/text/markup.h"
#include "report/text/svg_text.h"

namespace heddle {

namespace {

constexpr int kMargin = 24;
constexpr int kSpace = 12;
constexpr int kTitleLine = 24;

}  // namespace

void SvgStack::add_title(const std::string& text) {
  for (const std::string& line : wrap(text, title_columns_within(width_))) {
    markup_ += svg_title_line(0, y_ + 17, line);
    y_ += kTitleLine;
  }
}

void SvgStack::add_text(const std::string& text, std::string_view css_class) {
  for (const std::string& line : wrap(text, columns_within(width_), 2)) {
    markup_ += svg_line(0, y_ + 13, css_class, line);
    y_ += kLineHeight;
  }
}

void SvgStack::add_space() { y_ += kSpace; }

void SvgStack::add(const Drawing& drawing) {
  markup_ += fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n", y_, drawing.markup);
  y_ += drawing.height;
}

std::string svg_document(const std::string& title, const std::vector<Drawing>& sections,
                         const std::string& style) {
  int width = kNarrowestSvg;
  int y = kMargin;
  std::string body;
  for (const Drawing& section : sections) {
    width = std::max(width, section.width);
    body += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", kMargin, y, section.markup);
    y += section.height + 2 * kMargin;
  }
  width += 2 * kMargin;
  const int height = sections.empty() ? 2 * kMargin : y - kMargin;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hd-schedule\" role=\"img\" "
      "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" xml:space=\"preserve\">\n"
      "<title>{2}</title>\n<style>\n{3}</style>\n"
      "<rect class=\"hd-page\" width=\"{0}\" height=\"{1}\"/>\n{4}</svg>\n",
      width, height, markup_text(title), svg_style() + style, body);
}

}  // namespace heddle
