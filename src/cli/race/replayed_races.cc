#include "cli/race/replayed_races.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "cli/options/options.h"
#include "cli/options/shared_options.h"
#include "cli/output/progress.h"
#include "cli/output/save_directory.h"
#include "cli/race/replay_bounds.h"
#include "cli/suppressions/suppression_list.h"
#include "race/replay/race_findings.h"
#include "race/replay/trace_replay.h"
#include "report/race/replay_reports.h"

namespace heddle {
namespace {

TraceReplayOptions chosen_replay(const Arguments& arguments, const Config& config) {
  TraceReplayOptions options;
  options.bounds = chosen_bounds(arguments, config);
  options.runs = arguments.has("--budget") ? arguments.number("--budget")
                                           : config.race.budget.value_or(options.runs);
  if (arguments.has("--timeout")) {
    options.time = std::chrono::milliseconds(arguments.duration_ms("--timeout"));
  }
  options.environment = started_environment();
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

ExitCode exit_code_of(const RaceReport& report, const std::vector<RaceResult>& failures) {
  const auto has = [&](const std::vector<RaceResult>& results) {
    return std::ranges::any_of(report.findings, [&](const RaceFinding& each) {
      return !each.suppressed && std::ranges::find(results, each.result) != results.end();
    });
  };
  if (has(failures)) return ExitCode::found;
  const bool is_open =
      has({RaceResult::inconclusive, RaceResult::not_reached, RaceResult::not_replayable});
  return is_open ? ExitCode::unknown : ExitCode::nothing_found;
}

std::string report_text(const RaceReport& report, const Arguments& arguments, const Output& output,
                        const std::vector<RaceResult>& failures) {
  const std::string format = arguments.text("--format");
  if (format == "json") return render_json(report);
  if (format == "markdown") return render_markdown(report);
  if (format == "svg") return render_svg(report);
  if (format == "html") return render_html(report);
  if (format == "mermaid") return render_mermaid(report);
  if (format == "sarif") return render_sarif(report);
  if (format == "junit") return render_junit(report, failures);
  return render_text(report, text_options(arguments, output));
}

// The files of each finding that a run has shown.
Result<void> save_findings(const RaceReport& report, SaveDirectory& directory) {
  for (const RaceFinding& finding : report.findings) {
    const bool is_shown = !finding.steps.empty() || finding.result == RaceResult::order_dependent;
    if (!directory.is_open() || !is_shown) continue;
    const std::string stem = directory.unused_stem(finding.id);
    for (const KeptFile& file : kept_files(finding)) {
      auto written = directory.write(stem, std::string(file.suffix), file.text);
      if (!written) return written;
    }
  }
  return {};
}

}  // namespace

std::vector<OptionDefinition> replay_options() {
  std::vector<OptionDefinition> options = {
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
      {.name = "--save",
       .value = "DIR",
       .kind = ValueKind::directory,
       .group = "Replay",
       .meaning = "Write what a run has shown to DIR: for each finding its document, its text, its "
                  "drawing and its requests as a script. The directory is made if need be."},
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
      failing_results_option("Replay"),
      suppress_option(),
      write_suppressions_option(),
  };
  for (OptionDefinition& each : replay_bound_options("Replay")) options.push_back(std::move(each));
  return options;
}

Result<ExitCode> report_replayed_races(const Arguments& arguments, const Config& config,
                                       const Trace& trace, const RaceCandidates& candidates,
                                       Output& output) {
  install_interrupt_handler();
  TraceReplayOptions options = chosen_replay(arguments, config);
  const auto chosen = chosen_candidates(candidates, arguments.texts("--only"));
  if (!chosen) return chosen.error();
  auto directory = SaveDirectory::open(arguments.text("--save"));
  if (!directory) return directory.error();
  auto suppressions = SuppressionList::open(arguments);
  if (!suppressions) return suppressions.error();
  Progress progress("candidates replayed", progress_is_watched());
  options.progress = [&](std::size_t done) { progress.show(done, chosen->candidates.size()); };
  const auto replay = replay_trace(config, trace, *chosen, options);
  if (!replay) return replay.error();
  RaceReport report = race_report(config, trace, *chosen, *replay);
  report.trace = arguments.inputs().front();
  suppressions->apply(report);
  const std::vector<RaceResult> failures = failing_results(arguments.texts("--fail-on"));
  const std::string text = report_text(report, arguments, output, failures);
  if (auto written = output.write_whole(text); !written) return written.error();
  if (auto saved = save_findings(report, *directory); !saved) return saved.error();
  // What was not replayed may be there.
  const bool is_complete = !interrupted() && arguments.texts("--only").empty();
  if (auto finished = suppressions->finish(is_complete); !finished) return finished.error();
  if (interrupted()) return ExitCode::interrupted;
  return exit_code_of(report, failures);
}

}  // namespace heddle
