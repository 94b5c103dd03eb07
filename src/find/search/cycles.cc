#include "find/search/cycles.h"

#include <algorithm>
#include <numeric>

namespace heddle::find {

namespace {

// Up to so many transactions all orders are gone through; of more, only those whose beginnings are
// cycles' beginnings.
constexpr std::size_t kFew = 4;

// How many operations the transaction between these edges has in the cycle, at least: one, if what
// is entered is what is left.
std::size_t operations(const Conflict& in, const Conflict& out, bool& is_one) {
  is_one = meet_in_one_operation(in, out);
  return is_one ? 1 : 2;
}

class CycleEnumerator {
 public:
  CycleEnumerator(const CycleInput& input, const std::function<bool(const Skeleton&)>& see)
      : input_(input), see_(see), order_(input.instances) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  // The first transaction stays the first, so that no cycle comes twice by its rotations.
  void run() {
    if (input_.instances > kFew) {
      is_used_.assign(input_.instances, false);
      order_.assign(1, 0);
      is_used_[0] = true;
      walk();
      return;
    }
    do {
      chosen_.clear();
      if (!extend(0)) return;
    } while (std::next_permutation(order_.begin() + 1, order_.end()));
  }

 private:
  bool extend(std::size_t at) {
    if (at == order_.size()) return close();
    const std::size_t to = order_[(at + 1) % order_.size()];
    return choose(order_[at], to, [&] { return extend(at + 1); });
  }

  // Where a path ends that no cycle begins with, no order of the other transactions is tried.
  bool walk() {
    if (order_.size() == input_.instances) {
      return choose(order_.back(), order_.front(), [&] { return close(); });
    }
    const std::size_t from = order_.back();
    for (std::size_t to = 1; to < input_.instances; ++to) {
      if (is_used_[to] || has_twin_before(to)) continue;
      is_used_[to] = true;
      const bool goes_on = choose(from, to, [&] {
        order_.push_back(to);
        const bool may_go_on = walk();
        order_.pop_back();
        return may_go_on;
      });
      is_used_[to] = false;
      if (!goes_on) return false;
    }
    return true;
  }

  // Whether another one of its kind, which is as good, is tried in its place.
  bool has_twin_before(std::size_t transaction) const {
    if (input_.kinds.empty()) return false;
    for (std::size_t other = 1; other < transaction; ++other) {
      if (!is_used_[other] && input_.kinds[other] == input_.kinds[transaction]) return true;
    }
    return false;
  }

  // Tries each conflict as the next dependency.
  template <class GoOn>
  bool choose(std::size_t from, std::size_t to, const GoOn& go_on) {
    if (input_.is_late && input_.is_late()) return false;
    for (const Conflict& conflict : *input_.conflicts[from][to]) {
      chosen_.push_back({&conflict, from, to});
      const bool is_short =
          chosen_.size() == 1 || least_length(chosen_, input_.instances) <= input_.max_length;
      const bool is_admitted = is_short && (!input_.admits_path || input_.admits_path(chosen_));
      const bool goes_on = !is_admitted || go_on();
      chosen_.pop_back();
      if (!goes_on) return false;
    }
    return true;
  }

  // One transaction at least has to be entered at another operation than it is left at, or by being
  // rolled back.
  bool close() {
    Skeleton skeleton{.edges = chosen_, .length = 0};
    bool has_two = false;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const SkeletonEdge& in = chosen_[i];
      const SkeletonEdge& out = chosen_[(i + 1) % chosen_.size()];
      bool is_one = false;
      skeleton.length += operations(*in.conflict, *out.conflict, is_one);
      const bool rolls_back = in.conflict->kind == DependencyKind::rw &&
                              in.to < input_.may_be_undone.size() && input_.may_be_undone[in.to];
      has_two = has_two || !is_one || rolls_back || (*input_.runs_again[in.to])[in.conflict->to];
    }
    if (!has_two || skeleton.length > input_.max_length) return true;
    return see_(skeleton);
  }

  const CycleInput& input_;
  const std::function<bool(const Skeleton&)>& see_;
  std::vector<std::size_t> order_;  // as far as it is known
  std::vector<bool> is_used_;       // by transaction: whether the path goes through it
  std::vector<SkeletonEdge> chosen_;
};

}  // namespace

std::size_t least_length(const std::vector<SkeletonEdge>& path, std::size_t instances) {
  std::size_t length = instances;
  bool is_one = false;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    length += operations(*path[i].conflict, *path[i + 1].conflict, is_one) - 1;
  }
  return length;
}

void enumerate_cycles(const CycleInput& input, const std::function<bool(const Skeleton&)>& see) {
  CycleEnumerator(input, see).run();
}

}  // namespace heddle::find
