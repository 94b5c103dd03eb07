// A cell's content asks for a width, the page offers one. While the sum asked for is too much, the
// columns that ask for less than an equal share of what is left get what they ask for, and the
// others share the rest.

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/text.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

constexpr std::size_t kNarrowest = 6;
constexpr std::size_t kHangingLine = 2;

std::vector<std::size_t> wanted_widths(const Grid& grid) {
  std::vector<std::size_t> widths;
  for (const std::string& name : grid.header) widths.push_back(display_width(name));
  for (const std::vector<StyledCell>& row : grid.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (const StyledLine& line : row[i]) {
        widths[i] = std::max(widths[i], display_width(line.text));
      }
    }
  }
  return widths;
}

std::vector<std::size_t> share_width(const std::vector<std::size_t>& wanted,
                                     std::size_t available) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(wanted[a], a) < std::tie(wanted[b], b);
  });
  std::vector<std::size_t> widths(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t share = std::max(kNarrowest, available / (order.size() - i));
    widths[order[i]] = std::min(wanted[order[i]], share);
    available -= std::min(available, widths[order[i]]);
  }
  return widths;
}

std::string horizontal(const std::vector<std::size_t>& widths, std::string_view left,
                       std::string_view cross, std::string_view right, const TextOptions& options) {
  std::string text(left);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i != 0) text += cross;
    for (std::size_t k = 0; k < widths[i] + 2; ++k) text += "─";
  }
  text += right;
  return paint(text, TextStyle::frame, options) + "\n";
}

std::string render_row(const std::vector<StyledCell>& row, const std::vector<std::size_t>& widths,
                       const TextOptions& options) {
  std::vector<StyledCell> cells(widths.size());
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    cells[i] = wrap_cell(row[i], widths[i]);
    height = std::max(height, cells[i].size());
  }
  const std::string bar = paint("│", TextStyle::frame, options);
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const StyledLine content = line < cells[i].size() ? cells[i][line] : StyledLine{};
      const std::size_t used = std::min(widths[i], display_width(content.text));
      text += bar + " " + paint(content.text, content.style, options);
      text += std::string(widths[i] - used + 1, ' ');
    }
    text += bar;
    text += "\n";
  }
  return text;
}

}  // namespace

StyledCell wrap_cell(const StyledCell& cell, std::size_t width) {
  StyledCell lines;
  for (const StyledLine& line : cell) {
    for (std::string& text : wrap_evenly(line.text, std::max<std::size_t>(width, 1))) {
      lines.push_back({line.style, std::move(text)});
    }
  }
  return lines;
}

std::vector<std::string> wrap_evenly(const std::string& text, std::size_t width) {
  const std::size_t hanging = width > 3 * kHangingLine ? kHangingLine : 0;
  std::vector<std::string> lines = wrap_words(text, width, hanging, false);
  const std::size_t narrowest = hanging + 2;
  if (lines.size() < 2) return lines;
  for (std::size_t narrower = width - 1; narrower >= narrowest; --narrower) {
    std::vector<std::string> evener = wrap_words(text, narrower, hanging, false);
    if (evener.size() > lines.size()) break;
    lines = std::move(evener);
  }
  return lines;
}

std::string render_grid(const Grid& grid, const TextOptions& options) {
  const std::size_t taken = 3 * grid.header.size() + 1;
  const std::size_t available = options.width > taken ? options.width - taken : 0;
  const std::vector<std::size_t> widths = share_width(wanted_widths(grid), available);

  std::vector<StyledCell> header;
  for (const std::string& name : grid.header) {
    header.push_back({{TextStyle::heading, name}});
  }
  std::string text = horizontal(widths, "┌", "┬", "┐", options);
  text += render_row(header, widths, options);
  text += horizontal(widths, "├", "┼", "┤", options);
  for (const std::vector<StyledCell>& row : grid.rows) text += render_row(row, widths, options);
  return text + horizontal(widths, "└", "┴", "┘", options);
}

namespace {

constexpr std::size_t kBetween = 2;  // blanks between columns without a frame
constexpr std::size_t kBelow = 5;    // blanks before what stands below a row

std::string list_line(const std::vector<StyledCell>& cells, const std::vector<std::size_t>& widths,
                      std::size_t line, const TextOptions& options) {
  std::string text;
  std::size_t pending = 0;  // blanks that only what follows makes visible
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const StyledLine content = line < cells[i].size() ? cells[i][line] : StyledLine{};
    if (!content.text.empty()) {
      text += std::string(pending, ' ') + paint(content.text, content.style, options);
      pending = 0;
    }
    pending += widths[i] - std::min(widths[i], display_width(content.text)) + kBetween;
  }
  return text + "\n";
}

std::string list_row(const std::vector<std::string>& texts, TextStyle style,
                     const std::vector<std::size_t>& widths, const TextOptions& options) {
  std::vector<StyledCell> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    cells.push_back(wrap_cell({{style, texts[i]}}, widths[i]));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    text += list_line(cells, widths, line, options);
  }
  return text;
}

std::string below_row(const std::vector<std::string>& texts, const TextOptions& options) {
  std::string text;
  std::size_t used = 0;
  for (const std::string& one : texts) {
    const std::size_t width = display_width(one);
    const bool fits = used > 0 && used + kBetween + width <= options.width;
    if (used > 0 && !fits) text += "\n";
    text += std::string(fits ? kBetween : kBelow, ' ') + one;
    used = fits ? used + kBetween + width : kBelow + width;
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string render_list_table(const ListTable& table, const TextOptions& options) {
  Grid grid{.header = table.header, .rows = {}};
  for (const ListTable::Row& row : table.rows) {
    std::vector<StyledCell>& cells = grid.rows.emplace_back();
    for (const std::string& cell : row.cells) cells.push_back({{TextStyle::plain, cell}});
  }
  const std::size_t taken = kBetween * (table.header.size() - 1);
  const std::size_t available = options.width > taken ? options.width - taken : 0;
  const std::vector<std::size_t> widths = share_width(wanted_widths(grid), available);
  std::string text = list_row(table.header, TextStyle::heading, widths, options);
  for (const ListTable::Row& row : table.rows) {
    text += list_row(row.cells, TextStyle::plain, widths, options);
    text += below_row(row.below, options);
  }
  return text;
}

}  // namespace heddle
