// heddle race: which requests of a recorded trace may step on each other.
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options/combinations.h"
#include "cli/options/command.h"
#include "cli/options/options.h"
#include "cli/options/shared_options.h"
#include "cli/output/output.h"
#include "cli/race/race_config.h"
#include "cli/race/replayed_races.h"
#include "cli/race/trace_file.h"
#include "format/race/race_candidates_json.h"
#include "frontend/config/race_settings.h"
#include "heddle/race.h"
#include "report/race/race_text.h"

namespace heddle {

namespace {

constexpr std::string_view kLooks =
    "Reads what heddle record has written, and looks for pairs of requests that touch the same "
    "rows with one of them writing, and that nothing keeps apart: neither their order in one flow, "
    "nor that the client could send the second one only when it had the first one's answer, nor a "
    "lock. Pairs of one shape are one candidate; lost updates and checks before acting come "
    "first.";
constexpr std::string_view kOthers =
    "Further traces are other recordings of the same system. They tell in which orders a service "
    "makes its calls: what comes in two orders, or overlaps in one of them, may overlap in all.";
constexpr std::string_view kNothing =
    "A candidate is a suspicion. With --replay heddle starts the system, sends both requests again "
    "and lets them overlap statement by statement; what no serial order leaves is confirmed.";

using UnitPair = std::pair<std::uint64_t, std::uint64_t>;

// "17,42". Error: bad_input.
Result<UnitPair> read_units(const std::string& text) {
  const std::size_t comma = text.find(',');
  UnitPair units;
  const auto read = [&](std::size_t begin, std::size_t end, std::uint64_t& unit) {
    const char* const last = text.data() + end;
    const auto done = std::from_chars(text.data() + begin, last, unit);
    return done.ec == std::errc() && done.ptr == last;
  };
  const bool is_pair = comma != text.npos && read(0, comma, units.first) &&
                       read(comma + 1, text.size(), units.second);
  if (is_pair) return units;
  return Diagnostic{.what = fmt::format("--why-not={}: expected two units of requests", text),
                    .what_to_do = "write them as the report does: --why-not=17,42"};
}

Result<std::string> report_of(const Arguments& arguments, const RaceCandidates& found,
                              const Trace& trace, const Output& output) {
  const TextOptions options = text_options(arguments, output);
  const bool is_json = arguments.text("--format") == "json";
  const std::string file = shown_path(arguments.inputs().front());
  if (arguments.has("--why-not")) {
    const auto units = read_units(arguments.text("--why-not"));
    if (!units) return units.error();
    const auto answer = answer_pair(found, trace, units->first, units->second);
    if (!answer) return answer.error();
    return is_json ? pair_answer_json(*answer, found, file)
                   : pair_answer_text(*answer, found, options);
  }
  if (is_json) return to_json(found, {.file = file, .trace = trace});
  return race_candidates_text(found, trace, options);
}

// What would mean nothing without a replay, or besides one.
Result<void> check_replay(const Arguments& arguments) {
  static constexpr auto kWithout = idle_with<1>("--replay", "", {"--why-not"});
  static constexpr std::array kNeeds = {
      Combination{.option = "--save", .rule = CombinationRule::needs, .other = "--replay"},
      Combination{.option = "--only", .rule = CombinationRule::needs, .other = "--replay"},
      Combination{.option = "--budget", .rule = CombinationRule::needs, .other = "--replay"},
      Combination{.option = "--timeout", .rule = CombinationRule::needs, .other = "--replay"},
      Combination{.option = "--fail-on", .rule = CombinationRule::needs, .other = "--replay"},
      Combination{.option = "--suppress", .rule = CombinationRule::needs, .other = "--replay"},
      Combination{
          .option = "--write-suppressions", .rule = CombinationRule::needs, .other = "--replay"},
      Combination{.option = "--idle", .rule = CombinationRule::needs, .other = "--replay"},
      Combination{
          .option = "--health-timeout", .rule = CombinationRule::needs, .other = "--replay"},
      Combination{.option = "--rest-timeout", .rule = CombinationRule::needs, .other = "--replay"}};
  if (auto checked = check_combinations(arguments, kWithout); !checked) return checked;
  const std::string format = arguments.text("--format");
  if (!arguments.has("--replay") && format != "text" && format != "json") {
    return Diagnostic{.what = fmt::format("--format={} draws what came of a replay", format),
                      .what_to_do = "add --replay, or take text or json"};
  }
  return check_combinations(arguments, kNeeds);
}

Result<ExitCode> run_race(const Arguments& arguments) {
  if (auto checked = check_replay(arguments); !checked) return checked.error();
  const bool is_replay = arguments.has("--replay");
  const auto config =
      read_race_config(arguments.text("--config"), is_replay || arguments.has("--config"));
  if (!config) return config.error();
  const RaceSettings settings = *config ? race_settings(**config) : RaceSettings();
  const auto trace = read_trace_file(arguments.inputs().front());
  if (!trace) return trace.error();
  std::vector<Trace> others;
  for (const std::string& each : std::span(arguments.inputs()).subspan(1)) {
    auto other = read_trace_file(each);
    if (!other) return other.error();
    others.push_back(*std::move(other));
  }
  auto output = Output::open(arguments.text("--output"));
  if (!output) return output.error();
  const RaceCandidates found = find_race_candidates(*trace, settings, jobs_of(arguments), others);
  if (is_replay) return report_replayed_races(arguments, **config, *trace, found, *output);
  const auto report = report_of(arguments, found, *trace, *output);
  if (!report) return report.error();
  if (auto written = output->write_whole(*report); !written) return written.error();
  return ExitCode::nothing_found;
}

std::vector<OptionDefinition> race_options() {
  std::vector<OptionDefinition> options = {
      {.name = "--config",
       .value = "FILE",
       .kind = ValueKind::file,
       .group = "System",
       .meaning = "The file that says what the system's parts are: aliases of stores, what tells "
                  "rows apart, locks of the team's own. Without the option it is read where it is "
                  "there.",
       .fallback = "heddle.yaml"},
      {.name = "--why-not",
       .value = "R1,R2",
       .kind = ValueKind::text,
       .group = kOutputGroup,
       .meaning = "Say of two requests, by their units in the trace, at which step the pair was "
                  "left out, instead of the report."},
      jobs_option("How many threads read statements and compare them; the answer is the same."),
      format_option({"text", "json", "markdown", "svg", "html", "mermaid", "sarif", "junit"},
                    "How it is told; all but text and json need --replay."),
      output_option(),
      color_option(),
  };
  for (OptionDefinition& each : replay_options()) options.push_back(std::move(each));
  return options;
}

CommandDefinition race_definition() {
  return {
      .word = "race",
      .summary = "find requests of a recorded system that can step on each other",
      .arguments = "TRACE [OTHER-TRACE...]",
      .fewest_arguments = 1,
      .most_arguments = 1000,
      .pattern = "*.jsonl",
      .description = {kLooks, kOthers, kNothing},
      .examples = {{"heddle race trace.jsonl", "the candidates of a trace"},
                   {"heddle race --replay trace.jsonl", "what comes of them on the running system"},
                   {"heddle race trace.jsonl earlier.jsonl",
                    "with what an earlier recording tells of the order of calls"},
                   {"heddle race --why-not=17,42 trace.jsonl",
                    "why the requests 17 and 42 are no candidate"}},
      .options = race_options(),
      .exit_codes =
          {{ExitCode::nothing_found,
            "the trace was read, whatever candidates there are; --replay confirmed none"},
           {ExitCode::found, "--replay has confirmed one, or --fail-on names its result"},
           {ExitCode::trouble,
            "the trace, heddle.yaml or the usage is wrong, or the system does not come up"},
           {ExitCode::unknown, "--replay could not decide each candidate, and confirmed none"},
           {ExitCode::interrupted, "interrupted; what was replayed until then is told"}},
      .run = run_race,
  };
}

}  // namespace

const CommandDefinition& race_command() {
  static const CommandDefinition command = race_definition();
  return command;
}

}  // namespace heddle
