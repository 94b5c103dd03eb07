#include "find/search/search_groups.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace heddle::find {

namespace {

// Of so many transactions each two are neighbours in any cycle through all of them.
constexpr std::size_t kAllMeet = 3;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// Multisets of `size` out of `count`: (count + size - 1) over size, at most kMost.
std::uint64_t multisets(std::size_t size, std::size_t count) {
  std::uint64_t product = 1;
  for (std::size_t i = 0; i < size; ++i) {
    if (product > kMost / (count + i)) return kMost;
    product = product * (count + i) / (i + 1);
  }
  return count == 0 ? 0 : product;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > kMost - b ? kMost : a + b; }

// Counts the sets of members that all meet, by bits: many at a time.
class MeetingSets {
 public:
  explicit MeetingSets(const GroupSequence::Members& members) : members_(members) {
    const std::size_t count = members.order.size();
    for (std::size_t i = 0; i < count; ++i) meet_.push_back(bits_of(members.may_meet[i]));
    wanted_ = members.wanted.empty() ? Bits(meet_.empty() ? 0 : meet_[0].size(), kMost)
                                     : bits_of(members.wanted);
  }

  std::uint64_t count(std::size_t size, bool only_wanted) const {
    const std::size_t members = members_.order.size();
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < members; ++i) {
      all += count(size - 1, meet_[i], i, !only_wanted || has(wanted_, i));
    }
    return all;
  }

 private:
  using Bits = std::vector<std::uint64_t>;

  static Bits bits_of(const std::vector<bool>& all) {
    Bits bits((all.size() + 63) / 64);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i]) bits[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    return bits;
  }

  static bool has(const Bits& bits, std::size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }

  // Further members of `candidates`, none greater than `last`.
  std::uint64_t count(std::size_t more, const Bits& candidates, std::size_t last,
                      bool is_wanted) const {
    std::uint64_t all = 0;
    if (more == 1) {
      for (std::size_t word = 0; word <= last / 64; ++word) {
        std::uint64_t bits = candidates[word] & (is_wanted ? kMost : wanted_[word]);
        if (word == last / 64) bits &= kMost >> (63 - last % 64);
        all += static_cast<std::uint64_t>(std::popcount(bits));
      }
      return all;
    }
    for (std::size_t i = 0; i <= last; ++i) {
      if (!has(candidates, i)) continue;
      Bits both = candidates;
      for (std::size_t word = 0; word < both.size(); ++word) both[word] &= meet_[i][word];
      all += count(more - 1, both, i, is_wanted || has(wanted_, i));
    }
    return all;
  }

  const GroupSequence::Members& members_;
  std::vector<Bits> meet_;
  Bits wanted_;
};

}  // namespace

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

std::uint64_t count_groups(std::size_t most, std::size_t count) {
  std::uint64_t all = 0;
  for (std::size_t size = 2; size <= most; ++size) all = sum(all, multisets(size, count));
  return all;
}

GroupSequence::GroupSequence(std::size_t most, Members members)
    : most_(most), members_(std::move(members)) {
  const std::size_t count = members_.order.size();
  const auto unwanted = static_cast<std::size_t>(std::ranges::count(members_.wanted, false));
  for (std::size_t size = 2; size <= most_; ++size) {
    const bool only_wanted = size == most_ && unwanted > 0;
    if (size <= kAllMeet) {
      count_ = sum(count_, MeetingSets(members_).count(size, only_wanted));
    } else {
      count_ = sum(count_, multisets(size, count) - (only_wanted ? multisets(size, unwanted) : 0));
    }
  }
}

std::optional<std::vector<std::size_t>> GroupSequence::next() {
  do {
    if (!advance()) return std::nullopt;
  } while (ranks_.size() == most_ && !is_wanted());
  std::vector<std::size_t> members;
  for (const std::size_t rank : ranks_) members.push_back(members_.order[rank]);
  std::ranges::sort(members);
  return members;
}

// To the next set, of the next size where there are no more of this one.
bool GroupSequence::advance() {
  if (!ranks_.empty() && choose(ranks_.size() - 1, ranks_.back() + 1)) return true;
  for (std::size_t size = std::max<std::size_t>(2, ranks_.size() + 1); size <= most_; ++size) {
    ranks_.assign(size, 0);
    if (choose(0, 0)) return true;
  }
  return false;
}

// The members from `place` on, of which this one has at least rank `from`; where there is none, the
// next one of an earlier place.
bool GroupSequence::choose(std::size_t place, std::size_t from) {
  while (true) {
    const std::size_t end = place == 0 ? members_.order.size() : ranks_[place - 1] + 1;
    while (from < end && !is_admitted(place, from)) ++from;
    if (from < end) {
      ranks_[place] = from;
      if (++place == ranks_.size()) return true;
      from = 0;
    } else {
      if (place == 0) return false;
      from = ranks_[--place] + 1;
    }
  }
}

bool GroupSequence::is_admitted(std::size_t place, std::size_t rank) const {
  if (ranks_.size() > kAllMeet) return true;
  return std::all_of(ranks_.begin(), ranks_.begin() + static_cast<std::ptrdiff_t>(place),
                     [&](std::size_t other) { return meets(rank, other); });
}

bool GroupSequence::is_wanted() const {
  return members_.wanted.empty() || std::ranges::any_of(ranks_, [&](std::size_t rank) {
           return members_.wanted[members_.order[rank]];
         });
}

}  // namespace heddle::find
