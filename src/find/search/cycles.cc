#include "find/search/cycles.h"

#include <algorithm>
#include <numeric>

namespace heddle::find {

namespace {

class CycleEnumerator {
 public:
  CycleEnumerator(const CycleInput& input, const std::function<bool(const Skeleton&)>& see)
      : input_(input), see_(see), order_(input.instances) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  // The first transaction stays the first, so that no cycle comes twice by its rotations.
  void run() {
    do {
      chosen_.clear();
      if (!extend(0)) return;
    } while (std::next_permutation(order_.begin() + 1, order_.end()));
  }

 private:
  // How many operations the transaction between these edges has in the cycle, at least: one, if
  // what is entered is what is left.
  static std::size_t operations(const Conflict& in, const Conflict& out, bool& is_one) {
    is_one = in.to == out.from && in.to_part() == out.from_part();
    return is_one ? 1 : 2;
  }

  bool extend(std::size_t at) {
    if (at == order_.size()) return close();
    if (input_.is_late && input_.is_late()) return false;
    const std::size_t from = order_[at];
    const std::size_t to = order_[(at + 1) % order_.size()];
    for (const Conflict& conflict : *input_.conflicts[from][to]) {
      if (at > 0 && length_so_far(conflict, at) > input_.max_length) continue;
      chosen_.push_back({&conflict, from, to});
      const bool goes_on = extend(at + 1);
      chosen_.pop_back();
      if (!goes_on) return false;
    }
    return true;
  }

  // With at least one operation for each transaction that is still open.
  std::size_t length_so_far(const Conflict& next, std::size_t at) const {
    std::size_t length = order_.size() - at;
    bool is_one = false;
    for (std::size_t i = 0; i < at; ++i) {
      const Conflict& out = i + 1 < at ? *chosen_[i + 1].conflict : next;
      length += operations(*chosen_[i].conflict, out, is_one);
    }
    return length;
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
  std::vector<std::size_t> order_;
  std::vector<SkeletonEdge> chosen_;
};

}  // namespace

void enumerate_cycles(const CycleInput& input, const std::function<bool(const Skeleton&)>& see) {
  CycleEnumerator(input, see).run();
}

}  // namespace heddle::find
