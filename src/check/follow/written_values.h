// Which values were written to which keys by transactions that are forgotten. Numbers that follow
// on each other take no more room than one.
#pragma once

#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_map>

#include "heddle/recorded_history.h"

namespace heddle {

class WrittenValues {
 public:
  void add(Value key, Value value) {
    std::map<std::int64_t, std::int64_t>& ranges = ranges_[key.code];
    auto after = ranges.upper_bound(value.code);
    if (after != ranges.begin()) {
      const auto before = std::prev(after);
      if (value.code <= before->second) return;
      if (before->second + 1 == value.code) {
        before->second = value.code;
        if (after != ranges.end() && after->first == value.code + 1) {
          before->second = after->second;
          ranges.erase(after);
        }
        return;
      }
    }
    std::int64_t last = value.code;
    if (after != ranges.end() && value.code != kLargest && after->first == value.code + 1) {
      last = after->second;
      ranges.erase(after);
    }
    ranges.emplace(value.code, last);
  }

  bool contains(Value key, Value value) const {
    const auto ranges = ranges_.find(key.code);
    if (ranges == ranges_.end()) return false;
    auto after = ranges->second.upper_bound(value.code);
    return after != ranges->second.begin() && value.code <= std::prev(after)->second;
  }

 private:
  static constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

  // First and last; they neither overlap nor touch.
  std::unordered_map<std::int64_t, std::map<std::int64_t, std::int64_t>> ranges_;
};

}  // namespace heddle
