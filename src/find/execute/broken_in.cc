#include "find/execute/broken_in.h"

#include <algorithm>

#include "explore/own_levels.h"
#include "heddle/schedule.h"
#include "replay/runner.h"
#include "store/open/open.h"

namespace heddle::find {

std::optional<std::vector<std::string>> broken_in(const Scenario& scenario,
                                                  const ExecuteOptions& options) {
  auto server = open_stores(scenario, options.on);
  if (!server) return std::nullopt;
  const RunnerOptions how{.level = stated_level(scenario, **server),
                          .step_timeout_ms = options.step_timeout_ms};
  auto runner = Runner::create(scenario, **server, how);
  if (!runner) return std::nullopt;
  const Permutation& order = scenario.permutations.front();
  const auto run =
      (*runner)->run_interleaved(scripts_of(scenario, order), follow(scenario, schedule_of(order)));
  if (!run || run->end != RunEnd::complete) return std::nullopt;
  std::vector<std::string> broken;
  for (const InvariantOutcome& outcome : run->invariants) {
    if (!outcome.holds) broken.push_back(outcome.name);
  }
  if (broken.empty()) return broken;
  std::vector<SerialBlock> blocks;
  for (std::size_t i = 0; i < scenario.sessions.size(); ++i) {
    blocks.push_back({SessionId(i), scenario.sessions[i].steps, SerialBlock::Extent::steps});
  }
  const auto serial = (*runner)->run_serial(blocks);
  if (!serial || serial->end != RunEnd::complete) return std::nullopt;
  std::erase_if(broken, [&](const std::string& name) {
    return std::ranges::any_of(serial->invariants, [&](const InvariantOutcome& outcome) {
      return outcome.name == name && !outcome.holds;
    });
  });
  return broken;
}

}  // namespace heddle::find
