#include "report/diagram/arrow_routes.h"

namespace heddle {

namespace {

std::size_t count_at(const std::map<std::size_t, std::size_t>& counts, std::size_t key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

ArrowRoutes::ArrowRoutes(const std::vector<CellArrow>& arrows) {
  for (const CellArrow& arrow : arrows) routes_.push_back(route(arrow));
}

ArrowRoute ArrowRoutes::route(const CellArrow& arrow) {
  const std::size_t from = arrow.from.column;
  const std::size_t to = arrow.to.column;
  ArrowRoute route;
  route.from_right = from <= to;
  route.to_right = from >= to;
  route.first_gutter = route.from_right ? from + 1 : from;
  route.last_gutter = route.to_right ? to + 1 : to;
  route.first_track = tracks_[route.first_gutter]++;
  route.last_track = route.first_track;
  if (!route.stays_in_gutter()) {
    route.last_track = tracks_[route.last_gutter]++;
    route.gap = arrow.from.row < arrow.to.row ? arrow.to.row : arrow.to.row + 1;
    route.lane = lanes_[route.gap]++;
  }
  route.from_port = take_port(arrow.from, route.from_right);
  route.to_port = take_port(arrow.to, route.to_right);
  return route;
}

std::size_t ArrowRoutes::take_port(CellPlace box, bool right) {
  return ports_[{box.row, box.column, right}]++;
}

std::size_t ArrowRoutes::tracks_in(std::size_t gutter) const { return count_at(tracks_, gutter); }

std::size_t ArrowRoutes::lanes_in(std::size_t gap) const { return count_at(lanes_, gap); }

std::size_t ArrowRoutes::ports_at(CellPlace box, bool right) const {
  const auto found = ports_.find({box.row, box.column, right});
  return found == ports_.end() ? 0 : found->second;
}

}  // namespace heddle
