// Text in SVG, measured without a font: every text is set in a fixed-width font and told how wide
// to be, so that it takes the same room whichever font the viewer has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/text/layout.h"

namespace heddle {

constexpr int kLineHeight = 18;

// Pixels that the text takes on one line.
int text_width(std::string_view text);
int title_width(std::string_view text);

// How many columns of text fit into so many pixels, at least a few.
std::size_t columns_within(int pixels);
std::size_t title_columns_within(int pixels);

// One line with its baseline at y. Blanks at its beginning are room. `css_class` is one of those of
// the style sheet.
std::string svg_line(int x, int y, std::string_view css_class, std::string_view text);
std::string svg_title_line(int x, int y, std::string_view text);
// The same, in the middle of x, and small.
std::string svg_badge_text(int x, int y, std::string_view text);
int badge_width(std::string_view text);

// The class of a text's style.
std::string_view css_class_of(TextStyle style);

// The rules for all classes: in light colours, or the dark ones in their place.
std::string svg_style();
std::string svg_dark_style();

}  // namespace heddle
