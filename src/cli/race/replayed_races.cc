#include "cli/race/replayed_races.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "cli/options/options.h"
#include "cli/output/progress.h"
#include "race/replay/race_findings.h"
#include "race/replay/trace_replay.h"
#include "report/race/replay_reports.h"
#include "store/client_environment.h"

namespace heddle {
namespace {

// Results that make the exit code 1 where --fail-on names them; confirmed ones always do.
constexpr std::array<std::pair<std::string_view, RaceResult>, 3> kFailures = {{
    {"error", RaceResult::error_under_overlap},
    {"refused", RaceResult::refused},
    {"order-dependent", RaceResult::order_dependent},
}};

TraceReplayOptions chosen_replay(const Arguments& arguments, const Config& config) {
  TraceReplayOptions options;
  options.bounds.idle_ms = arguments.duration_ms("--idle");
  options.bounds.health_ms = arguments.duration_ms("--health-timeout");
  options.bounds.rest_ms = arguments.duration_ms("--rest-timeout");
  options.bounds.hold_ms = config.race.hold_ms.value_or(options.bounds.hold_ms);
  options.runs = arguments.has("--budget") ? arguments.number("--budget")
                                           : config.race.budget.value_or(options.runs);
  if (arguments.has("--timeout")) {
    options.time = std::chrono::milliseconds(arguments.duration_ms("--timeout"));
  }
  options.environment = whole_environment();
  for (std::string& each : taken_variables()) options.environment.push_back(std::move(each));
  return options;
}

// Those that --only names; all where it names none.
Result<RaceCandidates> chosen_candidates(const RaceCandidates& all,
                                         const std::vector<std::string>& only) {
  if (only.empty()) return all;
  RaceCandidates chosen = all;
  std::erase_if(chosen.candidates, [&](const RaceCandidate& each) {
    return std::ranges::none_of(
        only, [&](const std::string& part) { return each.id.find(part) != std::string::npos; });
  });
  if (!chosen.candidates.empty()) return chosen;
  return Diagnostic{.what = fmt::format("--only={}: there is no such candidate", only.front()),
                    .what_to_do = "name one as the report without --replay does"};
}

ExitCode exit_code_of(const RaceReport& report, const std::vector<std::string>& fail_on) {
  std::set<RaceResult> failures = {RaceResult::confirmed, RaceResult::stale_read};
  for (const auto& [word, result] : kFailures) {
    if (std::ranges::find(fail_on, word) != fail_on.end()) failures.insert(result);
  }
  const auto has = [&](auto&& is_it) { return std::ranges::any_of(report.findings, is_it); };
  if (has([&](const RaceFinding& each) { return failures.contains(each.result); })) {
    return ExitCode::found;
  }
  const bool is_open = has([](const RaceFinding& each) {
    return each.result == RaceResult::inconclusive || each.result == RaceResult::not_reached ||
           each.result == RaceResult::not_replayable;
  });
  return is_open ? ExitCode::unknown : ExitCode::nothing_found;
}

}  // namespace

std::vector<OptionDefinition> replay_options() {
  return {
      {.name = "--replay",
       .group = "Replay",
       .meaning = "Make each candidate happen on the running system, which heddle.yaml says how to "
                  "start, and say what came of it."},
      {.name = "--only",
       .value = "ID",
       .kind = ValueKind::text,
       .group = "Replay",
       .meaning = "Replay this candidate and no other; a part of its id will do.",
       .repeatable = true},
      {.name = "--budget",
       .value = "N",
       .kind = ValueKind::number,
       .group = "Replay",
       .meaning = "Overlaps that are tried for one candidate; 20 where neither this nor "
                  "heddle.yaml says it."},
      {.name = "--timeout",
       .value = "TIME",
       .kind = ValueKind::duration,
       .group = "Replay",
       .meaning = "How long all of it may take; what is not reached is said."},
      {.name = "--fail-on",
       .value = "RESULT",
       .kind = ValueKind::choice,
       .group = "Replay",
       .meaning = "Further results for which the exit code is 1: refused requests, errors under "
                  "overlap, pairs whose order matters.",
       .repeatable = true,
       .choices = {"refused", "error", "order-dependent"}},
      {.name = "--idle",
       .value = "TIME",
       .kind = ValueKind::duration,
       .group = "Replay",
       .meaning =
           "How long the idle system is listened to, to learn what its services do on their own.",
       .fallback = "2s"},
      {.name = "--health-timeout",
       .value = "TIME",
       .kind = ValueKind::duration,
       .group = "Replay",
       .meaning = "How long the system may take to come up.",
       .fallback = "60s"},
      {.name = "--rest-timeout",
       .value = "TIME",
       .kind = ValueKind::duration,
       .group = "Replay",
       .meaning = "How long its rest is waited for.",
       .fallback = "10s"},
  };
}

Result<ExitCode> report_replayed_races(const Arguments& arguments, const Config& config,
                                       const Trace& trace, const RaceCandidates& candidates,
                                       Output& output) {
  install_interrupt_handler();
  TraceReplayOptions options = chosen_replay(arguments, config);
  const auto chosen = chosen_candidates(candidates, arguments.texts("--only"));
  if (!chosen) return chosen.error();
  Progress progress("candidates replayed", progress_is_watched());
  options.progress = [&](std::size_t done) { progress.show(done, chosen->candidates.size()); };
  const auto replay = replay_trace(config, trace, *chosen, options);
  if (!replay) return replay.error();
  RaceReport report = race_report(config, trace, *chosen, *replay);
  report.trace = arguments.inputs().front();
  const std::string text = arguments.text("--format") == "json"
                               ? render_json(report)
                               : render_text(report, text_options(arguments, output));
  if (auto written = output.write_whole(text); !written) return written.error();
  if (interrupted()) return ExitCode::interrupted;
  return exit_code_of(report, arguments.texts("--fail-on"));
}

}  // namespace heddle
