// Where the boxes of a graph go, and the lines between them and their labels.
//
// The boxes stand around a circle and touch it from outside, those of a group next to each other.
// All lines are inside, so that none crosses a box; those between neighbours bend to the middle. A
// label lies on its line, where it hides as little as possible of others. The circle grows until
// boxes and labels have their room.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle {

struct Point {
  double x = 0;
  double y = 0;
};

struct Area {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
  Point middle() const { return {left + width / 2, top + height / 2}; }
};

// Whether less than `gap` is between them, both across and down.
bool overlap(const Area& a, const Area& b, double gap = 0);

struct RingBox {
  int width = 0;
  int height = 0;
  std::size_t group = 0;  // groups are next to each other
};

struct RingLine {
  std::size_t from = 0;  // into the boxes
  std::size_t to = 0;
  int label_width = 0;
  int label_height = 0;
};

// A quadratic curve.
struct Curve {
  Point from;
  Point bend;
  Point to;

  Point at(double t) const;
};

// The middle of the circle is the origin.
struct RingLayout {
  double radius = 0;
  std::vector<Area> boxes;
  std::vector<Curve> lines;
  std::vector<Area> labels;  // of the lines
};

RingLayout lay_out_ring(const std::vector<RingBox>& boxes, const std::vector<RingLine>& lines);

}  // namespace heddle
