#include "check/calls/object_calls.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle {

namespace {

struct Times {
  Moment called = 0;
  Moment returned = kNever;  // kNever for what may return after everything else
  bool returns = true;
};

// Makes the times of calls whole periods: a period ends when no call runs. What is in different
// periods keeps its order, what is in the same one has none (Herlihy and Shavit).
void merge_into_periods(std::vector<Times>& times, const std::vector<std::uint32_t>& by_return) {
  Moment period = 0;
  std::size_t running = 0;
  std::size_t next_return = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Moment now = times[i].called;
    while (next_return < by_return.size() && by_return[next_return] < i &&
           times[by_return[next_return]].returned < now) {
      times[by_return[next_return]].returned = period;
      ++next_return;
      if (--running == 0) ++period;
    }
    times[i].called = period;
    ++running;
  }
  for (; next_return < by_return.size(); ++next_return) {
    times[by_return[next_return]].returned = period;
  }
}

// The calls that return, by when they do.
std::vector<std::uint32_t> return_order(const std::vector<Times>& times) {
  std::vector<std::uint32_t> order;
  order.reserve(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i].returns) order.push_back(static_cast<std::uint32_t>(i));
  }
  std::ranges::sort(order, [&times](std::uint32_t a, std::uint32_t b) {
    return std::pair(times[a].returned, a) < std::pair(times[b].returned, b);
  });
  return order;
}

void rank(CallProblem& problem, const std::vector<Times>& times,
          const std::vector<std::uint32_t>& by_return) {
  std::uint32_t rank = 0;
  std::size_t next_return = 0;
  const auto take_returns = [&](auto&& is_due) {
    while (next_return < by_return.size() && is_due(times[by_return[next_return]].returned)) {
      problem.calls[by_return[next_return++]].returned = rank++;
    }
  };
  for (std::size_t i = 0; i < times.size(); ++i) {
    take_returns([&](Moment returned) { return returned < times[i].called; });
    problem.calls[i].called = rank++;
  }
  take_returns([](Moment) { return true; });
  problem.events = rank;
}

}  // namespace

CallProblem make_problem(const ObjectHistory& history, const CallModel& model, CallOrder order,
                         std::span<const std::uint32_t> indices, std::span<const CallUse> uses,
                         Moment end) {
  CallProblem problem;
  problem.history = &history;
  problem.order = order;
  problem.calls.reserve(indices.size());
  std::vector<Times> times;
  times.reserve(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const ObjectCall* call = &history.calls[indices[i]];
    const CallUse use = uses.empty() ? CallUse::as_it_is : uses[i];
    if (call->outcome == CallOutcome::failed || use == CallUse::left_out || call->called >= end) {
      continue;
    }
    const bool is_cut = end != kNever && call->returned >= end;
    const bool certain = call->outcome == CallOutcome::ok && use == CallUse::as_it_is && !is_cut;
    // What runs for ever keeps the object from being quiescent, even if it only reads.
    if (!certain && order != CallOrder::quiescent && model.only_reads(*call)) continue;
    problem.calls.push_back({call, indices[i], 0, kNeverReturns, certain});
    times.push_back({call->called, certain ? call->returned : kNever, certain});
  }
  std::vector<std::uint32_t> by_return = return_order(times);
  if (order == CallOrder::quiescent) {
    merge_into_periods(times, by_return);
    by_return = return_order(times);
  }
  rank(problem, times, by_return);
  return problem;
}

std::uint64_t problem_bytes(std::size_t calls) { return std::uint64_t{calls} * 100; }

}  // namespace heddle
