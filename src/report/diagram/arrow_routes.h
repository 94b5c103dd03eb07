// Arrows between the boxes of a table that cross no box: they run in the gutters beside the columns
// and in the gaps between the rows.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace heddle {

struct CellPlace {
  std::size_t row = 0;
  std::size_t column = 0;
};

struct CellArrow {
  CellPlace from;
  CellPlace to;  // another row
};

// How an arrow runs: sideways out of its box into a gutter, along a track of it, in the gap beside
// the last row along to the gutter of the other box where that is another one, and into the box.
// Gutter i is left of column i, gap i above row i.
struct ArrowRoute {
  std::size_t first_gutter = 0;
  std::size_t first_track = 0;
  std::size_t last_gutter = 0;
  std::size_t last_track = 0;
  std::size_t gap = 0;
  std::size_t lane = 0;
  bool from_right = false;  // leaves its box to the right
  bool to_right = false;    // enters its box from the right
  std::size_t from_port = 0;
  std::size_t to_port = 0;

  bool stays_in_gutter() const { return first_gutter == last_gutter; }
};

// Routes for all arrows, and how much room they take.
class ArrowRoutes {
 public:
  explicit ArrowRoutes(const std::vector<CellArrow>& arrows);

  const std::vector<ArrowRoute>& routes() const { return routes_; }
  std::size_t tracks_in(std::size_t gutter) const;
  std::size_t lanes_in(std::size_t gap) const;
  // How many arrows begin or end at this side of the box.
  std::size_t ports_at(CellPlace box, bool right) const;

 private:
  ArrowRoute route(const CellArrow& arrow);
  std::size_t take_port(CellPlace box, bool right);

  std::vector<ArrowRoute> routes_;
  std::map<std::size_t, std::size_t> tracks_;
  std::map<std::size_t, std::size_t> lanes_;
  std::map<std::tuple<std::size_t, std::size_t, bool>, std::size_t> ports_;
};

}  // namespace heddle
