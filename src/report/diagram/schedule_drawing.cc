// Boxes of text in a table whose columns and rows are as large as their content, with gutters and
// gaps as wide as the arrows in them need. Everything is measured before anything is drawn. Later
// things cover earlier ones: life lines, bars, boxes, arrows, and the badges on the arrows.

#include "report/diagram/schedule_drawing.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "base/text.h"
#include "report/diagram/arrow_routes.h"
#include "report/text/markup.h"
#include "report/text/svg_text.h"

namespace heddle {

namespace {

constexpr int kPadding = 8;
constexpr int kGutter = 22;
constexpr int kTrack = 46;
constexpr int kGap = 14;
constexpr int kLane = 10;
constexpr int kBarWidth = 14;
constexpr int kAxisWidth = 16;
constexpr int kNarrowestDrawnColumn = 110;
constexpr std::size_t kWidestLabel = 18;
constexpr std::size_t kWidestName = 30;
constexpr std::size_t kHangingLabel = 2;

// The more sessions, the narrower their columns.
std::size_t columns_of_text(std::size_t sessions) {
  return sessions <= 2 ? 46 : sessions == 3 ? 38 : sessions <= 5 ? 32 : 26;
}

std::string_view box_class(const DiagramRow& row, const StyledCell& cell) {
  if (row.setup) return "hd-box-setup";
  if (row.wrong) return "hd-box-wrong";
  for (const StyledLine& line : cell) {
    if (line.style == TextStyle::error) return "hd-box-error";
    if (line.style == TextStyle::stalled) return "hd-box-stalled";
  }
  return cell.empty() || cell[0].style != TextStyle::commit ? "hd-box" : "hd-box-commit";
}

struct Span {
  int begin = 0;
  int size = 0;

  int end() const { return begin + size; }
  int middle() const { return begin + size / 2; }
};

std::string rectangle(std::string_view css_class, Span across, Span down, int radius) {
  return fmt::format(
      "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>\n", css_class,
      across.begin, down.begin, across.size, down.size, radius);
}

class ScheduleDrawing {
 public:
  ScheduleDrawing(const Diagram& diagram, const std::vector<ShownDependency>& dependencies)
      : diagram_(diagram), arrows_(arrows_of(dependencies)), routes_(arrows_) {
    const std::size_t columns = columns_of_text(diagram.columns.size());
    for (const DiagramRow& row : diagram.rows) {
      std::vector<StyledCell> cells;
      for (const StyledCell& cell : row.cells) cells.push_back(wrap_cell(cell, columns));
      cells_.push_back(std::move(cells));
      labels_.push_back(wrap(row.label, kWidestLabel, kHangingLabel));
    }
    for (const std::string& name : diagram.columns) names_.push_back(wrap(name, kWidestName));
    place_columns();
    place_rows();
  }

  Drawing draw() {
    draw_lines();
    draw_heads();
    draw_bars();
    for (std::size_t i = 0; i < diagram_.rows.size(); ++i) draw_row(i);
    draw_arrows();
    return {width_, height_, std::move(markup_)};
  }

 private:
  bool has_box(std::size_t row, std::size_t column) const {
    const DiagramRow& shown = diagram_.rows[row];
    return shown.setup ? !shown.cells[column].empty() : shown.active == column;
  }

  // Notes their badges, too.
  std::vector<CellArrow> arrows_of(const std::vector<ShownDependency>& dependencies) {
    std::vector<CellArrow> arrows;
    for (const ShownDependency& dependency : dependencies) {
      if (!dependency.arrow) continue;
      const auto [from, to] = *dependency.arrow;
      arrows.push_back({{from, diagram_.rows[from].active}, {to, diagram_.rows[to].active}});
      badges_.push_back(dependency.label);
    }
    return arrows;
  }

  int gutter_width(std::size_t gutter) const {
    const int tracks = static_cast<int>(routes_.tracks_in(gutter));
    const bool outside = gutter == 0 || gutter == diagram_.columns.size();
    if (tracks == 0) return outside ? kGutter / 2 : kGutter;
    return kGutter + tracks * kTrack;
  }

  int gap_height(std::size_t gap) const {
    return kGap + static_cast<int>(routes_.lanes_in(gap)) * kLane;
  }

  void place_columns() {
    int label = text_width("time");
    for (const std::vector<std::string>& lines : labels_) {
      for (const std::string& line : lines) label = std::max(label, text_width(line));
    }
    int x = kAxisWidth + label;
    for (std::size_t i = 0; i < diagram_.columns.size(); ++i) {
      gutters_.push_back({x, gutter_width(i)});
      int width = kNarrowestDrawnColumn;
      for (const std::string& line : names_[i]) {
        width = std::max(width, text_width(line) + 2 * kPadding);
      }
      for (std::size_t row = 0; row < cells_.size(); ++row) {
        if (!has_box(row, i)) continue;
        for (const StyledLine& line : cells_[row][i]) {
          width = std::max(width, text_width(line.text) + 2 * kPadding);
        }
      }
      columns_.push_back({gutters_.back().end(), width});
      x = columns_.back().end();
    }
    gutters_.push_back({x, gutter_width(diagram_.columns.size())});
    width_ = gutters_.back().end();
  }

  static int height_of(std::size_t lines) {
    return static_cast<int>(lines) * kLineHeight + kPadding + kPadding / 2;
  }

  void place_rows() {
    std::size_t head = 1;
    for (const std::vector<std::string>& name : names_) head = std::max(head, name.size());
    head_ = {0, height_of(head)};
    int y = head_.end();
    for (std::size_t row = 0; row < cells_.size(); ++row) {
      gaps_.push_back({y, gap_height(row)});
      std::size_t lines = labels_[row].size();
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (has_box(row, i)) lines = std::max(lines, cells_[row][i].size());
      }
      rows_.push_back({gaps_.back().end(), height_of(lines)});
      y = rows_.back().end();
    }
    gaps_.push_back({y, gap_height(cells_.size())});
    height_ = gaps_.back().end();
  }

  void draw_lines() {
    const auto vertical = [&](int x, int top, int bottom, std::string_view css_class) {
      markup_ += fmt::format("<path class=\"{}\" d=\"M{} {}V{}\"/>\n", css_class, x, top, bottom);
    };
    for (const Span& column : columns_) vertical(column.middle(), head_.end(), height_, "hd-life");
    const int x = kAxisWidth / 2 - 3;
    vertical(x, head_.end(), height_ - 2, "hd-axis");
    markup_ += fmt::format("<path class=\"hd-axis\" d=\"M{} {}l4 6l4 -6\"/>\n", x - 4, height_ - 8);
    markup_ += svg_line(0, text_y(head_), "hd-faint", "time");
  }

  static int text_y(Span down) { return down.begin + kPadding + 11; }

  void draw_heads() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      markup_ += rectangle("hd-head", columns_[i], head_, 4);
      int y = text_y(head_);
      for (const std::string& line : names_[i]) {
        markup_ += svg_line(columns_[i].middle() - text_width(line) / 2, y, "hd-heading", line);
        y += kLineHeight;
      }
    }
  }

  // From the row in which a step was sent to the one in which it came back, or to the end.
  void draw_bars() {
    for (std::size_t row = 0; row < diagram_.rows.size(); ++row) {
      if (!diagram_.rows[row].waits) continue;
      int bottom = height_;
      for (std::size_t later = row + 1; later < diagram_.rows.size(); ++later) {
        const DiagramRow& other = diagram_.rows[later];
        if (!other.resumes || other.record != diagram_.rows[row].record) continue;
        bottom = rows_[later].begin;
        break;
      }
      const Span across = columns_[diagram_.rows[row].active];
      const Span bar{across.middle() - kBarWidth / 2, kBarWidth};
      const int top = rows_[row].end();
      markup_ += rectangle("hd-bar", bar, {top, bottom - top}, 0);
      draw_bar_text(row, bar.end() + 5, bottom);
    }
  }

  // Beside the bar, where a whole row lies between its ends.
  void draw_bar_text(std::size_t row, int x, int bottom) {
    if (row + 1 >= rows_.size() || rows_[row + 1].end() > bottom) return;
    if (rows_[row + 1].begin >= bottom) return;
    markup_ += svg_line(x, rows_[row + 1].middle() + 4, "hd-stalled",
                        diagram_.rows[row].held ? "held" : "waits");
  }

  void draw_row(std::size_t row) {
    int y = text_y(rows_[row]);
    for (const std::string& line : labels_[row]) {
      markup_ += svg_line(kAxisWidth, y, "hd-heading", line);
      y += kLineHeight;
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (has_box(row, i)) draw_box(row, i);
    }
  }

  void draw_box(std::size_t row, std::size_t column) {
    const StyledCell& cell = cells_[row][column];
    markup_ += rectangle(box_class(diagram_.rows[row], cell), columns_[column], rows_[row], 4);
    int y = text_y(rows_[row]);
    for (const StyledLine& line : cell) {
      markup_ +=
          svg_line(columns_[column].begin + kPadding, y, css_class_of(line.style), line.text);
      y += kLineHeight;
    }
  }

  int port_y(CellPlace box, bool right, std::size_t port) const {
    const Span down = rows_[box.row];
    const auto parts = static_cast<int>(routes_.ports_at(box, right)) + 1;
    return down.begin + down.size * (static_cast<int>(port) + 1) / parts;
  }

  int side_x(CellPlace box, bool right) const {
    return right ? columns_[box.column].end() : columns_[box.column].begin;
  }

  int track_x(std::size_t gutter, std::size_t track) const {
    return gutters_[gutter].begin + kGutter / 2 + kTrack / 2 + static_cast<int>(track) * kTrack;
  }

  int lane_y(std::size_t gap, std::size_t lane) const {
    return gaps_[gap].begin + kGap / 2 + kLane / 2 + static_cast<int>(lane) * kLane;
  }

  void draw_arrows() {
    std::string badges;
    for (std::size_t i = 0; i < arrows_.size(); ++i) {
      badges += draw_arrow(arrows_[i], routes_.routes()[i], badges_[i]);
    }
    markup_ += badges;
  }

  // Draws the arrow; its badge is drawn when all arrows are.
  std::string draw_arrow(const CellArrow& arrow, const ArrowRoute& route,
                         const std::string& badge) {
    const int from_y = port_y(arrow.from, route.from_right, route.from_port);
    const int to_y = port_y(arrow.to, route.to_right, route.to_port);
    const int to_x = side_x(arrow.to, route.to_right);
    const int first_x = track_x(route.first_gutter, route.first_track);
    const int turn_y = route.stays_in_gutter() ? to_y : lane_y(route.gap, route.lane);
    std::string path =
        fmt::format("M{} {}H{}V{}", side_x(arrow.from, route.from_right), from_y, first_x, turn_y);
    if (!route.stays_in_gutter()) {
      path += fmt::format("H{}V{}", track_x(route.last_gutter, route.last_track), to_y);
    }
    const int tip = route.to_right ? 8 : -8;
    path += fmt::format("H{}", to_x + tip);
    markup_ += fmt::format("<path class=\"hd-arrow\" d=\"{}\"/>\n", path);
    markup_ += fmt::format("<path class=\"hd-tip\" d=\"M{} {}l{} -5v10z\"/>\n", to_x, to_y,
                           tip + (tip > 0 ? 1 : -1));
    const int width = badge_width(badge);
    const int y = (from_y + turn_y) / 2;
    return rectangle("hd-badge", {first_x - width / 2, width}, {y - 9, 18}, 9) +
           svg_badge_text(first_x, y + 4, badge);
  }

  const Diagram& diagram_;
  std::vector<std::string> badges_;  // of the arrows
  std::vector<CellArrow> arrows_;
  ArrowRoutes routes_;
  std::vector<std::vector<StyledCell>> cells_;  // wrapped
  std::vector<std::vector<std::string>> labels_;
  std::vector<std::vector<std::string>> names_;
  std::vector<Span> gutters_;  // left of each column and right of the last
  std::vector<Span> columns_;
  Span head_;
  std::vector<Span> gaps_;  // above each row and below the last
  std::vector<Span> rows_;
  int width_ = 0;
  int height_ = 0;
  std::string markup_;
};

}  // namespace

Drawing draw_schedule(const Diagram& diagram, const std::vector<ShownDependency>& dependencies) {
  return ScheduleDrawing(diagram, dependencies).draw();
}

}  // namespace heddle
