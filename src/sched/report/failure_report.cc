#include "sched/report/failure_report.h"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "report/sched/sched_reports.h"
#include "sched/explain/explanation.h"
#include "sched/report/finding.h"
#include "sched/report/kept_tokens.h"
#include "sched/report/report_files.h"
#include "sched/report/unseen_libraries.h"
#include "sched/runtime/libc.h"
#include "sched/test/output.h"

namespace heddle::sched::runtime {

namespace {

// Of this process; empty: the system does not say.
std::string program_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length <= 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

// Empty: there is nowhere to stop.
std::string debugger_command(const std::string& token, const std::optional<ShownStop>& shown) {
  if (!shown) return "";
  std::string command = "HEDDLE_REPLAY=" + token + " HEDDLE_SCHED_BREAK=" + break_text(shown->stop);
  for (const std::string& set : execution_environment()) command += " " + set;
  command += " gdb -q -ex 'break heddle_sched_break' -ex run";
  command += " -ex 'frame address *(long*)&heddle_sched_frame'";
  if (shown->below > 0) command += " -ex 'down " + std::to_string(shown->below) + "'";
  return command + " --args " + command_line();
}

}  // namespace

std::string token_of(const Test& test, const Execution& execution) {
  Token token{.schedule = execution.schedule,
              .check = test.number(),
              .seed = test.options().seed,
              .events = static_cast<std::uint32_t>(execution.events),
              .program = {}};
  if (test.judge() != nullptr) token.program = test.judge()->program_numbers();
  return print_token(token);
}

sched::Failure explain(Test& test, const Execution& execution, std::uint64_t executions) {
  sched::Failure failure;
  failure.kind = name(execution.failure.kind);
  failure.what = execution.failure.what;
  const std::string token = token_of(test, execution);
  failure.token = test.options().quiet ? token : told_token(token);
  // What is told is the same whatever was known before to be shared. What threads share in this
  // execution is learned by the first replay: the second shows all accesses to it.
  engine().shadow().forget_shared();
  test.replay(execution.schedule, false);
  std::string written;
  const Execution shown = [&] {
    const Captured captured;
    Execution recorded = test.record(execution.schedule, captured.file());
    written = captured.text();
    return recorded;
  }();
  SchedFinding finding;
  if (shown.failed()) {
    const Explanation why = explain_why(test, shown);
    finding = finding_of(test, {.execution = shown,
                                .why = why,
                                .token = token,
                                .found_in = executions,
                                .written = written});
    finding.debugger = debugger_command(failure.token, shown_stop(why));
  } else {
    finding.test = test.name();
    finding.oracle = failure.kind;
    finding.message = failure.what;
    finding.token = token;
    finding.is_unsteady = true;
  }
  finding.environment = execution_environment();
  finding.again = "HEDDLE_REPLAY=" + failure.token + " ";
  for (const std::string& set : finding.environment) finding.again += set + " ";
  finding.again += command_line();
  const std::vector<std::string> words = command_words();
  finding.program = program_path();
  finding.arguments.assign(words.begin() + 1, words.end());
  failure.report = render_text(finding, TextOptions{});
  const bool may_be_unseen = execution.failure.kind == FailureKind::data_race ||
                             execution.failure.kind == FailureKind::deadlock ||
                             execution.failure.kind == FailureKind::livelock;
  const std::string unseen = may_be_unseen ? describe_unseen(unseen_libraries()) : "";
  if (!unseen.empty()) failure.report += "note: " + unseen + "\n";
  keep_finding(finding);
  return failure;
}

std::optional<Token> token_to_replay() {
  const char* text = getenv("HEDDLE_REPLAY");
  if (text == nullptr) return std::nullopt;
  const std::optional<Token> token = read_token(text);
  if (!token) {
    stop_program(strchr(text, '/') == nullptr
                     ? "heddle: HEDDLE_REPLAY is no token: it was cut or mistyped"
                     : "heddle: HEDDLE_REPLAY names a file that is not there or holds no token");
  }
  return token;
}

Answer left_out() {
  return {.passed = true, .executions = 0, .coverage = "left out", .failure = {}};
}

namespace {

// Whether other things happen than when the token was printed. Where nothing fails the execution
// has gone on.
bool has_changed(Test& test, const Token& token, const Execution& execution) {
  if (execution.failed()) return static_cast<std::uint32_t>(execution.events) != token.events;
  return !test.replay_looking_for(token.schedule, token.events).has_come_by;
}

}  // namespace

Answer replay_to(Test& test, const Token& token, const DebuggerStop& stop) {
  test.set_seed(token.seed);
  const Execution execution = test.replay_to(token.schedule, stop);
  Answer answer{
      .passed = !execution.failed(), .executions = 1, .coverage = "one schedule", .failure = {}};
  if (answer.passed) return answer;
  answer.failure.kind = name(execution.failure.kind);
  answer.failure.what = execution.failure.what;
  answer.failure.report = "heddle: " + answer.failure.kind + ": " + answer.failure.what + "\n";
  return answer;
}

Answer replay_token(Test& test, const Token& token) {
  Answer answer;
  answer.executions = 1;
  answer.coverage = "one schedule";
  test.set_seed(token.seed);
  if (const auto stop = debugger_stop()) return replay_to(test, token, *stop);
  const Execution execution = test.replay(token.schedule, false);
  answer.passed = !execution.failed();
  const bool is_changed = has_changed(test, token, execution);
  keep_execution(print_token(token), is_changed);
  if (is_changed) {
    write_error(
        "heddle: what happens under this token is not what happened when it was printed: the "
        "program "
        "or its build has changed\n");
  }
  if (!answer.passed) answer.failure = explain(test, execution, 1);
  return answer;
}

}  // namespace heddle::sched::runtime
