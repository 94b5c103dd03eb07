// Races as results of SARIF. A race has no line of code that heddle knows; its place is the trace,
// and its messages have the statements.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "format/json/sarif.h"
#include "report/race/replay_reports.h"
#include "report/race/replay_summary.h"
#include "report/race/step_lines.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 5> kPatternMeanings = {
    "Two requests look for a row and create it, or both create it.",
    "Two requests read what both then write: what one wrote is lost.",
    "A request decides by what the other writes, and writes.",
    "Two requests write the same without having read it.", "A request reads while another writes."};

SarifRule rule_of_race(RacePattern pattern) {
  return {fmt::format("race-{}", slug(pattern)),
          fmt::format("race of requests: {}", to_string(pattern)),
          std::string(kPatternMeanings[static_cast<std::size_t>(pattern)])};
}

SarifStep sarif_step(const RaceRunStep& step, const std::string& trace) {
  std::string message = asked_line(step).text;
  for (const StyledLine& line : outcome_lines(step)) message += " " + line.text;
  return {{trace, {}, ""}, message, step.sent};
}

// What each of the two did, step by step.
std::vector<SarifFlow> race_flows(const RaceFinding& finding, const std::string& trace) {
  std::vector<SarifFlow> flows(2);
  for (std::size_t party = 0; party < flows.size(); ++party) {
    flows[party].session = party == 0 ? "A" : "B";
    flows[party].word = finding.is_between_branches ? "branch" : "request";
  }
  for (const RaceRunStep& step : finding.steps) {
    if (step.party) flows[*step.party].steps.push_back(sarif_step(step, trace));
  }
  std::erase_if(flows, [](const SarifFlow& flow) { return flow.steps.empty(); });
  return flows;
}

std::vector<SarifStep> racing_steps(const RaceFinding& finding, const std::string& trace) {
  std::vector<SarifStep> steps;
  for (const RaceRunStep& step : finding.steps) {
    if (step.conflicts) steps.push_back(sarif_step(step, trace));
  }
  return steps;
}

std::string race_message(const RaceFinding& finding) {
  std::string text = race_title(finding) + ".";
  for (const std::string& line : broken_invariants(finding)) text += " " + line + ".";
  for (const std::string& line : explanation_paragraphs(finding)) text += " " + line;
  return text;
}

SarifResult result_of_race(const RaceFinding& finding, const std::string& trace) {
  SarifResult result;
  result.rule = rule_of_race(finding.pattern);
  result.grave = finding.result != RaceResult::error_under_overlap;
  result.is_for_review = !is_told_in_full(finding.result);
  result.message = race_message(finding);
  result.place = {trace, {}, ""};
  result.related = racing_steps(finding, trace);
  result.flows = race_flows(finding, trace);
  result.fingerprint = printable(finding.id);
  if (finding.suppressed) result.suppressed = printable(*finding.suppressed);
  result.properties = {{"result", std::string(slug(finding.result))},
                       {"first", printable(finding.first_endpoint)},
                       {"second", printable(finding.second_endpoint)},
                       {"schedule", printable(finding.schedule)}};
  return result;
}

// What keeps heddle from knowing.
bool is_open_question(RaceResult result) {
  return result == RaceResult::inconclusive || result == RaceResult::not_replayable ||
         result == RaceResult::not_reached;
}

}  // namespace

std::string render_sarif(const RaceReport& report) {
  const std::string trace = printable(report.trace);
  SarifLog log;
  for (const RaceFinding& finding : report.findings) {
    if (is_told_in_full(finding.result) || finding.result == RaceResult::order_dependent) {
      log.results.push_back(result_of_race(finding, trace));
    } else if (is_open_question(finding.result)) {
      log.notifications.push_back(
          {false,
           fmt::format("{}: {}", to_string(finding.result), race_line(finding)),
           {trace, {}, ""}});
    }
  }
  for (const std::string& remark : replay_remarks(report)) {
    log.notifications.push_back({false, remark, {trace, {}, ""}});
  }
  return to_sarif(log);
}

}  // namespace heddle
