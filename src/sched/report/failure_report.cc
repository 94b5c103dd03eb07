#include "sched/report/failure_report.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "report/sched/sched_reports.h"
#include "sched/explain/explanation.h"
#include "sched/report/finding.h"
#include "sched/runtime/libc.h"
#include "sched/test/output.h"

namespace heddle::sched::runtime {

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
  failure.token = token_of(test, execution);
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
                                .token = failure.token,
                                .found_in = executions,
                                .written = written});
  } else {
    finding.test = test.name();
    finding.oracle = failure.kind;
    finding.message = failure.what;
    finding.token = failure.token;
    finding.is_unsteady = true;
  }
  finding.again = "HEDDLE_REPLAY=" + failure.token + " " + command_line();
  failure.report = render_text(finding, TextOptions{});
  return failure;
}

std::optional<Token> token_to_replay() {
  const char* text = getenv("HEDDLE_REPLAY");
  if (text == nullptr) return std::nullopt;
  const std::optional<Token> token = parse_token(text);
  if (!token) stop_program("heddle: HEDDLE_REPLAY is no token: it was cut or mistyped");
  return token;
}

Answer left_out() {
  return {.passed = true, .executions = 0, .coverage = "left out", .failure = {}};
}

Answer replay_token(Test& test, const Token& token) {
  Answer answer;
  answer.executions = 1;
  answer.coverage = "one schedule";
  test.set_seed(token.seed);
  const Execution execution = test.replay(token.schedule, false);
  answer.passed = !execution.failed();
  if (static_cast<std::uint32_t>(execution.events) != token.events) {
    write_error(
        "heddle: what happens under this token is not what happened when it was printed: the "
        "program "
        "or its build has changed\n");
  }
  if (!answer.passed) answer.failure = explain(test, execution, 1);
  return answer;
}

}  // namespace heddle::sched::runtime
