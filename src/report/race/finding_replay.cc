#include "report/race/finding_replay.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/printable.h"
#include "report/race/replay_reports.h"
#include "report/race/replay_summary.h"
#include "report/schedule/run_text.h"
#include "report/schedule/summary.h"
#include "report/text/layout.h"
#include "report/text/replayed_runs.h"

namespace heddle {

namespace {

// In the middle of a sentence.
std::string requests_of(const RaceFinding& finding) {
  std::string text = racing_requests(finding);
  constexpr std::string_view kTwo = "Two ";
  if (text.starts_with(kTwo)) text[0] = 't';
  return text;
}

std::string order_of(const RaceFinding& finding) {
  if (finding.result == RaceResult::order_dependent) return "one after the other in both orders";
  return finding.schedule.empty() ? "A; B right after its answer" : "by " + schedule_text(finding);
}

}  // namespace

std::string replay_head(const RaceReplayReport& report, const RaceFinding& finding) {
  const std::string result = finding.result == RaceResult::confirmed
                                 ? std::string(to_string(finding.pattern))
                                 : std::string(to_string(finding.result));
  const std::string what =
      fmt::format("{}, {}, {}", result, requests_of(finding), order_of(finding));
  return runs_head(replay_word(report), report, "on the system of " + printable(report.system),
                   what);
}

std::string render_text(const RaceReplayReport& report, const RaceFinding& finding,
                        const TextOptions& options) {
  return heading_text(replay_head(report, finding), options) +
         differences_text(report.differences, options);
}

std::string case_name(const RaceFinding& finding) {
  return fmt::format("{} [{}]", racing_requests(finding), printable(finding.id));
}

TestSuite replay_suite(const RaceReplayReport& report, const RaceFinding& finding,
                       bool is_failing) {
  TestCase test{case_name(finding), CaseOutcome::passed, "", replay_head(report, finding),
                render_text(report, finding, TextOptions{})};
  if (report.verdict != Verdict::violated || is_failing) {
    judge_case(report, slug(finding.result), test);
  }
  if (test.outcome == CaseOutcome::failure) test.text += "\n" + render_text(finding, TextOptions{});
  return {race_title(finding), {{"system", printable(report.system)}}, {test}};
}

}  // namespace heddle
