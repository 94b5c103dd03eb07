/// Why a schedule that somebody fears does not happen, or that it does.
///
///   Result<WhyNotReport> report = explain_schedules(scenario, ExploreOptions{});
///   for (const Obstacle& obstacle : report->answers[0].obstacles) use(obstacle.sentence);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/explore.h"
#include "heddle/finding.h"

namespace heddle {

/// What the store did to a step of the schedule.
enum class ObstacleKind : std::uint8_t {
  waits,          ///< it had to wait for another session, so that the order is another one
  ends,           ///< the store ended its session
  fails,          ///< the store refused it, as it would in another order, too
  reads_earlier,  ///< it read a row as it was before a step that had run already
};

/// "waits", "ends", "fails", "reads-earlier".
std::string_view to_string(ObstacleKind kind);

struct Obstacle {
  ObstacleKind kind = ObstacleKind::waits;
  StepId step;
  std::vector<SessionId> sessions;  ///< of the others
  std::vector<std::string> rows;    ///< "account(id=1)", as far as known
  std::string sentence;
};

/// What became of one schedule.
struct ScheduleAnswer {
  Schedule asked;
  bool happens = false;             ///< it ends as no serial order does, or breaks an invariant
  std::vector<Obstacle> obstacles;  ///< in the order of the run
  std::vector<std::string> equal_order;  ///< otherwise: a serial order that ends in the same way
  /// The run, with its history; where it does not go wrong of the status `not_shown`.
  Finding finding;
  /// The same schedule at the other levels of the store: whether it happens there.
  std::vector<std::pair<IsolationLevel, bool>> elsewhere;
  std::string conclusion;
};

struct WhyNotReport {
  std::string store;
  std::optional<IsolationLevel> isolation;  ///< none: as the scenario says
  std::vector<ScheduleAnswer> answers;      ///< one for each permutation of the scenario
};

/// Runs the permutations that the scenario states, each once, at the first of the levels asked for.
/// Errors: it states none; the setup fails, the store cannot be started or dies, a bound is hit.
Result<WhyNotReport> explain_schedules(const Scenario& scenario, const ExploreOptions& options);

}  // namespace heddle
