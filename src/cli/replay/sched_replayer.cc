#include "cli/replay/sched_replayer.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/printable.h"
#include "base/process.h"
#include "throwaway/directory.h"

namespace heddle {

namespace {

// A program that is stuck is ended by its own watchdog long before.
constexpr std::uint32_t kLongestMs = 10 * 60 * 1000;

// Other variables of heddle's that this process has are for searching.
std::vector<std::string> environment_of(const SchedFinding& finding, const std::string& folder) {
  std::vector<std::string> environment = whole_environment();
  std::erase_if(environment, [](const std::string& set) {
    return set.starts_with("HEDDLE_") && !set.starts_with("HEDDLE_WATCHDOG=");
  });
  environment.insert(environment.end(), finding.environment.begin(), finding.environment.end());
  environment.push_back("HEDDLE_REPLAY=" + finding.token);
  environment.push_back("HEDDLE_SCHED_REPORT=" + folder);
  environment.emplace_back("HEDDLE_TOKENS=off");
  return environment;
}

Result<std::string> program_of(const SchedFinding& finding, const std::string& given) {
  const std::string& path = given.empty() ? finding.program : given;
  if (path.empty()) {
    return Diagnostic{.what = "the finding names no program",
                      .what_to_do = "name it: --program=PATH"};
  }
  if (access(path.c_str(), X_OK) != 0) {
    return Diagnostic{.what = fmt::format("there is no program \"{}\"", excerpt(path)),
                      .what_to_do = "build it, or say where it is: --program=PATH"};
  }
  // Without a slash it would be looked for elsewhere.
  return path.find('/') == std::string::npos ? "./" + path : path;
}

std::string last_line(const std::string& text) {
  std::string_view left = text;
  while (left.ends_with('\n')) left.remove_suffix(1);
  const std::size_t begin = left.rfind('\n');
  return std::string(begin == std::string_view::npos ? left : left.substr(begin + 1));
}

bool fails_alike(const SchedFinding& one, const SchedFinding& other) {
  // Others tell in their message how it came to it, which may differ.
  const bool is_told = one.oracle == "assertion failed" || one.oracle == "exception escaped" ||
                       one.oracle == "broken invariant";
  return one.oracle == other.oracle && (!is_told || one.message == other.message);
}

// What a run came to that did not fail as it should.
std::string difference_of(const SchedExecution& execution) {
  const std::string_view changed = execution.is_changed ? "the program has changed, and " : "";
  if (!execution.finding) return fmt::format("{}nothing fails", changed);
  return fmt::format("{}it fails otherwise: {}: {}", changed, printable(execution.finding->oracle),
                     printable(execution.finding->message));
}

void note_run(const SchedFinding& finding, SchedExecution execution, SchedReplayReport& report) {
  ++report.runs;
  report.is_changed = report.is_changed || execution.is_changed;
  if (execution.finding && fails_alike(*execution.finding, finding)) {
    ++report.confirmed;
    report.shown = std::move(execution.finding);
  } else {
    report.differences.push_back(difference_of(execution));
  }
}

}  // namespace

std::vector<OptionDefinition> sched_replayer_options() {
  return {{.name = "--program",
           .value = "PATH",
           .kind = ValueKind::file,
           .group = "Thread programs",
           .meaning =
               "The program that a finding of heddle::sched is of, where it is not where the "
               "finding says."}};
}

Result<SchedReplayReport> SchedReplayer::replay(const SchedFinding& finding) const {
  const Result<std::string> program = program_of(finding, arguments_.text("--program"));
  if (!program) return program.error();
  SchedReplayReport report;
  report.program = *program;
  if (finding.token.empty() || finding.is_unsteady) {
    report.obstacle = "its schedule did not show it again when it was found";
    return report;
  }
  const auto directory = ThrowawayDirectory::create(throwaway_roots(), std::nullopt);
  if (!directory) return directory.error();
  const std::string folder = (*directory)->data();
  const std::string answer = folder + "/execution.json";
  Command command;
  command.arguments = {*program};
  command.environment = environment_of(finding, folder);
  command.arguments.insert(command.arguments.end(), finding.arguments.begin(),
                           finding.arguments.end());
  const auto runs = static_cast<std::uint32_t>(arguments_.number("--runs"));
  while (report.runs < runs && !interrupted()) {
    const Result<ProcessOutcome> outcome = run_process(command, kLongestMs);
    if (!outcome) {
      if (outcome.error().trouble == Trouble::interrupted && report.runs > 0) break;
      return outcome.error();
    }
    const Result<std::string> told = read_file(answer);
    if (!told) {
      const std::string said = last_line(outcome->output);
      report.obstacle = "the program does not execute this token" +
                        (said.empty() ? "" : ": " + printable(excerpt(said)));
      break;
    }
    Result<SchedExecution> execution = parse_sched_execution(*told, answer);
    if (!execution) return execution.error();
    unlink(answer.c_str());
    note_run(finding, std::move(*execution), report);
  }
  // Where the program has changed and nothing fails, the schedule is not what it was: that says
  // nothing of others. After an obstacle the runs before it say nothing.
  if (report.obstacle.empty()) settle(report, !report.is_changed);
  return report;
}

}  // namespace heddle
