#include "find/repair/hitting_set.h"

#include <algorithm>
#include <optional>

namespace heddle::find {

namespace {

constexpr std::size_t kMostNodes = 200'000;

class HittingSearch {
 public:
  HittingSearch(const std::vector<std::vector<std::size_t>>& sets,
                const std::vector<std::size_t>& costs)
      : sets_(sets), costs_(costs), excluded_(costs.size(), false) {}

  HittingSet run() {
    extend(0);
    HittingSet found{.elements = best_.value_or(std::vector<std::size_t>{}),
                     .is_cheapest = nodes_ <= kMostNodes};
    std::ranges::sort(found.elements);
    return found;
  }

 private:
  bool is_hit(const std::vector<std::size_t>& set) const {
    return std::ranges::any_of(
        chosen_, [&](std::size_t element) { return std::ranges::find(set, element) != set.end(); });
  }

  // What may still be chosen of the set, the cheapest first.
  std::vector<std::size_t> open_elements(const std::vector<std::size_t>& set) const {
    std::vector<std::size_t> open;
    for (const std::size_t element : set) {
      if (!excluded_[element]) open.push_back(element);
    }
    std::ranges::stable_sort(open, {}, [&](std::size_t element) { return costs_[element]; });
    return open;
  }

  // Sets that are not hit and have nothing in common are hit by one element each.
  std::size_t least_further_cost() const {
    std::size_t cost = 0;
    std::vector<bool> used(costs_.size(), false);
    for (const std::vector<std::size_t>& set : sets_) {
      if (is_hit(set)) continue;
      if (std::ranges::any_of(set, [&](std::size_t element) { return used[element]; })) continue;
      std::optional<std::size_t> least;
      for (const std::size_t element : set) {
        used[element] = true;
        if (!excluded_[element]) least = std::min(least.value_or(costs_[element]), costs_[element]);
      }
      cost += least.value_or(0);
    }
    return cost;
  }

  void extend(std::size_t cost) {
    // The first way down is always walked to its end, so that there is an answer.
    if (best_ && (++nodes_ > kMostNodes || cost + least_further_cost() >= best_cost_)) return;
    const std::vector<std::size_t>* narrowest = nullptr;
    std::vector<std::size_t> open;
    for (const std::vector<std::size_t>& set : sets_) {
      if (is_hit(set)) continue;
      const std::vector<std::size_t> own = open_elements(set);
      if (narrowest == nullptr || own.size() < open.size()) {
        narrowest = &set;
        open = own;
      }
    }
    if (narrowest == nullptr) {
      best_ = chosen_;
      best_cost_ = cost;
      return;
    }
    for (const std::size_t element : open) {
      chosen_.push_back(element);
      extend(cost + costs_[element]);
      chosen_.pop_back();
      excluded_[element] = true;
    }
    for (const std::size_t element : open) excluded_[element] = false;
  }

  const std::vector<std::vector<std::size_t>>& sets_;
  const std::vector<std::size_t>& costs_;
  std::vector<bool> excluded_;  // looked at in another branch already
  std::vector<std::size_t> chosen_;
  std::optional<std::vector<std::size_t>> best_;
  std::size_t best_cost_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace

HittingSet hitting_set(const std::vector<std::vector<std::size_t>>& sets,
                       const std::vector<std::size_t>& costs) {
  return HittingSearch(sets, costs).run();
}

}  // namespace heddle::find
