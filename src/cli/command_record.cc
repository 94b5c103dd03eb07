// heddle record: what passes between the parts of a running system.
#include <array>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "cli/commands.h"
#include "cli/options/combinations.h"
#include "cli/options/command.h"
#include "cli/options/options.h"
#include "cli/options/shared_options.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/record/record_check_json.h"
#include "cli/record/record_check_text.h"
#include "cli/record/record_init.h"
#include "frontend/config/config.h"
#include "record/check/check_system.h"
#include "record/recording.h"
#include "store/client_environment.h"

namespace heddle {

namespace {

constexpr std::string_view kBetween =
    "heddle stands between the parts of a system: heddle.yaml names its services, its stores and "
    "who calls whom, and each caller connects to heddle instead. Requests and statements are "
    "passed "
    "on as they are, and written down with what was answered and the flow that each belongs to.";
constexpr std::string_view kRuns =
    "The command is whatever sends requests: a test suite, a load script. Its environment has the "
    "addresses of the outer edges. Without a command heddle records until it is interrupted.";

Result<Config> read_config(const Arguments& arguments) {
  const std::string path = arguments.text("--config");
  const auto text = read_input(path);
  if (!text) {
    Diagnostic trouble = text.error();
    if (trouble.what_to_do.empty()) {
      trouble.what_to_do = "name the file that describes the system with --config=FILE";
    }
    return trouble;
  }
  auto config = parse_system_config(*text, path);
  if (config && config->system.position.line == 0) {
    return Diagnostic{.what = "there is no section \"system\"",
                      .what_to_do = "describe services, stores and edges in one",
                      .file = path,
                      .position = {.line = 1, .column = 1}};
  }
  return config;
}

RecordOptions chosen_options(const Arguments& arguments) {
  RecordOptions options{.trace = arguments.text("--output"), .version = arguments.version()};
  options.command = arguments.inputs();
  options.environment = whole_environment();
  for (std::string& each : taken_variables()) options.environment.push_back(std::move(each));
  options.idle_ms = arguments.duration_ms("--idle");
  options.health_ms = arguments.duration_ms("--health-timeout");
  options.rest_ms = arguments.duration_ms("--rest-timeout");
  options.max_rows = arguments.number("--max-rows");
  options.max_body = arguments.number("--max-body");
  options.is_serial = arguments.has("--serial");
  options.is_held = arguments.text("--schedule") == "first-come";
  return options;
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string summary(Recording& recording, const std::string& path) {
  const RecordCounts counts = recording.recorder().counts();
  std::string text =
      fmt::format("{}: {} in {}, {}; {} in the background, {} unsure\n", path,
                  plural(counts.requests, "request"), plural(counts.flows, "flow"),
                  plural(counts.statements, "statement"), counts.background, counts.unsure);
  if (recording.restless() > 0) {
    text += fmt::format(
        "{} time{} the system was not at rest when the waiting for it ended "
        "(--rest-timeout)\n",
        recording.restless(), recording.restless() == 1 ? "" : "s");
  }
  for (const std::string& store : recording.bypassed()) {
    text += fmt::format(
        "{} is bypassed: not all that happened there is in the trace (heddle record "
        "--check says by whom)\n",
        store);
  }
  return text;
}

// What would mean nothing where nothing is recorded, or nothing is kept.
Result<void> check_modes(const Arguments& arguments) {
  static constexpr auto kInit =
      idle_with<9>("--init", "",
                   {"--check", "--output", "--idle", "--serial", "--schedule", "--health-timeout",
                    "--rest-timeout", "--max-rows", "--max-body"});
  static constexpr auto kCheck = idle_with<2>("--check", "", {"--output", "--max-rows"});
  static constexpr std::array kFormat = {
      Combination{.option = "--format", .rule = CombinationRule::needs, .other = "--check"}};
  if (auto checked = check_combinations(arguments, kFormat); !checked) return checked;
  if (auto checked = check_combinations(arguments, kInit); !checked) return checked;
  if (auto checked = check_combinations(arguments, kCheck); !checked) return checked;
  if (!arguments.has("--init") || arguments.inputs().empty()) return {};
  return Diagnostic{.what = "--init runs no command",
                    .what_to_do = "leave out --init, or the command"};
}

Result<ExitCode> run_record_check(const Arguments& arguments, const Config& config) {
  auto output = Output::open("");
  if (!output) return output.error();
  const auto check = check_system(config, chosen_options(arguments));
  if (!check) return check.error();
  const std::string text = arguments.text("--format") == "json"
                               ? record_check_json(*check)
                               : record_check_text(*check, text_options(arguments, *output));
  if (auto written = output->write_whole(text); !written) return written.error();
  return check->problems.empty() ? ExitCode::nothing_found : ExitCode::found;
}

Result<ExitCode> run_record(const Arguments& arguments) {
  if (auto checked = check_modes(arguments); !checked) return checked.error();
  if (arguments.has("--init")) return write_first_config(arguments.text("--config"));
  const auto config = read_config(arguments);
  if (!config) return config.error();
  install_interrupt_handler();
  if (arguments.has("--check")) return run_record_check(arguments, *config);
  auto recording = Recording::open(*config, chosen_options(arguments));
  if (!recording) return recording.error();
  if (auto begun = (*recording)->begin(); !begun) return begun.error();
  if (arguments.inputs().empty()) {
    for (const ProxiedEdge& each : (*recording)->proxies().edges()) {
      print_on_terminal(fmt::format("{} at {}\n", each.edge.name(), each.listener->address()));
    }
  }
  const auto outcome = (*recording)->run();
  const auto ended = (*recording)->end(outcome);
  if (!outcome && outcome.error().trouble != Trouble::interrupted) return outcome.error();
  print_on_terminal(summary(**recording, arguments.text("--output")));
  if (!ended) {
    print_diagnostic(ended.error());
    return ExitCode::unknown;
  }
  if (!outcome) return ExitCode::interrupted;
  if (outcome->signal != 0) return static_cast<ExitCode>(128 + outcome->signal);
  return static_cast<ExitCode>(outcome->exit_code);
}

std::vector<OptionDefinition> system_options() {
  return {
      {.name = "--config",
       .value = "FILE",
       .kind = ValueKind::file,
       .group = "System",
       .meaning = "The file that says what the system's parts are.",
       .fallback = "heddle.yaml"},
      {.name = "--init",
       .group = "System",
       .meaning = "Write that file, with a comment for each key, instead of recording; --config=- "
                  "prints it."},
      {.name = "--check",
       .group = "System",
       .meaning = "Look whether all that the system does passes through heddle, and print what is "
                  "to be changed, instead of recording."},
      {.name = "--idle",
       .value = "TIME",
       .kind = ValueKind::duration,
       .group = "System",
       .meaning =
           "How long the idle system is listened to, to learn what its services do on their own.",
       .fallback = "2s"},
      {.name = "--serial",
       .group = "System",
       .meaning = "Everything until the system is at rest belongs to the request before it."},
      {.name = "--schedule",
       .value = "ORDER",
       .kind = ValueKind::choice,
       .group = "System",
       .meaning = "at-once passes everything on as it comes; first-come holds each unit and lets "
                  "them go in the order of their arrival.",
       .fallback = "at-once",
       .choices = {"at-once", "first-come"}},
      {.name = "--health-timeout",
       .value = "TIME",
       .kind = ValueKind::duration,
       .group = "System",
       .meaning = "How long the system may take to come up.",
       .fallback = "60s"},
      {.name = "--rest-timeout",
       .value = "TIME",
       .kind = ValueKind::duration,
       .group = "System",
       .meaning = "How long its rest is waited for when the command has ended.",
       .fallback = "10s"},
  };
}

std::vector<OptionDefinition> trace_options() {
  return {
      {.name = "--output",
       .value = "FILE",
       .kind = ValueKind::file,
       .group = "Trace",
       .meaning = "The trace.",
       .fallback = "trace.jsonl"},
      {.name = "--max-rows",
       .value = "N",
       .kind = ValueKind::number,
       .group = "Trace",
       .meaning = "Rows of a result that are written; more are counted and hashed.",
       .fallback = "1000"},
      {.name = "--max-body",
       .value = "BYTES",
       .kind = ValueKind::number,
       .group = "Trace",
       .meaning = "Bytes of a body, or of the rows of a result, that are written.",
       .fallback = "1000000"},
  };
}

std::vector<OptionDefinition> record_options() {
  std::vector<OptionDefinition> options = system_options();
  for (OptionDefinition& each : trace_options()) options.push_back(each);
  options.push_back(format_option({"text", "json"}, "What --check prints."));
  options.push_back(color_option());
  return options;
}

CommandDefinition record_definition() {
  return {
      .word = "record",
      .summary = "write down what passes between the parts of a running system",
      .arguments = "[-- COMMAND [ARGUMENT...]]",
      .fewest_arguments = 0,
      .most_arguments = 1000,
      .description = {kBetween, kRuns},
      .examples = {{"heddle record --init", "a heddle.yaml to begin with"},
                   {"heddle record --check -- npm test",
                    "whether all that the tests make the system do passes through heddle"},
                   {"heddle record --config=heddle.yaml -- npm test",
                    "what the tests make the system do, in trace.jsonl"}},
      .options = record_options(),
      .exit_codes = {{ExitCode::nothing_found,
                      "the command has ended well; else its own exit code"},
                     {ExitCode::found, "--check has found problems"},
                     {ExitCode::trouble,
                      "heddle.yaml or the usage is wrong, or the system does not "
                      "come up"},
                     {ExitCode::unknown, "the trace could not be written to its end"},
                     {ExitCode::interrupted, "interrupted; what passed until then is written"}},
      .run = run_record,
  };
}

}  // namespace

const CommandDefinition& record_command() {
  static const CommandDefinition command = record_definition();
  return command;
}

}  // namespace heddle
