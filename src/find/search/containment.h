// Whether sets are parts of others, each of another one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace heddle::find {

// `outer` and `inner`: ranges of sorted ranges. `taken`: of the outer ones, those that are parts of
// nothing else any more; as many as there are.
template <class Sets>
bool contains(const Sets& outer, const Sets& inner, std::size_t at, std::vector<bool>& taken) {
  if (at == inner.size()) return true;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    if (taken[i] || !std::ranges::includes(outer[i], inner[at])) continue;
    taken[i] = true;
    if (contains(outer, inner, at + 1, taken)) return true;
    taken[i] = false;
  }
  return false;
}

// Whether each of the inner sets is part of one of the outer ones, each of another.
template <class Sets>
bool contains(const Sets& outer, const Sets& inner) {
  std::vector<bool> taken(outer.size());
  return contains(outer, inner, 0, taken);
}

}  // namespace heddle::find
