// heddle replay: a finding, run again.
#include <cstdint>
#include <string>
#include <utility>

#include "cli/command.h"
#include "cli/command_bounds.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "heddle/finding.h"
#include "heddle/replay.h"
#include "report/report.h"

namespace heddle {

namespace {

Result<Finding> read_finding(const std::string& path) {
  const Result<std::string> text = read_input(path);
  if (!text) return text.error();
  return parse_finding(*text, input_name(path));
}

Result<void> write_report(const ReplayReport& report, const Finding& finding,
                          const Arguments& arguments, Output& output) {
  const std::string format = arguments.text("--format");
  const std::string text = format == "json" ? render_json(report, finding)
                           : format == "junit"
                               ? render_junit(report, finding)
                               : render_text(report, finding, text_options(arguments, output));
  return output.write_whole(text);
}

Result<ExitCode> run_replay(const Arguments& arguments) {
  if (Result<void> begun = begin_bounds(arguments); !begun) return begun.error();
  const Result<Finding> finding = read_finding(arguments.inputs().front());
  if (!finding) return finding.error();
  Result<Output> output = Output::open(arguments.text("--output"));
  if (!output) return output.error();

  const ReplayOptions options{.on = {arguments.texts("--on")},
                              .runs = static_cast<std::uint32_t>(arguments.number("--runs")),
                              .step_timeout_ms = arguments.duration_ms("--step-timeout"),
                              .class_path = arguments.text("--classes")};
  const Result<ReplayReport> report = replay_finding(*finding, options);
  if (!report && report.error().trouble == Trouble::interrupted && is_signalled()) {
    return ExitCode::interrupted;
  }
  if (!report) return report.error();
  if (Result<void> written = write_report(*report, *finding, arguments, *output); !written) {
    return written.error();
  }
  return is_signalled() ? ExitCode::interrupted : exit_code_of(report->verdict);
}

}  // namespace

const CommandDefinition& replay_command() {
  static const CommandDefinition definition = {
      .word = "replay",
      .summary = "run a finding again and say whether it is confirmed",
      .arguments = "FINDING.json",
      .fewest_arguments = 1,
      .most_arguments = 1,
      .pattern = "*.json",
      .description =
          {"A finding is a file that heddle explore --save wrote: a scenario and the one order of "
           "its steps that goes wrong. heddle runs that order several times, each time from fresh "
           "rows, compares each run with the serial orders on the same database, and says in how "
           "many runs the anomaly showed, or what differed.",
           "- reads the finding from standard input."},
      .examples = {{"heddle replay findings/bank-lost-update-3f2a.json",
                    "ten runs on a throwaway PostgreSQL server"},
                   {"heddle replay --on=postgres://me@db.example/ --runs=1 finding.json",
                    "once, on a given server"}},
      .options = {on_option(),
                  {.name = "--runs",
                   .value = "N",
                   .kind = ValueKind::count,
                   .group = "What to run",
                   .meaning = "How often to run it.",
                   .fallback = "10"},
                  classes_option("What to run",
                                 "Where Java finds a compiled program: folders and archives with "
                                 "colons between them. Sessions that call a method of it run the "
                                 "method itself, not what heddle find read of it."),
                  {.name = "--timeout",
                   .value = "DURATION",
                   .kind = ValueKind::duration,
                   .group = "Limits",
                   .meaning = "Stop after this time and say what the runs until then showed."},
                  step_timeout_option(),
                  format_option({"text", "json", "junit"},
                                "How to report; junit is one test case, for build servers."),
                  output_option(),
                  color_option()},
      .exit_codes = {{ExitCode::nothing_found,
                      "no run showed the anomaly, which does not refute it"},
                     {ExitCode::found, "confirmed: every run showed the anomaly"},
                     {ExitCode::trouble, "the file, an option or the database is at fault"},
                     {ExitCode::unknown, "some runs showed it, or a time limit was hit"},
                     {ExitCode::interrupted, "interrupted"}},
      .run = run_replay};
  return definition;
}

}  // namespace heddle
