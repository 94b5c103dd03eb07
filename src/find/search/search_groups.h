// The sets of functionalities that are searched, each on its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace heddle::find {

// All multisets of two to `most` of the numbers below `count`, the smaller first, sorted.
std::vector<std::vector<std::size_t>> groups_up_to(std::size_t most, std::size_t count);

// How many these are, at most the largest number there is.
std::uint64_t count_groups(std::size_t most, std::size_t count);

// Those of these multisets that a cycle may go through, one after the other: of a thousand
// functionalities all of them fill the memory.
//
// Up to three transactions of a cycle all depend on each other, so that only sets are given whose
// members may do so in pairs; more than three need not, and all are given. Smaller sets come before
// larger ones, and among sets of one size those first whose members stand early in the order:
// that of the first members counts last.
class GroupSequence {
 public:
  struct Members {
    // By member: whom it may stand in a cycle with.
    std::vector<std::vector<bool>> may_meet;
    // All members, each once; what is searched early stands first.
    std::vector<std::size_t> order;
    // By member; sets of the largest size have one of them. Empty: all may be.
    std::vector<bool> wanted;
  };

  GroupSequence(std::size_t most, Members members);

  // Sorted; none: there are no more.
  std::optional<std::vector<std::size_t>> next();
  // How many there are in all.
  std::uint64_t count() const { return count_; }
  // Of the largest sets.
  std::size_t most() const { return most_; }

 private:
  bool advance();
  bool choose(std::size_t place, std::size_t from);
  bool is_admitted(std::size_t place, std::size_t rank) const;
  bool is_wanted() const;
  bool meets(std::size_t rank, std::size_t other) const {
    return members_.may_meet[members_.order[rank]][members_.order[other]];
  }

  std::size_t most_;
  Members members_;
  std::vector<std::size_t> ranks_;  // of the current set, the greatest first; empty: none yet
  std::uint64_t count_ = 0;
};

}  // namespace heddle::find
