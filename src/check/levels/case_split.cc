#include "check/levels/case_split.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "check/levels/cycle_reasons.h"
#include "check/levels/saturation.h"

namespace heddle {

namespace {

constexpr std::size_t kMostCases = 6;
constexpr std::size_t kMostTried = 200;  // pairs, at each split
// Of all saturations together.
constexpr std::uint64_t kStepsOfCases = 2'000'000;

class CaseSplit {
 public:
  CaseSplit(const Observation& observation, const LevelShape& shape)
      : observation_(observation), shape_(shape) {}

  std::vector<OrderCase> run() {
    if (!split()) cases_.clear();
    return std::move(cases_);
  }

 private:
  // False: too many cases, or they take too long.
  bool split() {
    Saturation saturation(observation_, shape_, meter_, supposed_);
    saturation.run();
    if (!saturation.cycle().empty()) {
      cases_.push_back({supposed_edges(), explained_cycle(saturation, shape_)});
      return true;
    }
    const bool is_open = saturation.is_complete() && !saturation.is_decided();
    if (!is_open || !saturation.choices().empty()) return false;
    const std::optional<KnownEdge> first = best_pair(saturation);
    // Both ways lead to one more case at least.
    if (!first || cases_.size() + 2 > kMostCases) return false;
    const KnownEdge second{DependencyKind::ww, first->to, first->from, first->key, kNoRead};
    for (const KnownEdge& way : {*first, second}) {
      supposed_.push_back(way);
      const bool done = split();
      supposed_.pop_back();
      if (!done) return false;
    }
    return true;
  }

  std::vector<OrderEdge> supposed_edges() const {
    std::vector<OrderEdge> edges;
    for (const KnownEdge& edge : supposed_) {
      edges.push_back({edge.kind, edge.from, edge.to, edge.key, kNoRead, {}});
    }
    return edges;
  }

  // Two writers of one key, unordered, of which most ways lead to a cycle at once.
  std::optional<KnownEdge> best_pair(const Saturation& saturation) {
    std::optional<KnownEdge> best;
    int best_cycles = -1;
    std::size_t tried = 0;
    for (std::size_t key = 0; key < observation_.key_count(); ++key) {
      const auto writers = observation_.writers(KeyId(key)).all;
      for (std::size_t i = 0; i < writers.size(); ++i) {
        for (std::size_t j = i + 1; j < writers.size() && tried < kMostTried; ++j) {
          const KnownEdge pair{DependencyKind::ww, writers[i], writers[j], KeyId(key), kNoRead};
          if (is_ordered(saturation, pair.from, pair.to)) continue;
          ++tried;
          const int cycles = count_cycles(pair);
          if (cycles <= best_cycles) continue;
          best = pair;
          best_cycles = cycles;
        }
      }
    }
    return best;
  }

  bool is_ordered(const Saturation& saturation, Node a, Node b) const {
    return saturation.reaches(shape_.commit(a), shape_.overwrite(b)) ||
           saturation.reaches(shape_.commit(b), shape_.overwrite(a));
  }

  int count_cycles(const KnownEdge& pair) {
    const KnownEdge turned{DependencyKind::ww, pair.to, pair.from, pair.key, kNoRead};
    int cycles = 0;
    for (const KnownEdge& way : {pair, turned}) {
      std::vector<KnownEdge> more = supposed_;
      more.push_back(way);
      Saturation saturation(observation_, shape_, meter_, std::move(more));
      saturation.run();
      cycles += saturation.cycle().empty() ? 0 : 1;
    }
    return cycles;
  }

  const Observation& observation_;
  const LevelShape& shape_;
  Meter meter_{{.steps = kStepsOfCases}};
  std::vector<KnownEdge> supposed_;
  std::vector<OrderCase> cases_;
};

}  // namespace

std::vector<OrderCase> split_into_cases(const Observation& observation, const LevelShape& shape) {
  return CaseSplit(observation, shape).run();
}

}  // namespace heddle
