#include "cli/replay/race_replayer.h"

#include <algorithm>
#include <utility>

#include "cli/race/race_config.h"
#include "cli/race/replay_bounds.h"

namespace heddle {

std::vector<OptionDefinition> race_replayer_options() {
  std::vector<OptionDefinition> options = {
      {.name = "--config",
       .value = "FILE",
       .kind = ValueKind::file,
       .group = "Races",
       .meaning = "The file that says how the system is started on which findings of races run.",
       .fallback = "heddle.yaml"}};
  for (OptionDefinition& each : replay_bound_options("Races")) options.push_back(std::move(each));
  options.push_back(failing_results_option("Races"));
  return options;
}

Result<void> RaceReplayer::start() {
  auto config = read_race_config(arguments_.text("--config"), true);
  if (!config) return config.error();
  config_ = std::move(**config);
  auto replayer = FindingReplayer::start(
      *config_, {.bounds = chosen_bounds(arguments_, *config_),
                 .runs = static_cast<std::uint32_t>(arguments_.number("--runs")),
                 .environment = started_environment()});
  if (!replayer) return replayer.error();
  replayer_ = std::move(*replayer);
  return {};
}

Result<RaceReplayReport> RaceReplayer::replay(const RaceFinding& finding) {
  if (down_) return *down_;
  if (!replayer_) {
    if (auto started = start(); !started) {
      Diagnostic trouble = started.error();
      if (trouble.file.empty()) trouble.file = arguments_.text("--config");
      if (trouble.trouble != Trouble::interrupted) down_ = trouble;
      return trouble;
    }
  }
  return replayer_->replay(finding);
}

bool RaceReplayer::is_failing(const RaceFinding& finding) const {
  const auto failing = failing_results(arguments_.texts("--fail-on"));
  // Of what was inconclusive a run has to show a race before it counts.
  return finding.result == RaceResult::inconclusive ||
         std::ranges::find(failing, finding.result) != failing.end();
}

}  // namespace heddle
