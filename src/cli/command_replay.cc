// heddle replay: a finding, run again.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "cli/command_bounds.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options/command.h"
#include "cli/options/options.h"
#include "cli/options/shared_options.h"
#include "cli/output/output.h"
#include "cli/replay_files.h"
#include "explore/shared_server.h"
#include "heddle/finding.h"
#include "heddle/replay.h"
#include "jvm/java_program.h"
#include "report/explore/explore_reports.h"
#include "report/explore/replay_reports.h"

namespace heddle {

namespace {

// Runs findings, all of the same store on one server.
class Replayer {
 public:
  explicit Replayer(const Arguments& arguments)
      : options_{.on = {arguments.texts("--on")},
                 .runs = static_cast<std::uint32_t>(arguments.number("--runs")),
                 .step_timeout_ms = arguments.duration_ms("--step-timeout"),
                 .program = java_program(arguments.text("--classes"))},
        server_(options_.on) {}

  Result<ReplayReport> replay(const Finding& finding) {
    if (auto ready = server_.prepare_for(finding.scenario); !ready) return ready.error();
    Result<ReplayReport> report = replay_finding(finding, options_);
    server_.conclude(finding.scenario, !report);
    return report;
  }

 private:
  ReplayOptions options_;
  SharedServer server_;
};

Result<ExitCode> replay_one(const ReplayedFile& file, const Arguments& arguments, Output& output) {
  if (file.trouble) return *file.trouble;
  const Finding& finding = *file.finding;
  const Result<ReplayReport> report = Replayer(arguments).replay(finding);
  if (!report && report.error().trouble == Trouble::interrupted && is_signalled()) {
    return ExitCode::interrupted;
  }
  if (!report) return report.error();
  const std::string format = arguments.text("--format");
  const std::string text = format == "json" ? render_json(*report, finding)
                           : format == "junit"
                               ? render_junit(*report, finding)
                               : render_text(*report, finding, text_options(arguments, output));
  if (Result<void> written = output.write_whole(text); !written) return written.error();
  return is_signalled() ? ExitCode::interrupted : exit_code_of(report->verdict);
}

// A file that cannot be run does not keep the others from running, but it decides the exit code.
Result<ExitCode> replay_several(std::vector<ReplayedFile>& files, const Arguments& arguments,
                                Output& output) {
  const std::string format = arguments.text("--format");
  Replayer replayer(arguments);
  ExitCode code = ExitCode::nothing_found;
  std::size_t done = 0;
  for (; done < files.size() && !interrupted(); ++done) {
    ReplayedFile& file = files[done];
    if (!file.trouble) {
      Result<ReplayReport> report = replayer.replay(*file.finding);
      if (report) {
        file.report = std::move(*report);
      } else if (report.error().trouble == Trouble::interrupted) {
        break;
      } else {
        file.trouble = report.error();
        if (file.trouble->file.empty()) file.trouble->file = file.file;
      }
    }
    code = graver(code,
                  file.trouble ? exit_code_of(*file.trouble) : exit_code_of(file.report->verdict));
    if (file.trouble) print_diagnostic(*file.trouble);
    if (file.trouble || format == "junit") continue;
    const std::string line = format == "json"
                                 ? one_line_json(render_json(*file.report, *file.finding))
                                 : replay_line(file) + "\n";
    if (Result<void> written = output.write(line); !written) return written.error();
  }
  const std::span<const ReplayedFile> replayed(files.data(), done);
  const std::string rest = format == "junit" ? render_junit(replayed)
                           : format == "json"
                               ? std::string()
                               : replay_summary(replayed, files.size() - done) + "\n";
  if (Result<void> written = output.write_whole(rest); !written) return written.error();
  if (is_signalled()) return ExitCode::interrupted;
  return done < files.size() ? graver(code, ExitCode::unknown) : code;
}

Result<ExitCode> run_replay(const Arguments& arguments) {
  if (Result<void> begun = begin_bounds(arguments); !begun) return begun.error();
  Result<ReplayInputs> inputs = read_findings(arguments.inputs());
  if (!inputs) return inputs.error();
  if (!inputs->are_several && inputs->files.front().trouble) return *inputs->files.front().trouble;
  Result<Output> output = Output::open(arguments.text("--output"));
  if (!output) return output.error();
  return inputs->are_several ? replay_several(inputs->files, arguments, *output)
                             : replay_one(inputs->files.front(), arguments, *output);
}

}  // namespace

const CommandDefinition& replay_command() {
  static const CommandDefinition definition = {
      .word = "replay",
      .summary = "run a finding again and say whether it is confirmed",
      .arguments = "FINDING.json...",
      .fewest_arguments = 1,
      .most_arguments = 100'000,
      .pattern = "*.json",
      .description =
          {"A finding is a file that heddle explore --save wrote: a scenario and the one order of "
           "its steps that goes wrong. heddle runs that order several times, each time from fresh "
           "rows, compares each run with the serial orders on the same database, and says in how "
           "many runs the anomaly showed, or what differed.",
           "Of several files each has one line and all together a last one; a folder stands for "
           "what "
           "ends in .json in it. They share one server. - reads a finding from standard input."},
      .examples = {{"heddle replay findings/bank-lost-update-3f2a.json",
                    "ten runs on a throwaway PostgreSQL server"},
                   {"heddle replay findings",
                    "all findings of a folder on one server, one line each"},
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
                                "How to report; json is one line per file where there are several, "
                                "junit has one test case per file, for build servers."),
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
