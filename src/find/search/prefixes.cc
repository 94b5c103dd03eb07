#include "find/search/prefixes.h"

#include <algorithm>
#include <utility>

namespace heddle::find {

std::vector<std::vector<std::size_t>> prefixes_of(const SearchInput& input,
                                                  const std::vector<std::size_t>& members,
                                                  std::size_t length) {
  std::vector<std::vector<std::size_t>> sequences = {{}};
  for (std::size_t calls = 0; calls < length; ++calls) {
    std::vector<std::vector<std::size_t>> longer;
    for (const std::vector<std::size_t>& behind : sequences) {
      for (std::size_t call = 0; call < input.prepared.size(); ++call) {
        if (is_session(input, call)) continue;
        const auto may_leave = [&](std::size_t other) {
          return input.conflicts->may_conflict(call, other);
        };
        if (std::ranges::none_of(members, may_leave) && std::ranges::none_of(behind, may_leave)) {
          continue;
        }
        longer.push_back({call});
        longer.back().insert(longer.back().end(), behind.begin(), behind.end());
      }
    }
    sequences = std::move(longer);
  }
  std::ranges::sort(sequences);
  return sequences;
}

}  // namespace heddle::find
