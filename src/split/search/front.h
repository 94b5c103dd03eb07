// Cuts of which no other is better in every way.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <vector>

#include "split/search/partition.h"

namespace heddle::chopping {

// What cuts are weighed by. More services are better, and fewer cores and calls.
struct Weight {
  std::size_t services = 0;
  std::size_t cores = 0;
  std::size_t calls = 0;

  friend auto operator<=>(const Weight&, const Weight&) = default;
};

// Whether the one is at least as good in everything, and better in something.
bool dominates(const Weight& better, const Weight& worse);

// Of each weight that no other one dominates, its least partition.
std::map<Weight, Partition> front_of(const std::map<Partition, Weight>& weights);

}  // namespace heddle::chopping
