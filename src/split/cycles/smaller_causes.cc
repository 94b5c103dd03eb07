#include "split/cycles/smaller_causes.h"

#include <algorithm>

#include "find/search/containment.h"
#include "split/cycles/cycle_key.h"

namespace heddle::chopping {

void SmallerCauses::add(const std::vector<FoundCycle>& cycles) {
  const auto origin = [&](std::size_t functionality, std::size_t statement) {
    return chopped_.origins[functionality][statement];
  };
  for (const FoundCycle& cycle : cycles) {
    if (uncut_.contains(cycle_key(cycle, origin))) continue;
    Parts parts = parts_.of(cycle);
    // A cycle outside of all sub-transactions would be in everything.
    if (parts.empty() || parts.front().empty()) continue;
    const SplitPart first = parts.front().front();
    causes_[first].insert(std::move(parts));
  }
}

bool SmallerCauses::is_extension(const find::Skeleton& skeleton,
                                 const std::vector<std::size_t>& members) const {
  const Parts parts = parts_.of(skeleton, members);
  return std::ranges::any_of(parts, [&](const std::vector<SplitPart>& of) {
    return std::ranges::any_of(of, [&](const SplitPart& first) {
      const auto near = causes_.find(first);
      return near != causes_.end() && std::ranges::any_of(near->second, [&](const Parts& cause) {
               return find::contains(parts, cause);
             });
    });
  });
}

}  // namespace heddle::chopping
