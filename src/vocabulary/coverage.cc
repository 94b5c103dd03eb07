// How much of a program was read, in numbers, and what a user leaves out by name.
#include "heddle/coverage.h"

#include <algorithm>
#include <iterator>

namespace heddle {

namespace {

template <class Count>
std::size_t sum(const Coverage& coverage, Count count) {
  std::size_t total = 0;
  for (const UnreadUse& use : coverage.unread) total += count(use);
  return total;
}

}  // namespace

std::size_t count_unread(const Coverage& coverage) {
  return sum(coverage, [](const UnreadUse& use) { return use.places.size(); });
}

std::size_t count_excluded(const Coverage& coverage) {
  return sum(coverage, [](const UnreadUse& use) { return use.excluded.size(); });
}

bool is_complete(const Coverage& coverage) { return count_unread(coverage) == 0; }

bool is_exact(const Coverage& coverage) {
  const auto all_exact = [](const ReadCounts& counts) {
    return counts.approximately == 0 && counts.not_at_all == 0;
  };
  return is_complete(coverage) && all_exact(coverage.functionalities) &&
         all_exact(coverage.statements);
}

void exclude_places(Coverage& coverage,
                    const std::function<bool(const std::string& file)>& is_excluded) {
  for (UnreadUse& use : coverage.unread) {
    const auto middle =
        std::stable_partition(use.places.begin(), use.places.end(),
                              [&](const UnreadPlace& place) { return !is_excluded(place.file); });
    use.excluded.insert(use.excluded.end(), std::make_move_iterator(middle),
                        std::make_move_iterator(use.places.end()));
    use.places.erase(middle, use.places.end());
  }
}

}  // namespace heddle
