// A topological order that follows edges as they come and go, and finds the cycle when there is
// none (Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", JEA
// 11, 2006). Edges are taken back in the opposite order of their coming; the order then stays as it
// is, for it still fits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle {

// Each edge carries a label, which the cycle names.
class DynamicOrder {
 public:
  // REQUIRES: `order` has each of the nodes 0 ... n-1 once.
  explicit DynamicOrder(std::span<const std::uint32_t> order);

  // False: the edge would close a cycle. It is not added then, and cycle() tells the labels of the
  // edges that lead from its head to its tail.
  bool add(std::uint32_t from, std::uint32_t to, std::uint32_t label);
  // Takes back the last edge added. REQUIRES: there is one.
  void pop();
  std::size_t edge_count() const { return trail_.size(); }

  const std::vector<std::uint32_t>& cycle() const { return cycle_; }
  std::uint32_t place(std::uint32_t node) const { return place_[node]; }

 private:
  struct Half {
    std::uint32_t node = 0;
    std::uint32_t label = 0;
  };

  bool reach_forward(std::uint32_t from, std::uint32_t target);
  void reach_backward(std::uint32_t from, std::uint32_t lowest);
  void reorder();

  std::vector<std::uint32_t> place_;
  std::vector<std::vector<Half>> out_;
  std::vector<std::vector<Half>> in_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> trail_;
  std::vector<std::uint32_t> cycle_;
  // Scratch of one addition.
  std::vector<std::uint32_t> forward_;
  std::vector<std::uint32_t> backward_;
  std::vector<Half> parent_;  // how forward search came to a node
  std::vector<std::uint8_t> seen_;
};

}  // namespace heddle
