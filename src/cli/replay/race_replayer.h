// Findings of races as heddle replay runs them: all on one system, which is started with the first.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/options/command.h"
#include "cli/options/options.h"
#include "frontend/config/config.h"
#include "heddle/race_finding.h"
#include "heddle/result.h"
#include "race/again/finding_replay.h"

namespace heddle {

// The options of heddle replay that are about the system.
std::vector<OptionDefinition> race_replayer_options();

class RaceReplayer {
 public:
  explicit RaceReplayer(const Arguments& arguments) : arguments_(arguments) {}

  // Errors: those of FindingReplayer, and of heddle.yaml.
  Result<RaceReplayReport> replay(const RaceFinding& finding);
  // Whether the last error was that the system does not come up, which one message is enough for.
  bool has_no_system() const { return down_.has_value(); }
  // Whether that every run shows the finding is a failure.
  bool is_failing(const RaceFinding& finding) const;

 private:
  Result<void> start();

  const Arguments& arguments_;
  std::optional<Config> config_;
  std::unique_ptr<FindingReplayer> replayer_;
  std::optional<Diagnostic> down_;
};

}  // namespace heddle
