#include "report/split/ring_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

namespace heddle {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kTurn = 2 * kPi;
constexpr double kAngleStep = kTurn / 720;
constexpr double kBoxGap = 12;
constexpr double kGroupGap = 32;
constexpr double kLabelGap = 3;
constexpr double kSmallestRadius = 110;
constexpr double kGrowth = 1.06;
// How far lines bend to the middle, of the way from the circle there.
constexpr double kBend = 0.45;
// How far lines begin under their boxes.
constexpr double kUnder = 8;
constexpr double kCell = 8;

double distance(const Area& area) {
  const double x = std::max({area.left, -area.right(), 0.0});
  const double y = std::max({area.top, -area.bottom(), 0.0});
  return std::hypot(x, y);
}

Area area_around(const Point& middle, double width, double height) {
  return {middle.x - width / 2, middle.y - height / 2, width, height};
}

// On whole pixels. Halves go up even when computing made them a bit less, so that every machine
// draws the same.
Area on_pixels(const Area& area) {
  constexpr double kHalf = 0.5001;
  return {std::floor(area.left + kHalf), std::floor(area.top + kHalf), area.width, area.height};
}

// The box in this direction, as near as the circle lets it.
Area touching(const RingBox& box, double angle, double radius) {
  const auto at = [&](double way) {
    return area_around({way * std::cos(angle), way * std::sin(angle)}, box.width, box.height);
  };
  double inside = 0;
  double outside = radius + box.width + box.height;
  constexpr int kHalvings = 30;
  for (int i = 0; i < kHalvings; ++i) {
    const double way = (inside + outside) / 2;
    (distance(at(way)) < radius ? inside : outside) = way;
  }
  return on_pixels(at(outside));
}

double gap_between(const RingBox& a, const RingBox& b) {
  return a.group == b.group ? kBoxGap : kGroupGap;
}

// The boxes one after the other around the circle; none: it is too small for them.
std::optional<std::vector<Area>> place_boxes(const std::vector<RingBox>& boxes, double radius) {
  const double first = boxes.size() == 2 ? -kPi : -kPi / 2;
  std::vector<double> angles = {first};
  for (std::size_t i = 0; i < boxes.size() && boxes.size() > 1; ++i) {
    const RingBox& next = boxes[(i + 1) % boxes.size()];
    const Area before = touching(boxes[i], angles.back(), radius);
    double angle = angles.back() + kAngleStep;
    while (angle < first + kTurn &&
           overlap(before, touching(next, angle, radius), gap_between(boxes[i], next))) {
      angle += kAngleStep;
    }
    angles.push_back(angle);
  }
  const double left = first + kTurn - angles.back();
  if (boxes.size() > 1 && left < -kAngleStep / 2) return std::nullopt;
  std::vector<Area> areas;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const double share = left * static_cast<double>(i) / static_cast<double>(boxes.size());
    areas.push_back(touching(boxes[i], angles[i] + (boxes.size() > 1 ? share : 0), radius));
    for (std::size_t j = 0; j < i; ++j) {
      if (overlap(areas[i], areas[j], gap_between(boxes[i], boxes[j]))) return std::nullopt;
    }
  }
  return areas;
}

// Where lines leave the box: at its point next to the middle, a bit under it.
Point port_of(const Area& box) {
  const Point nearest = {std::clamp(0.0, box.left, box.right()),
                         std::clamp(0.0, box.top, box.bottom())};
  const Point middle = box.middle();
  const double way = std::hypot(middle.x - nearest.x, middle.y - nearest.y);
  const double part = way == 0 ? 0 : std::min(1.0, kUnder / way);
  return {nearest.x + part * (middle.x - nearest.x), nearest.y + part * (middle.y - nearest.y)};
}

Curve curve_between(const Area& from, const Area& to) {
  const Point start = port_of(from);
  const Point end = port_of(to);
  const double scale = (1 - kBend) / 2;
  return {start, {(start.x + end.x) * scale, (start.y + end.y) * scale}, end};
}

// Which lines go through each small square.
class LineMap {
 public:
  explicit LineMap(const std::vector<Curve>& curves) {
    for (std::size_t i = 0; i < curves.size(); ++i) {
      const Curve& curve = curves[i];
      const double length = std::hypot(curve.to.x - curve.from.x, curve.to.y - curve.from.y);
      const int steps = static_cast<int>(2 * length / kCell) + 8;
      for (int step = 0; step <= steps; ++step) {
        std::vector<std::size_t>& lines =
            lines_[cell_of(curve.at(static_cast<double>(step) / steps))];
        if (lines.empty() || lines.back() != i) lines.push_back(i);
      }
    }
  }

  // How much of other lines than `own`.
  std::size_t hidden_by(const Area& area, std::size_t own) const {
    const Cell first = cell_of({area.left, area.top});
    const Cell last = cell_of({area.right(), area.bottom()});
    std::size_t hidden = 0;
    for (int x = first.first; x <= last.first; ++x) {
      const auto end = lines_.upper_bound({x, last.second});
      for (auto at = lines_.lower_bound({x, first.second}); at != end; ++at) {
        hidden += at->second.size() - static_cast<std::size_t>(std::ranges::count(at->second, own));
      }
    }
    return hidden;
  }

 private:
  using Cell = std::pair<int, int>;
  static Cell cell_of(const Point& point) {
    return {static_cast<int>(std::floor(point.x / kCell)),
            static_cast<int>(std::floor(point.y / kCell))};
  }
  std::map<Cell, std::vector<std::size_t>> lines_;
};

class LabelPlacer {
 public:
  LabelPlacer(const std::vector<Area>& boxes, const std::vector<Curve>& curves)
      : boxes_(boxes), curves_(curves), map_(curves) {}

  // None: there is no room on the circle's lines.
  std::optional<std::vector<Area>> place(const std::vector<RingLine>& lines) {
    std::vector<Area> taken;
    std::vector<Area> labels(lines.size());
    for (const std::size_t i : shortest_first()) {
      const std::optional<Area> label = best_on(i, lines[i], taken);
      if (!label) return std::nullopt;
      taken.push_back(*label);
      labels[i] = *label;
    }
    return labels;
  }

 private:
  // Those have the least choice.
  std::vector<std::size_t> shortest_first() const {
    std::vector<std::size_t> order(curves_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return std::lround(
          std::hypot(curves_[i].to.x - curves_[i].from.x, curves_[i].to.y - curves_[i].from.y));
    });
    return order;
  }

  std::optional<Area> best_on(std::size_t number, const RingLine& line,
                              const std::vector<Area>& labels) const {
    std::optional<Area> best;
    double least = 0;
    constexpr int kPlaces = 24;
    for (int i = 0; i <= kPlaces; ++i) {
      const double t = 0.14 + 0.72 * i / kPlaces;
      const Area label =
          on_pixels(area_around(curves_[number].at(t), line.label_width, line.label_height));
      const auto is_taken = [&](const Area& other) { return overlap(label, other, kLabelGap); };
      if (std::ranges::any_of(boxes_, is_taken) || std::ranges::any_of(labels, is_taken)) continue;
      const double cost =
          static_cast<double>(map_.hidden_by(label, number)) + 6 * std::abs(t - 0.5);
      if (best && cost >= least) continue;
      best = label;
      least = cost;
    }
    return best;
  }

  const std::vector<Area>& boxes_;
  const std::vector<Curve>& curves_;
  LineMap map_;
};

}  // namespace

bool overlap(const Area& a, const Area& b, double gap) {
  return a.left < b.right() + gap && b.left < a.right() + gap && a.top < b.bottom() + gap &&
         b.top < a.bottom() + gap;
}

Point Curve::at(double t) const {
  const auto mix = [t](double a, double b, double c) {
    return (1 - t) * (1 - t) * a + 2 * t * (1 - t) * b + t * t * c;
  };
  return {mix(from.x, bend.x, to.x), mix(from.y, bend.y, to.y)};
}

RingLayout lay_out_ring(const std::vector<RingBox>& boxes, const std::vector<RingLine>& lines) {
  if (boxes.empty()) return {};
  for (double radius = kSmallestRadius;; radius *= kGrowth) {
    const std::optional<std::vector<Area>> areas = place_boxes(boxes, radius);
    if (!areas) continue;
    RingLayout layout{.radius = radius, .boxes = *areas, .lines = {}, .labels = {}};
    for (const RingLine& line : lines) {
      layout.lines.push_back(curve_between(layout.boxes[line.from], layout.boxes[line.to]));
    }
    const auto labels = LabelPlacer(layout.boxes, layout.lines).place(lines);
    if (!labels) continue;
    layout.labels = *labels;
    return layout;
  }
}

}  // namespace heddle
