#include "check/levels/dynamic_order.h"

#include <algorithm>

#include "base/assert.h"

namespace heddle {

DynamicOrder::DynamicOrder(std::span<const std::uint32_t> order)
    : place_(order.size()),
      out_(order.size()),
      in_(order.size()),
      parent_(order.size()),
      seen_(order.size(), 0) {
  for (std::uint32_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
}

bool DynamicOrder::add(std::uint32_t from, std::uint32_t to, std::uint32_t label) {
  if (from == to) {
    cycle_.clear();
    return false;
  }
  if (place_[from] > place_[to]) {
    forward_.clear();
    backward_.clear();
    const bool closes = reach_forward(to, from);
    if (!closes) reach_backward(from, place_[to]);
    for (const std::uint32_t node : forward_) seen_[node] = 0;
    for (const std::uint32_t node : backward_) seen_[node] = 0;
    if (closes) return false;
    reorder();
  }
  out_[from].push_back({to, label});
  in_[to].push_back({from, label});
  trail_.emplace_back(from, to);
  return true;
}

void DynamicOrder::pop() {
  HEDDLE_ASSERT(!trail_.empty());
  const auto [from, to] = trail_.back();
  trail_.pop_back();
  out_[from].pop_back();
  in_[to].pop_back();
}

// Whether `target` is reached; then cycle_ has the labels of the path to it.
bool DynamicOrder::reach_forward(std::uint32_t from, std::uint32_t target) {
  forward_.push_back(from);
  seen_[from] = 1;
  for (std::size_t i = 0; i < forward_.size(); ++i) {
    const std::uint32_t node = forward_[i];
    for (const Half& half : out_[node]) {
      if (place_[half.node] > place_[target] || seen_[half.node] != 0) continue;
      seen_[half.node] = 1;
      forward_.push_back(half.node);
      parent_[half.node] = {node, half.label};
      if (half.node != target) continue;
      cycle_.clear();
      for (std::uint32_t at = target; at != from; at = parent_[at].node) {
        cycle_.push_back(parent_[at].label);
      }
      return true;
    }
  }
  return false;
}

void DynamicOrder::reach_backward(std::uint32_t from, std::uint32_t lowest) {
  backward_.push_back(from);
  seen_[from] = 1;
  for (std::size_t i = 0; i < backward_.size(); ++i) {
    for (const Half& half : in_[backward_[i]]) {
      if (place_[half.node] < lowest || seen_[half.node] != 0) continue;
      seen_[half.node] = 1;
      backward_.push_back(half.node);
    }
  }
}

// What leads to the tail goes in front of what the head leads to, on the places both had.
void DynamicOrder::reorder() {
  const auto by_place = [&](std::uint32_t a, std::uint32_t b) { return place_[a] < place_[b]; };
  std::ranges::sort(backward_, by_place);
  std::ranges::sort(forward_, by_place);
  backward_.insert(backward_.end(), forward_.begin(), forward_.end());
  std::vector<std::uint32_t> places;
  places.reserve(backward_.size());
  for (const std::uint32_t node : backward_) places.push_back(place_[node]);
  std::ranges::sort(places);
  for (std::size_t i = 0; i < places.size(); ++i) place_[backward_[i]] = places[i];
}

}  // namespace heddle
