#include "cli/race/replay_bounds.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/process.h"
#include "store/client_environment.h"

namespace heddle {
namespace {

// Results that make the exit code 1 where --fail-on names them; confirmed ones always do.
constexpr std::array<std::pair<std::string_view, RaceResult>, 3> kFailures = {{
    {"error", RaceResult::error_under_overlap},
    {"refused", RaceResult::refused},
    {"order-dependent", RaceResult::order_dependent},
}};

}  // namespace

std::vector<OptionDefinition> replay_bound_options(std::string_view group) {
  return {
      {.name = "--idle",
       .value = "TIME",
       .kind = ValueKind::duration,
       .group = group,
       .meaning =
           "How long the idle system is listened to, to learn what its services do on their own.",
       .fallback = "2s"},
      {.name = "--health-timeout",
       .value = "TIME",
       .kind = ValueKind::duration,
       .group = group,
       .meaning = "How long the system may take to come up.",
       .fallback = "60s"},
      {.name = "--rest-timeout",
       .value = "TIME",
       .kind = ValueKind::duration,
       .group = group,
       .meaning = "How long its rest is waited for.",
       .fallback = "10s"},
  };
}

ReplayBounds chosen_bounds(const Arguments& arguments, const Config& config) {
  ReplayBounds bounds;
  bounds.idle_ms = arguments.duration_ms("--idle");
  bounds.health_ms = arguments.duration_ms("--health-timeout");
  bounds.rest_ms = arguments.duration_ms("--rest-timeout");
  bounds.hold_ms = config.race.hold_ms.value_or(bounds.hold_ms);
  return bounds;
}

std::vector<std::string> started_environment() {
  std::vector<std::string> environment = whole_environment();
  for (std::string& each : taken_variables()) environment.push_back(std::move(each));
  return environment;
}

OptionDefinition failing_results_option(std::string_view group) {
  return {.name = "--fail-on",
          .value = "RESULT",
          .kind = ValueKind::choice,
          .group = group,
          .meaning =
              "Further results for which the exit code is 1: refused requests, errors under "
              "overlap, pairs whose order matters.",
          .repeatable = true,
          .choices = {"refused", "error", "order-dependent"}};
}

std::vector<RaceResult> failing_results(const std::vector<std::string>& fail_on) {
  std::vector<RaceResult> failures = {RaceResult::confirmed, RaceResult::stale_read};
  for (const auto& [word, result] : kFailures) {
    if (std::ranges::find(fail_on, word) != fail_on.end()) failures.push_back(result);
  }
  return failures;
}

}  // namespace heddle
