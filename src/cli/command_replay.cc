// heddle replay: a finding, run again.
#include <cstddef>
#include <cstdint>
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
#include "cli/replay/race_replayer.h"
#include "cli/replay/replay_inputs.h"
#include "cli/replay/sched_replayer.h"
#include "explore/shared_server.h"
#include "heddle/finding.h"
#include "heddle/replay.h"
#include "jvm/java_program.h"
#include "report/explore/explore_reports.h"
#include "report/explore/replay_reports.h"
#include "report/race/finding_replay.h"
#include "report/sched/finding_replay.h"
#include "report/sched/sched_reports.h"
#include "report/text/junit_xml.h"

namespace heddle {

namespace {

// Runs findings: scenarios of the same store on one server, races on one system.
class Replayer {
 public:
  Replayer(const Arguments& arguments, TextOptions text)
      : options_{.on = {arguments.texts("--on")},
                 .runs = static_cast<std::uint32_t>(arguments.number("--runs")),
                 .step_timeout_ms = arguments.duration_ms("--step-timeout"),
                 .program = java_program(arguments.text("--classes"))},
        text_(text),
        server_(options_.on),
        races_(arguments),
        threads_(arguments) {}

  // REQUIRES: the input could be read.
  Result<ToldReplay> replay(const ReplayInput& input) {
    if (input.threads) return replay(*input.threads);
    return input.race ? replay(*input.race) : replay(*input.finding);
  }

  // Whether a message of the last trouble would be the one that was there before.
  bool is_told_before() { return races_.has_no_system() && std::exchange(is_down_told_, true); }

 private:
  Result<ToldReplay> replay(const Finding& finding) {
    if (auto ready = server_.prepare_for(finding.scenario); !ready) return ready.error();
    const Result<ReplayReport> report = replay_finding(finding, options_);
    server_.conclude(finding.scenario, !report);
    if (!report) return report.error();
    return told_replay(*report, finding, text_);
  }

  Result<ToldReplay> replay(const RaceFinding& finding) {
    const auto report = races_.replay(finding);
    if (!report) return report.error();
    const bool is_failing = races_.is_failing(finding);
    return ToldReplay{.head = replay_head(*report, finding),
                      .text = render_text(*report, finding, text_),
                      .json = to_json(*report, finding),
                      .suite = replay_suite(*report, finding, is_failing),
                      .verdict = report->verdict,
                      .is_replayable = report->obstacle.empty(),
                      .is_failing = is_failing};
  }

  Result<ToldReplay> replay(const SchedFinding& finding) {
    const auto report = threads_.replay(finding);
    if (!report) return report.error();
    return ToldReplay{.head = replay_head(*report, finding),
                      .text = render_text(*report, finding, text_),
                      .json = to_json(*report, finding),
                      .svg = render_svg(shown_finding(*report, finding)),
                      .html = render_html(shown_finding(*report, finding)),
                      .suite = replay_suite(*report, finding),
                      .verdict = report->verdict,
                      .is_replayable = report->obstacle.empty(),
                      .is_failing = true};
  }

  ReplayOptions options_;
  TextOptions text_;
  SharedServer server_;
  RaceReplayer races_;
  SchedReplayer threads_;
  bool is_down_told_ = false;
};

ExitCode exit_code_of(const ToldReplay& told) {
  const bool is_allowed = told.verdict == Verdict::violated && !told.is_failing;
  return is_allowed ? ExitCode::nothing_found : exit_code_of(told.verdict);
}

Result<ExitCode> replay_one(const ReplayInput& input, const Arguments& arguments, Output& output) {
  if (input.trouble) return *input.trouble;
  const Result<ToldReplay> told =
      Replayer(arguments, text_options(arguments, output)).replay(input);
  if (!told && told.error().trouble == Trouble::interrupted && is_signalled()) {
    return ExitCode::interrupted;
  }
  if (!told) {
    Diagnostic trouble = told.error();
    if (input.race && trouble.file.empty()) trouble.file = input.file;
    return trouble;
  }
  const std::string format = arguments.text("--format");
  const std::string text = format == "json"    ? told->json
                           : format == "junit" ? junit_document("heddle replay", {told->suite})
                           : format == "svg"   ? told->svg
                           : format == "html"  ? told->html
                                               : told->text;
  if (Result<void> written = output.write_whole(text); !written) return written.error();
  return is_signalled() ? ExitCode::interrupted : exit_code_of(*told);
}

// What of the format is written as soon as a file was run.
std::string line_of(const ReplayedFile& file, const std::string& format) {
  if (!file.told || format == "junit") return "";
  return format == "json" ? one_line_json(file.told->json) : replay_line(file) + "\n";
}

// A file that cannot be run does not keep the others from running, but it decides the exit code.
Result<ExitCode> replay_several(const std::vector<ReplayInput>& inputs, const Arguments& arguments,
                                Output& output) {
  const std::string format = arguments.text("--format");
  Replayer replayer(arguments, text_options(arguments, output));
  ExitCode code = ExitCode::nothing_found;
  std::vector<ReplayedFile> replayed;
  for (const ReplayInput& input : inputs) {
    if (interrupted()) break;
    ReplayedFile file{.file = input.file, .trouble = input.trouble};
    if (input.finding) file.name = case_name(*input.finding);
    if (input.race) file.name = case_name(*input.race);
    if (input.threads) file.name = case_name(*input.threads);
    if (!file.trouble) {
      Result<ToldReplay> told = replayer.replay(input);
      if (told) {
        file.told = std::move(*told);
      } else if (told.error().trouble == Trouble::interrupted) {
        break;
      } else {
        file.trouble = told.error();
        if (file.trouble->file.empty()) file.trouble->file = file.file;
      }
    }
    code = graver(code, file.trouble ? exit_code_of(*file.trouble) : exit_code_of(*file.told));
    if (file.trouble && (input.trouble || !replayer.is_told_before())) {
      print_diagnostic(*file.trouble);
    }
    const std::string line = line_of(file, format);
    replayed.push_back(std::move(file));
    if (Result<void> written = output.write(line); !written) return written.error();
  }
  const std::size_t left = inputs.size() - replayed.size();
  const std::string rest = format == "junit"  ? render_junit(replayed)
                           : format == "json" ? std::string()
                                              : replay_summary(replayed, left) + "\n";
  if (Result<void> written = output.write_whole(rest); !written) return written.error();
  if (is_signalled()) return ExitCode::interrupted;
  return left > 0 ? graver(code, ExitCode::unknown) : code;
}

// Drawings are of one finding of a thread program: explore and race draw theirs when they find
// them.
Result<void> check_drawing(const std::string& format, const ReplayInputs& inputs) {
  if (format != "svg" && format != "html") return {};
  if (!inputs.are_several && inputs.files.front().threads) return {};
  return Diagnostic{.what = "--format=" + format + " draws one finding of a thread program",
                    .what_to_do = inputs.are_several
                                      ? "name one file, or use --format=text, json or junit"
                                      : "use --format=text, json or junit"};
}

Result<ExitCode> run_replay(const Arguments& arguments) {
  if (Result<void> begun = begin_bounds(arguments); !begun) return begun.error();
  Result<ReplayInputs> inputs = read_findings(arguments.inputs());
  if (!inputs) return inputs.error();
  if (!inputs->are_several && inputs->files.front().trouble) return *inputs->files.front().trouble;
  if (auto drawn = check_drawing(arguments.text("--format"), *inputs); !drawn) return drawn.error();
  Result<Output> output = Output::open(arguments.text("--output"));
  if (!output) return output.error();
  return inputs->are_several ? replay_several(inputs->files, arguments, *output)
                             : replay_one(inputs->files.front(), arguments, *output);
}

std::vector<OptionDefinition> replay_command_options() {
  std::vector<OptionDefinition> options = {
      on_option(),
      {.name = "--runs",
       .value = "N",
       .kind = ValueKind::count,
       .group = "What to run",
       .meaning = "How often to run it.",
       .fallback = "10"},
      classes_option("What to run",
                     "Where Java finds a compiled program: folders and archives with colons "
                     "between them. Sessions that call a method of it run the method itself, not "
                     "what heddle find read of it."),
      {.name = "--timeout",
       .value = "DURATION",
       .kind = ValueKind::duration,
       .group = "Limits",
       .meaning = "Stop after this time and say what the runs until then showed."},
      step_timeout_option(),
      format_option({"text", "json", "junit", "svg", "html"},
                    "How to report; json is one line per file where there are several, junit has "
                    "one test case per file, for build servers. svg and html draw a finding of a "
                    "thread program."),
      output_option(),
      color_option()};
  for (OptionDefinition& each : sched_replayer_options()) options.push_back(std::move(each));
  for (OptionDefinition& each : race_replayer_options()) options.push_back(std::move(each));
  return options;
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
           "its steps that goes wrong; or one of heddle race --replay --save: two requests and the "
           "order of their statements; or one that a program of heddle::sched wrote: an execution "
           "of its threads. heddle runs that order several times, each time from the "
           "state before, compares each run with the serial orders, and says in how many runs the "
           "anomaly showed, or what differed.",
           "Scenarios run on a database, races on the system that heddle.yaml describes. Of "
           "several "
           "files each has one line and all together a last one; a folder stands for what ends in "
           ".json in it. They share one server, and one system. - reads a finding from standard "
           "input."},
      .examples = {{"heddle replay findings/bank-lost-update-3f2a.json",
                    "ten runs on a throwaway PostgreSQL server"},
                   {"heddle replay findings",
                    "all findings of a folder on one server, one line each"},
                   {"heddle replay races",
                    "races of requests, on the system of heddle.yaml, which is started once"},
                   {"heddle replay --program=build/lost reports/lost.json",
                    "a program with threads, under the schedule that failed"},
                   {"heddle replay --on=postgres://me@db.example/ --runs=1 finding.json",
                    "once, on a given server"}},
      .options = replay_command_options(),
      .exit_codes = {{ExitCode::nothing_found,
                      "no run showed the anomaly, which does not refute it"},
                     {ExitCode::found, "confirmed: every run showed the anomaly"},
                     {ExitCode::trouble,
                      "the file, an option, the database or the system is at fault"},
                     {ExitCode::unknown,
                      "some runs showed it, a race is not replayable, a program has changed, or a "
                      "time limit was hit"},
                     {ExitCode::interrupted, "interrupted"}},
      .run = run_replay};
  return definition;
}

}  // namespace heddle
