#include "report/check_layout.h"

#include <algorithm>

#include "report/layout.h"

namespace heddle {

namespace {

constexpr std::size_t kNarrowestText = 20;

TextStyle style_of(CheckStyle style) {
  switch (style) {
    case CheckStyle::plain:
      return TextStyle::plain;
    case CheckStyle::heading:
      return TextStyle::heading;
    case CheckStyle::read:
      return TextStyle::read;
    case CheckStyle::write:
      return TextStyle::write;
    case CheckStyle::commit:
      return TextStyle::commit;
    case CheckStyle::error:
      return TextStyle::error;
    case CheckStyle::wrong:
      return TextStyle::wrong;
  }
  return TextStyle::plain;
}

}  // namespace

std::size_t width_of(const TextOptions& options) { return options.width; }

std::shared_ptr<const TextOptions> make_text_options(bool color, std::size_t width) {
  return std::make_shared<const TextOptions>(TextOptions{color, width});
}

std::string printable_text(std::string_view text) { return printable(text); }

std::string shortened(std::string_view text, std::size_t width) { return shorten(text, width); }

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width,
                                       std::size_t hanging) {
  return wrap(text, std::max(width, kNarrowestText), hanging);
}

std::string painted(std::string_view text, CheckStyle style, const TextOptions& options) {
  return paint(text, style_of(style), options);
}

std::string render_grid(const CheckGrid& grid, const TextOptions& options) {
  Grid styled{grid.header, {}};
  for (const std::vector<CheckCell>& row : grid.rows) {
    std::vector<StyledCell> cells;
    for (const CheckCell& cell : row) {
      cells.push_back(cell.text.empty() ? StyledCell{}
                                        : StyledCell{{style_of(cell.style), cell.text}});
    }
    styled.rows.push_back(std::move(cells));
  }
  return render_grid(styled, options);
}

}  // namespace heddle
