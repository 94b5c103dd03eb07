#include "race/replay/race_findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "race/outcome/explain.h"
#include "race/replay/bound_text.h"
#include "race/replay/wrong_unit.h"
#include "race/turns/turn_plans.h"
#include "record/system_edges.h"

namespace heddle {
namespace {

constexpr std::size_t kShownBody = 300;
constexpr std::size_t kShownRows = 3;

const TraceRequest* request_of(const Trace& trace, std::uint64_t unit) {
  const auto found = std::ranges::find(trace.requests, unit, &TraceRequest::unit);
  return found == trace.requests.end() ? nullptr : &*found;
}

std::string shortened(const std::string& text) {
  return text.size() <= kShownBody ? text : text.substr(0, kShownBody) + "...";
}

std::string row_text(const std::vector<TraceValue>& row) {
  std::string text;
  for (const TraceValue& value : row) {
    if (!text.empty()) text += ", ";
    text += value.text ? *value.text : "NULL";
  }
  return text;
}

std::string result_text(const TraceResult& result) {
  if (result.columns.empty()) return result.tag;
  std::string text = fmt::format("{} row{}", result.row_count, result.row_count == 1 ? "" : "s");
  for (std::size_t i = 0; i < result.rows.size() && i < kShownRows; ++i) {
    text += (i == 0 ? ": " : "; ") + row_text(result.rows[i]);
  }
  return result.row_count > kShownRows ? text + "; ..." : text;
}

std::string outcome_text(const RunUnit& unit) {
  if (unit.request) {
    const std::string body = shortened(unit.request->response_body.bytes);
    return unit.request->status == 0
               ? "no answer"
               : fmt::format("{}{}{}", unit.request->status, body.empty() ? "" : " ", body);
  }
  if (!unit.statement) return "no answer";
  if (unit.statement->error) return unit.statement->error->message;
  std::string text;
  for (const TraceResult& result : unit.statement->results) {
    if (!text.empty()) text += "; ";
    text += result_text(result);
  }
  return text;
}

bool is_error(const RunUnit& unit) {
  if (unit.request) return unit.request->status == 0 || unit.request->status >= 400;
  return unit.statement && unit.statement->error.has_value();
}

RaceRunStep make_step(const Trace& trace, const RunUnit& unit) {
  const TraceEdge& edge = trace.head.edges[unit.shape.edge];
  RaceRunStep step{.caller = edge.caller,
                   .callee = edge.callee,
                   .is_request = unit.is_request,
                   .is_outer = edge.is_outer,
                   .connection = unit.connection,
                   .text = unit.statement ? bound_text(*unit.statement) : unit.text,
                   .outcome = outcome_text(unit),
                   .is_error = is_error(unit),
                   .has_waited = unit.has_waited};
  if (unit.party) step.party = index_of(*unit.party);
  return step;
}

std::vector<std::string> lower_words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || c == '_') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  for (std::string& word : words) word = to_lower(word);
  return words;
}

// Whether what a service did on its own is about a table of the conflicts: its poll, which was late
// here, since it was held.
bool touches_conflict(const Trace& trace, const RacePair& pair, const RunUnit& unit) {
  const std::vector<std::string> words = lower_words_of(unit.shape.text);
  return std::ranges::any_of(pair.conflicts, [&](const RaceConflict& each) {
    const std::string table = to_lower(each.table.substr(each.table.rfind('.') + 1));
    return trace.head.edges[unit.shape.edge].callee == each.store &&
           std::ranges::find(words, table) != words.end();
  });
}

// With the places of each in the order of all events.
struct RunSteps {
  std::vector<RaceRunStep> steps;
  std::vector<std::size_t> units;  // of each
};

RunSteps make_steps(const Trace& trace, const RacePair& pair, const JudgedRun& run) {
  PerParty<std::vector<SwitchPoint>> conflicts;
  for (const Party party : kParties) conflicts[party] = conflict_points(trace, pair, party);
  std::map<std::size_t, RaceRunStep> by_unit;
  for (std::size_t i = 0; i < run.record.events.size(); ++i) {
    const RunEvent& event = run.record.events[i];
    const RunUnit& unit = run.record.units[event.unit];
    RaceRunStep& step = by_unit.try_emplace(event.unit, make_step(trace, unit)).first->second;
    (event.is_answer ? step.answered : step.sent) = i + 1;
    if (!unit.party) {
      step.was_held = unit.was_held;
      step.conflicts = unit.was_held && touches_conflict(trace, pair, unit);
      continue;
    }
    const SwitchPoint point{.shape = unit.shape, .occurrence = unit.occurrence};
    const auto& own = conflicts[*unit.party];
    step.conflicts = std::ranges::find(own, point) != own.end();
    step.was_held = std::ranges::any_of(run.turns, [&](const Turn& turn) {
      return turn.party == *unit.party && turn.until == point;
    });
  }
  RunSteps steps;
  for (const auto& [unit, step] : by_unit) steps.units.push_back(unit);
  std::ranges::sort(steps.units, {}, [&](std::size_t unit) { return by_unit.at(unit).sent; });
  for (const std::size_t unit : steps.units) steps.steps.push_back(std::move(by_unit.at(unit)));
  return steps;
}

bool begins_second(const JudgedRun& run) {
  return !run.turns.empty() && run.turns.front().party == Party::second;
}

// "A; B right after its answer; SELECT ...": what was held until then comes last.
std::string answer_schedule(const RunSteps& run, const JudgedRun& shown) {
  std::string text =
      begins_second(shown) ? "B; A right after its answer" : "A; B right after its answer";
  std::set<std::string> told;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const std::string& shape = shown.record.units[run.units[i]].shape.text;
    const bool is_late = !run.steps[i].party && run.steps[i].conflicts;
    if (is_late && told.insert(shape).second) text += "; " + shape;
  }
  return text;
}

std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The request as it was recorded, to the service itself.
std::string curl_command(const Config& config, const Trace& trace, const TraceRequest& request) {
  const std::string& callee = trace.head.edges[request.edge].callee;
  std::string address = callee;
  for (const ServiceSettings& service : config.system.services) {
    if (service.name.text == callee && !service.address.empty()) {
      address = service.address.front().text;
    }
  }
  std::string text = "curl -X " + request.method;
  for (const auto& [name, value] : request.headers) {
    constexpr std::array<std::string_view, 7> kOwn = {
        "host",       "content-length", "connection", "accept-encoding",
        "user-agent", "traceparent",    "tracestate"};
    if (!is_one_of(to_lower(name), kOwn)) text += " -H " + quoted(name + ": " + value);
  }
  if (!request.body.bytes.empty()) text += " --data " + quoted(request.body.bytes);
  return text + " " + quoted("http://" + address + request.target);
}

// What the party did where the requests conflict, each with what came of it.
std::vector<std::string> conflicting_statements(const std::vector<RaceRunStep>& steps,
                                                std::size_t party) {
  std::vector<std::string> texts;
  for (const RaceRunStep& step : steps) {
    if (step.party != party || !step.conflicts) continue;
    texts.push_back(fmt::format("\"{}\" ({})", shortened(step.text), shortened(step.outcome)));
  }
  return texts;
}

std::vector<RaceTurn> told_turns(const Trace& trace, const Turns& turns) {
  std::vector<RaceTurn> told;
  for (const Turn& turn : turns) {
    RaceTurn one{.party = index_of(turn.party)};
    if (turn.until) {
      const TraceEdge& edge = trace.head.edges[turn.until->shape.edge];
      one.caller = edge.caller;
      one.callee = edge.callee;
      one.shape = turn.until->shape.text;
      one.occurrence = turn.until->occurrence;
    }
    told.push_back(std::move(one));
  }
  return told;
}

Explanation explain(const RaceFinding& finding, const JudgedRun& shown) {
  return explain_verdict(shown.verdict,
                         {.first = finding.first_endpoint,
                          .second = finding.second_endpoint,
                          .is_between_branches = finding.is_between_branches,
                          .schedule = finding.schedule,
                          .second_begins = begins_second(shown),
                          .first_statements = conflicting_statements(finding.steps, 0),
                          .second_statements = conflicting_statements(finding.steps, 1)},
                         shown.order);
}

}  // namespace

RaceFinding race_finding(const Config& config, const Trace& trace, const RaceCandidate& candidate,
                         const RaceReplay& replay) {
  const RacePair& pair = replay.pair.first == 0 ? candidate.pairs.front() : replay.pair;
  RaceFinding finding{.id = candidate.id,
                      .result = replay.result,
                      .why = replay.why,
                      .what_helps = replay.what_helps,
                      .pattern = candidate.pattern,
                      .first_endpoint = candidate.first_endpoint,
                      .second_endpoint = candidate.second_endpoint,
                      .is_between_branches = candidate.is_between_branches,
                      .conflicts = pair.conflicts,
                      .runs = replay.runs,
                      .left = replay.left,
                      .masked = replay.masked,
                      .recording = replay.recording};
  for (const std::uint64_t unit : {pair.first, pair.second}) {
    const TraceRequest* const request = request_of(trace, unit);
    if (request != nullptr) finding.requests.push_back(curl_command(config, trace, *request));
    if (pair.first == pair.second) break;
  }
  finding.restored = replay.restored;
  if (!replay.shown) return finding;
  RunSteps steps = make_steps(trace, pair, *replay.shown);
  finding.schedule = replay.shown->order == RaceOrder::after_answer
                         ? answer_schedule(steps, *replay.shown)
                         : turns_text(replay.shown->turns);
  if (const auto wrong = wrong_unit(replay.shown->record, replay.orders)) {
    const auto step = std::ranges::find(steps.units, *wrong);
    if (step != steps.units.end()) {
      finding.wrong_step = static_cast<std::size_t>(step - steps.units.begin());
    }
  }
  finding.steps = std::move(steps.steps);
  for (const RaceDifference& each : replay.shown->verdict.differences) {
    finding.differences.push_back({.where = each.where,
                                   .observed = each.observed,
                                   .first_then_second = each.first_then_second,
                                   .second_then_first = each.second_then_first});
  }
  finding.broken = replay.shown->verdict.broken;
  finding.turns = told_turns(trace, replay.shown->turns);
  finding.explanation = explain(finding, *replay.shown);
  return finding;
}

RaceReport race_report(const Config& config, const Trace& trace, const RaceCandidates& candidates,
                       const TraceReplay& replay) {
  RaceReport report{.table = candidates.table, .unseen = replay.unseen, .remarks = replay.remarks};
  for (std::size_t i = 0; i < replay.replays.size(); ++i) {
    report.findings.push_back(
        race_finding(config, trace, candidates.candidates[i], replay.replays[i]));
  }
  std::ranges::stable_sort(report.findings, {}, &RaceFinding::result);
  report.remarks.insert(report.remarks.begin(), candidates.remarks.begin(),
                        candidates.remarks.end());
  return report;
}

}  // namespace heddle
