#include "race/replay/run_tally.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace heddle {
namespace {

// What a run may show, the worst first.
constexpr std::array<std::pair<RaceVerdictKind, RaceResult>, 3> kResultsByRun = {{
    {RaceVerdictKind::confirmed, RaceResult::confirmed},
    {RaceVerdictKind::error_under_overlap, RaceResult::error_under_overlap},
    {RaceVerdictKind::refused, RaceResult::refused},
}};

std::string_view letter_of(Party party) { return party == Party::first ? "A" : "B"; }

}  // namespace

bool RunTally::add(JudgedRun run) {
  const bool is_overlap = run.order == RaceOrder::overlapped;
  if (is_overlap) ++runs_;
  if (!is_overlap || !run.drift.empty()) {
    // Nothing overlapped.
  } else if (run.record.waits.empty()) {
    ++followed_;
  } else {
    ++infeasible_;
    if (!wait_) wait_ = run.record.waits.front();
  }
  judged_.push_back(std::move(run));
  return judged_.back().verdict.kind == RaceVerdictKind::confirmed;
}

const JudgedRun* RunTally::find(RaceVerdictKind kind) const {
  const auto found =
      std::ranges::find(judged_, kind, [](const JudgedRun& run) { return run.verdict.kind; });
  return found == judged_.end() ? nullptr : &*found;
}

RaceSettlement RunTally::settle(const RaceVerdict& orders) const {
  for (const auto& [kind, result] : kResultsByRun) {
    const JudgedRun* const found = find(kind);
    if (found == nullptr) continue;
    return {.result = found->verdict.is_stale_read ? RaceResult::stale_read : result,
            .why = found->verdict.why,
            .shown = *found};
  }
  if (orders.kind == RaceVerdictKind::inconclusive) {
    return {.result = RaceResult::inconclusive, .why = orders.why};
  }
  if (const JudgedRun* const undecided = find(RaceVerdictKind::inconclusive)) {
    return {.result = RaceResult::inconclusive, .why = undecided->verdict.why, .shown = *undecided};
  }
  if (infeasible_ > 0 && followed_ == 0) {
    return {.result = RaceResult::not_feasible,
            .why = fmt::format("{} waits for {} {}", letter_of(wait_->party),
                               letter_of(other(wait_->party)),
                               wait_->is_in_database ? "in the database" : "in the application")};
  }
  if (followed_ == 0) {
    return {.result = RaceResult::inconclusive,
            .why = "no overlap of the two came about",
            .what_helps = "record requests of these endpoints that go through to their end"};
  }
  if (orders.kind == RaceVerdictKind::order_dependent) {
    return {.result = RaceResult::order_dependent, .why = orders.why};
  }
  return {.result = RaceResult::nothing,
          .why = "each overlap that was tried came out as a serial order does"};
}

}  // namespace heddle
