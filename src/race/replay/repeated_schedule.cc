#include "race/replay/repeated_schedule.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle {
namespace {

std::string_view name_of(Party party) { return party == Party::first ? "A" : "B"; }

std::string wait_text(const RunWait& wait) {
  return fmt::format("{} waited for {} {}", name_of(wait.party), name_of(other(wait.party)),
                     wait.is_in_database ? "in the database" : "in the application");
}

// Why the run is like a serial order.
std::string serial_why(const JudgedRun& run) {
  if (!run.drift.empty()) return run.drift;
  if (!run.record.waits.empty()) return wait_text(run.record.waits.front());
  return "it came out as a serial order does";
}

}  // namespace

RepeatedRun repeated_run(const JudgedRun& run) {
  switch (run.verdict.kind) {
    case RaceVerdictKind::confirmed:
      return {run.verdict.is_stale_read ? RaceResult::stale_read : RaceResult::confirmed,
              run.verdict.why};
    case RaceVerdictKind::error_under_overlap:
      return {RaceResult::error_under_overlap, run.verdict.why};
    case RaceVerdictKind::refused:
      return {RaceResult::refused, run.verdict.why};
    case RaceVerdictKind::inconclusive:
      return {RaceResult::inconclusive, run.verdict.why};
    case RaceVerdictKind::nothing:
    case RaceVerdictKind::order_dependent:
      break;
  }
  return {RaceResult::nothing, serial_why(run)};
}

RepeatedRun repeated_orders(const RaceVerdict& orders) {
  if (orders.kind == RaceVerdictKind::order_dependent) {
    return {RaceResult::order_dependent, orders.why};
  }
  if (orders.kind == RaceVerdictKind::inconclusive) return {RaceResult::inconclusive, orders.why};
  return {RaceResult::nothing, "both serial orders leave the same"};
}

std::string missing_point(const RepeatedSchedule& schedule, const RunRecord& record) {
  for (const Turn& turn : schedule.turns) {
    if (!turn.until) continue;
    const bool is_there = std::ranges::any_of(record.units, [&](const RunUnit& unit) {
      return unit.party == turn.party && unit.shape == turn.until->shape &&
             unit.occurrence == turn.until->occurrence;
    });
    if (is_there) continue;
    const std::size_t occurrence = turn.until->occurrence;
    return fmt::format("{} does not send \"{}\"{} any more", name_of(turn.party),
                       turn.until->shape.text,
                       occurrence > 1 ? fmt::format(" {} times", occurrence) : "");
  }
  return {};
}

}  // namespace heddle
