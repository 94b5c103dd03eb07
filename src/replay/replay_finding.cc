// heddle::replay_finding: the schedule of a finding again and again, each run judged anew by serial
// orders executed on the same store.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "heddle/replay.h"
#include "replay/judge.h"
#include "replay/runner.h"
#include "store/open/open.h"

namespace heddle {

namespace {

// The scripts that make up the schedule, session by session.
SessionScripts scripts_of_schedule(const Finding& finding) {
  Permutation permutation;
  permutation.steps = finding.schedule.steps;
  return scripts_of(finding.scenario, permutation);
}

bool is_confirmed(const Finding& finding, const Judgement& judgement) {
  if (is_unconfirmed(finding)) return judgement.anomalous;
  if (finding.kind == AnomalyKind::broken_invariant) return !judgement.broken_invariants.empty();
  return judgement.anomalous && judgement.effect == finding.effect;
}

// What was different this time, for people.
std::string difference_of(const Finding& finding, const Run& run, const Judgement& judgement) {
  if (judgement.undecided) return "not all serial orders could be run";
  if (judgement.anomalous) {
    return judgement.effect == Effect::internal
               ? "the final state differs from every serial order's, not only what was read"
               : "only what was read differs from every serial order's, not the final state";
  }
  if (!run.aborted.empty()) {
    std::vector<std::string> names;
    for (const SessionId session : run.aborted) {
      names.push_back(finding.scenario.sessions[session.index()].name);
    }
    return fmt::format("the store ended {}, and the rest is as in a serial order",
                       join(names, ", "));
  }
  if (run.planned != finding.schedule) {
    return "the steps ran in another order: " + to_string(finding.scenario, run.planned);
  }
  return "the outcome is that of a serial order";
}

// Adds one run to the report.
Result<void> replay_once(const Finding& finding, Runner& runner, Judge& judge, ReplayReport& report,
                         bool& complete) {
  auto run = runner.run_interleaved(scripts_of_schedule(finding),
                                    follow(finding.scenario, finding.schedule));
  if (!run) return run.error();
  // A program that does something else confirms nothing, and refutes nothing.
  const auto differs = [&](const Diagnostic& trouble) {
    return report.by_program && trouble.trouble == Trouble::bad_input;
  };
  if (auto ended = check_end(finding.scenario, *run); !ended) {
    if (!differs(ended.error())) return ended.error();
    report.differences.push_back(to_string(ended.error()));
    complete = false;
    ++report.runs;
    return {};
  }
  if (run->end != RunEnd::complete) {
    report.differences.push_back(run->trouble);
    complete = false;
    ++report.runs;
    return {};
  }
  const InterruptGrace grace(kJudgingGraceMs);
  auto judgement = judge.judge(*run, finding.unit);
  if (!judgement && differs(judgement.error())) {
    report.differences.push_back(to_string(judgement.error()));
    complete = false;
    ++report.runs;
    return {};
  }
  if (!judgement) return judgement.error();
  if (is_confirmed(finding, *judgement)) {
    ++report.confirmed;
  } else {
    report.differences.push_back(difference_of(finding, *run, *judgement));
  }
  ++report.runs;
  return {};
}

// Somebody calls a method of a program.
Result<void> check_callable(const Scenario& scenario) {
  const bool has_method = std::ranges::any_of(scenario.sessions, [](const Session& session) {
    return session.call && !session.call->method.empty();
  });
  if (has_method) return {};
  return Diagnostic{.what = "no session calls a method of a program",
                    .what_to_do = "leave --classes out; heddle find of Java names the methods",
                    .file = scenario.file,
                    .position = {},
                    .trouble = Trouble::bad_input};
}

}  // namespace

Result<ReplayReport> replay_finding(const Finding& finding, const ReplayOptions& options) {
  auto server = open_stores(finding.scenario, options.on);
  if (!server) return server.error();
  ReplayReport report;
  report.store = (*server)->description();
  RunnerOptions runner_options;
  runner_options.level = finding.isolation;
  runner_options.step_timeout_ms = options.step_timeout_ms;
  if (options.program) {
    if (auto callable = check_callable(finding.scenario); !callable) return callable.error();
    auto program = options.program((*server)->dialect());
    if (!program) return program.error();
    runner_options.program = std::move(*program);
    report.by_program = true;
  }
  auto runner = Runner::create(finding.scenario, **server, runner_options);
  if (!runner) return runner.error();
  Judge judge(finding.scenario, **runner);
  bool complete = true;  // every run came to its end
  while (report.runs < options.runs) {
    auto ran = replay_once(finding, **runner, judge, report, complete);
    if (ran) continue;
    // What was replayed before an interrupt counts.
    if (ran.error().trouble != Trouble::interrupted || report.runs == 0) return ran.error();
    break;
  }
  settle(report, complete);
  return report;
}

}  // namespace heddle
