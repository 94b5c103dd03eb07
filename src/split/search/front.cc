#include "split/search/front.h"

#include <algorithm>

namespace heddle::chopping {

bool dominates(const Weight& better, const Weight& worse) {
  return better.services >= worse.services && better.cores <= worse.cores &&
         better.calls <= worse.calls && better != worse;
}

std::map<Weight, Partition> front_of(const std::map<Partition, Weight>& weights) {
  std::map<Weight, Partition> front;
  // Partitions come in their order, so that the first one of a weight is the least.
  for (const auto& [partition, weight] : weights) {
    const bool is_worse = front.contains(weight) || std::ranges::any_of(front, [&](const auto& in) {
                            return dominates(in.first, weight);
                          });
    if (is_worse) continue;
    std::erase_if(front, [&](const auto& in) { return dominates(weight, in.first); });
    front.emplace(weight, partition);
  }
  return front;
}

}  // namespace heddle::chopping
