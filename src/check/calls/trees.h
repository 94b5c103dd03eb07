// Two trees over the numbers below a fixed bound, as flat arrays.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace heddle {

// A key per number; finds one with a key below a bound.
class LeastKeyTree {
 public:
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

  explicit LeastKeyTree(const std::vector<std::uint32_t>& keys)
      : leaves_(std::bit_ceil(std::max<std::size_t>(keys.size(), 1))), keys_(2 * leaves_, kAbsent) {
    std::ranges::copy(keys, keys_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t node = leaves_; node-- > 1;) join(node);
  }

  void set(std::size_t number, std::uint32_t key) {
    std::size_t node = leaves_ + number;
    keys_[node] = key;
    while (node /= 2) join(node);
  }

  // Some number in [first, end) whose key is below the bound.
  std::optional<std::uint32_t> find_below(std::size_t first, std::size_t end,
                                          std::uint32_t bound) const {
    std::size_t left = first + leaves_;
    std::size_t right = end + leaves_;
    for (; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) {
        if (keys_[left] < bound) return descend(left, bound);
        ++left;
      }
      if (right % 2 == 1) {
        --right;
        if (keys_[right] < bound) return descend(right, bound);
      }
    }
    return std::nullopt;
  }

 private:
  void join(std::size_t node) { keys_[node] = std::min(keys_[2 * node], keys_[2 * node + 1]); }

  std::uint32_t descend(std::size_t node, std::uint32_t bound) const {
    while (node < leaves_) node = keys_[2 * node] < bound ? 2 * node : 2 * node + 1;
    return static_cast<std::uint32_t>(node - leaves_);
  }

  std::size_t leaves_;
  std::vector<std::uint32_t> keys_;
};

// How many intervals cover each place; finds the first place that none covers.
class CoverTree {
 public:
  // REQUIRES: the last of `covers` is 0.
  explicit CoverTree(const std::vector<std::uint32_t>& covers)
      : leaves_(std::bit_ceil(covers.size() + 1)), least_(2 * leaves_, 0), added_(2 * leaves_, 0) {
    for (std::size_t i = 0; i < covers.size(); ++i) {
      least_[leaves_ + i] = static_cast<std::int32_t>(covers[i]);
    }
    for (std::size_t node = leaves_; node-- > 1;) join(node);
  }

  // One cover less on [first, end).
  void uncover(std::size_t first, std::size_t end) {
    std::size_t left = first + leaves_;
    std::size_t right = end + leaves_;
    for (; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) add(left++);
      if (right % 2 == 1) add(--right);
    }
    rejoin(first + leaves_);
    rejoin(end - 1 + leaves_);
  }

  // REQUIRES: some place from `first` on is not covered.
  std::size_t first_uncovered(std::size_t first) const {
    std::size_t node = first + leaves_;
    std::int32_t above = 0;  // what was added to all nodes above
    for (std::size_t up = node / 2; up > 0; up /= 2) above += added_[up];
    while (least_[node] + above > 0) {
      // To the right neighbour of the largest subtree that ends here.
      while (node % 2 == 1) {
        node /= 2;
        above -= added_[node];
      }
      ++node;
    }
    while (node < leaves_) {
      above += added_[node];
      node *= 2;
      if (least_[node] + above > 0) ++node;
    }
    return node - leaves_;
  }

 private:
  // least_ of a node counts what was added to it, and not what was added above.
  void add(std::size_t node) {
    --least_[node];
    --added_[node];
  }
  void join(std::size_t node) {
    least_[node] = std::min(least_[2 * node], least_[2 * node + 1]) + added_[node];
  }
  void rejoin(std::size_t node) {
    while (node /= 2) join(node);
  }

  std::size_t leaves_;
  std::vector<std::int32_t> least_;
  std::vector<std::int32_t> added_;
};

}  // namespace heddle
