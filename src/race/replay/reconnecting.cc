#include "race/replay/reconnecting.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"

namespace heddle {
namespace {

constexpr std::size_t kMostInARow = 8;
constexpr std::size_t kMostTries = 30;
constexpr int kFirstFailure = 500;

bool uses_store(const Trace& trace, const TraceRequest& request, const std::string& store) {
  return std::ranges::any_of(trace.statements, [&](const TraceStatement& each) {
    return each.flow.number == request.flow.number && request.flow.number != 0 &&
           trace.head.edges[each.edge].callee == store;
  });
}

// A request that uses the store; one that asks only goes before others.
std::optional<std::uint64_t> request_to(const Trace& trace, const PairPlan& plan,
                                        const std::string& store) {
  std::vector<std::uint64_t> units = plan.before;
  units.insert(units.end(), {plan.first, plan.second});
  std::optional<std::uint64_t> found;
  for (const std::uint64_t unit : units) {
    const auto request = std::ranges::find(trace.requests, unit, &TraceRequest::unit);
    if (request == trace.requests.end() || !uses_store(trace, *request, store)) continue;
    if (request->method == "GET" || request->method == "HEAD") return unit;
    if (!found) found = unit;
  }
  return found;
}

// What it creates is called anew each time, so that a key that a service keeps in its memory is
// not used up.
Result<HttpAnswer> ask_once(ReplayGround& ground, ReplayBindings bindings, std::uint64_t unit) {
  bindings.rename(
      fresh_names(ground.dependencies, {.first = unit, .second = unit}, ground.next_names()));
  const auto request = bindings.make(unit);
  if (!request) return request.error();
  return ground.system.ask(*request);
}

Result<void> reconnect_store(ReplayGround& ground, const ReplayBindings& bindings,
                             const std::string& store, std::uint64_t unit, std::size_t wanted) {
  std::size_t in_a_row = 0;
  std::string last;
  for (std::size_t tries = 0; in_a_row < wanted; ++tries) {
    if (interrupted()) return Diagnostic{.what = "interrupted", .trouble = Trouble::interrupted};
    if (tries == kMostTries) {
      return Diagnostic{
          .what = fmt::format("the connections to {} do not come back after they were ended: {}",
                              store, last),
          .trouble = Trouble::environment};
    }
    const auto answer = ask_once(ground, bindings, unit);
    const bool is_good = answer && answer->status != 0 && answer->status < kFirstFailure;
    in_a_row = is_good ? in_a_row + 1 : 0;
    if (!is_good) {
      last = answer ? fmt::format("an answer with {}", answer->status) : answer.error().what;
      ground.system.wait_for_rest();
    }
  }
  return {};
}

}  // namespace

Result<void> reconnect(ReplayGround& ground, const PairPlan& plan, const ReplayBindings& bindings,
                       const EndedConnections& ended) {
  if (auto healthy = ground.system.wait_until_healthy(); !healthy) return healthy;
  for (const auto& [store, count] : ended) {
    const auto unit = count == 0 ? std::nullopt : request_to(ground.trace, plan, store);
    if (!unit) continue;
    auto done = reconnect_store(ground, bindings, store, *unit, std::min(count, kMostInARow));
    if (!done) return done;
  }
  return {};
}

}  // namespace heddle
