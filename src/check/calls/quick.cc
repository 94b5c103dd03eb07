#include "check/calls/quick.h"

#include <algorithm>

#include "base/assert.h"
#include "check/calls/appends.h"
#include "check/calls/object_replay.h"

namespace heddle {

namespace {

// Whether no call stands behind one that it precedes.
bool keeps_real_time(const CallProblem& problem, const std::vector<std::uint32_t>& order) {
  std::uint32_t latest = 0;
  for (const std::uint32_t i : order) {
    const RankedCall& call = problem.calls[i];
    if (call.returned < latest) return false;
    latest = std::max(latest, call.called);
  }
  return true;
}

bool has_all(const CallProblem& problem, const std::vector<std::uint32_t>& order) {
  std::vector<bool> taken(problem.calls.size(), false);
  for (const std::uint32_t i : order) {
    if (taken[i]) return false;
    taken[i] = true;
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (problem.calls[i].certain && !taken[i]) return false;
  }
  return true;
}

}  // namespace

QuickOutcome confirmed(const CallProblem& problem, std::vector<std::uint32_t> order) {
  if (!has_all(problem, order) || !keeps_real_time(problem, order)) return {};
  const std::unique_ptr<ObjectReplay> object = make_replay(*problem.history);
  for (const std::uint32_t i : order) {
    if (!object->take(*problem.calls[i].call)) return {};
  }
  return {Verdict::satisfied, std::move(order)};
}

QuickOutcome violated(std::vector<std::uint32_t> culprits) {
  std::ranges::sort(culprits);
  culprits.erase(std::unique(culprits.begin(), culprits.end()), culprits.end());
  return {Verdict::violated, std::move(culprits)};
}

std::uint64_t quick_bytes(ObjectModel model, std::size_t calls) {
  // Of a call, where it costs most: histories of nothing but writes, pushes and so on.
  const auto bytes = [model]() -> std::uint64_t {
    switch (model) {
      case ObjectModel::cas_register:
      case ObjectModel::key_value:
        return 340;
      case ObjectModel::stack:
        return 300;
      case ObjectModel::set:
        return 240;
      case ObjectModel::queue:
      case ObjectModel::priority_queue:
        return 160;
      default:
        return 0;
    }
  };
  return bytes() * calls;
}

QuickOutcome order_quickly(const CallProblem& problem, BoundMeter& meter) {
  HEDDLE_ASSERT(problem.order != CallOrder::sequential);
  switch (problem.history->model) {
    case ObjectModel::cas_register:
      return order_register(problem);
    case ObjectModel::key_value:
      if (const QuickOutcome outcome = order_appends(problem);
          outcome.verdict != Verdict::unknown) {
        return outcome;
      }
      return order_register(problem);
    case ObjectModel::set:
      return order_set(problem, meter);
    case ObjectModel::queue:
      return order_queue(problem);
    case ObjectModel::stack:
      return order_stack(problem);
    case ObjectModel::priority_queue:
      return order_priority_queue(problem);
    default:
      return {};
  }
}

}  // namespace heddle
