#include "race/replay/replay_ground.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "frontend/config/race_settings.h"
#include "race/replay/store_clones.h"
#include "record/system_edges.h"

namespace heddle {
namespace {

// Tenths of a second of about 11 days: a run takes longer than one.
constexpr std::uint64_t kMostNames = 10'000'000;
constexpr std::uint64_t kPartsOfSecond = 10;

bool is_loopback(const std::string& address) {
  const std::string host = server_part(address);
  return host.starts_with("127.") || host.starts_with("localhost:") || host.starts_with("[::1]") ||
         host.starts_with('/');
}

Result<void> check_targets(const Config& config) {
  if (config.race.is_replay_allowed) return {};
  const auto check = [&](const std::vector<Setting>& addresses) -> Result<void> {
    for (const Setting& each : addresses) {
      if (is_loopback(each.text)) continue;
      return Diagnostic{
          .what = fmt::format("{} is not on this machine, and a replay really changes its data",
                              each.text),
          .what_to_do = "say \"replay: allowed\" in the section \"race\" if that is wanted",
          .file = config.file,
          .position = each.position};
    }
    return {};
  };
  for (const ServiceSettings& each : config.system.services) {
    if (auto checked = check(each.address); !checked) return checked;
  }
  for (const StoreSettings& each : config.system.stores) {
    if (auto checked = check(each.address); !checked) return checked;
  }
  return {};
}

JudgeSettings judge_settings(const Config& config) {
  JudgeSettings judging{.benign = race_settings(config).benign, .expected = {}, .masked = {}};
  for (const Setting& each : config.record.mask) judging.masked.push_back(each.text);
  return judging;
}

}  // namespace

Result<StartedReplay> start_replay(const Config& config, const ReplayBounds& bounds,
                                   const std::vector<std::string>& environment) {
  if (auto checked = check_targets(config); !checked) return checked.error();
  auto system = ReplayedSystem::start(config, bounds, environment);
  if (!system) return system.error();
  auto states = StoreStates::open(config);
  if (!states) return states.error();
  auto plans = restore_plans(config, (*system)->means(states->seen()));
  if (!plans) return plans.error();
  if (auto checked = check_clone_rights(config); !checked) return checked.error();
  return StartedReplay{.system = std::move(*system),
                       .states = std::move(*states),
                       .plans = std::move(*plans),
                       .judging = judge_settings(config)};
}

ReplayGround ground_of(StartedReplay& started, const Trace& trace,
                       const RequestDependencies& dependencies) {
  return {.trace = trace,
          .dependencies = dependencies,
          .judging = started.judging,
          .system = *started.system,
          .states = started.states,
          .plans = started.plans,
          .last_names = first_names()};
}

std::uint64_t first_names() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto tenths =
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count() * kPartsOfSecond / 1000;
  return static_cast<std::uint64_t>(tenths) % kMostNames;
}

Result<void> restart_system(ReplayGround& ground, const std::vector<std::string>& services) {
  if (auto restarted = ground.system.restart(services); !restarted) return restarted;
  return ground.states.look_again();
}

}  // namespace heddle
