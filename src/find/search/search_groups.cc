#include "find/search/search_groups.h"

#include <utility>

namespace heddle::find {

std::vector<std::vector<std::size_t>> groups_up_to(std::size_t most, std::size_t count) {
  std::vector<std::vector<std::size_t>> all;
  std::vector<std::vector<std::size_t>> groups = {{}};
  for (std::size_t size = 1; size <= most; ++size) {
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& group : groups) {
      for (std::size_t i = group.empty() ? 0 : group.back(); i < count; ++i) {
        longer.push_back(group);
        longer.back().push_back(i);
      }
    }
    groups = std::move(longer);
    if (size >= 2) all.insert(all.end(), groups.begin(), groups.end());
  }
  return all;
}

}  // namespace heddle::find
