#include "race/requests/pair_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/assert.h"

namespace heddle {
namespace {

// What each request needs, and those it needs, without what only the pair itself is about.
class Needs {
 public:
  explicit Needs(const RequestDependencies& dependencies) {
    for (const RequestDependency& each : dependencies.each) of_[each.unit].push_back(&each);
  }

  // All that `unit` needs, at any remove, never going through or to `without`.
  std::set<std::uint64_t> all_of(std::uint64_t unit, std::uint64_t without = 0) const {
    return found_of(unit, without, false);
  }
  // The same of what is sure.
  std::set<std::uint64_t> sure_of(std::uint64_t unit, std::uint64_t without = 0) const {
    return found_of(unit, without, true);
  }

  // The surest direct dependency of one on the other; null: there is none.
  const RequestDependency* direct(std::uint64_t unit, std::uint64_t on) const {
    const auto needed = of_.find(unit);
    if (needed == of_.end()) return nullptr;
    const RequestDependency* best = nullptr;
    for (const RequestDependency* each : needed->second) {
      if (each->on == on && (best == nullptr || each->kind < best->kind)) best = each;
    }
    return best;
  }

 private:
  std::set<std::uint64_t> found_of(std::uint64_t unit, std::uint64_t without, bool is_sure) const {
    std::set<std::uint64_t> found;
    std::vector<std::uint64_t> open = {unit};
    while (!open.empty()) {
      const std::uint64_t next = open.back();
      open.pop_back();
      const auto needed = of_.find(next);
      if (needed == of_.end()) continue;
      for (const RequestDependency* each : needed->second) {
        const bool is_left_out = each->on == without || (is_sure && !each->is_sure);
        if (!is_left_out && found.insert(each->on).second) open.push_back(each->on);
      }
    }
    return found;
  }

  std::map<std::uint64_t, std::vector<const RequestDependency*>> of_;
};

const TraceRequest& request_of(const Trace& trace, std::uint64_t unit) {
  const auto found =
      std::ranges::find_if(trace.requests, [&](const auto& each) { return each.unit == unit; });
  HEDDLE_ASSERT(found != trace.requests.end());
  return *found;
}

std::string named(const Trace& trace, std::uint64_t unit) {
  const TraceRequest& request = request_of(trace, unit);
  return fmt::format("{} {} (unit {})", request.method, request.target, unit);
}

// Why the second cannot be sent without the answer of the first, or without what only came of it.
// That it used a row which the first one wrote is no obstacle: that is what the two race for. Nor
// is that a request between them did, where the row was there before.
std::string find_obstacle(const Trace& trace, const Needs& needs, std::uint64_t first,
                          std::uint64_t second) {
  if (first == second) return "";
  const RequestDependency* const direct = needs.direct(second, first);
  if (direct != nullptr && direct->kind == RequestDependencyKind::value) {
    return fmt::format("{} needs {} of {}", named(trace, second), direct->what,
                       named(trace, first));
  }
  for (const std::uint64_t between : needs.sure_of(second, first)) {
    if (between < first || !needs.sure_of(between).contains(first)) continue;
    return fmt::format("{} lies between: {} needs it, and it needs {}", named(trace, between),
                       named(trace, second), named(trace, first));
  }
  return "";
}

PairPlan planned(const Trace& trace, const Needs& needs, const std::set<std::uint64_t>& before,
                 const PairPlan& pair) {
  PairPlan plan = pair;
  std::vector<std::pair<TraceTime, std::uint64_t>> order;
  const std::set<std::uint64_t> sure = needs.sure_of(pair.second, pair.first);
  for (const std::uint64_t unit : before) {
    if (unit == pair.first || unit == pair.second) continue;
    const bool is_of_first = unit > pair.first && needs.all_of(unit).contains(pair.first);
    if (is_of_first) ++plan.displaced;
    // What came of the first, and perhaps is not needed, is left out.
    if (is_of_first && !sure.contains(unit)) continue;
    order.emplace_back(request_of(trace, unit).arrived, unit);
  }
  std::ranges::sort(order);
  for (const auto& [arrived, unit] : order) plan.before.push_back(unit);
  plan.obstacle = find_obstacle(trace, needs, pair.first, pair.second);
  return plan;
}

}  // namespace

PairPlan plan_pair(const Trace& trace, const RequestDependencies& dependencies, std::uint64_t first,
                   std::uint64_t second) {
  const Needs needs(dependencies);
  std::set<std::uint64_t> before = needs.all_of(first);
  before.merge(needs.all_of(second, first));
  return planned(trace, needs, before, {.first = first, .second = second});
}

PairPlan plan_everything_before(const Trace& trace, const RequestDependencies& dependencies,
                                std::uint64_t first, std::uint64_t second) {
  const Needs needs(dependencies);
  std::set<std::uint64_t> before = needs.all_of(second, first);
  const TraceTime begin = request_of(trace, first).arrived;
  for (const TraceRequest& each : trace.requests) {
    if (trace.head.edges[each.edge].is_outer && each.arrived < begin) before.insert(each.unit);
  }
  return planned(trace, needs, before, {.first = first, .second = second});
}

std::vector<std::uint64_t> requests_with_tokens(const RequestDependencies& dependencies,
                                                const PairPlan& plan) {
  std::set<std::uint64_t> sources;
  for (const ValueLink& link : dependencies.links) {
    if (link.evidence == LinkEvidence::placeholder) sources.insert(link.from);
  }
  std::vector<std::uint64_t> found;
  for (const std::uint64_t unit : plan.before) {
    if (sources.contains(unit) && !dependencies.writers.contains(unit)) found.push_back(unit);
  }
  return found;
}

}  // namespace heddle
