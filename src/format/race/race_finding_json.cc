// What people look for first comes first: the result, the requests and the explanation; then what
// heddle needs to run the finding again.

#include "format/race/race_finding_json.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "format/json/finding_fields.h"
#include "format/race/race_recording_json.h"
#include "format/race/race_words.h"

namespace heddle {

namespace {

Json party_json(std::optional<std::size_t> party) {
  if (!party) return nullptr;
  HEDDLE_ASSERT(*party < kPartyNames.size());
  return kPartyNames[*party];
}

Json write_turn(const RaceTurn& turn) {
  return {{"party", party_json(turn.party)},
          {"caller", text_json(turn.caller)},
          {"callee", text_json(turn.callee)},
          {"shape", text_json(turn.shape)},
          {"occurrence", turn.occurrence}};
}

Json write_step(const RaceRunStep& step) {
  return {{"party", party_json(step.party)},  {"caller", text_json(step.caller)},
          {"callee", text_json(step.callee)}, {"request", step.is_request},
          {"outer", step.is_outer},           {"connection", step.connection},
          {"text", text_json(step.text)},     {"outcome", text_json(step.outcome)},
          {"error", step.is_error},           {"sent", step.sent},
          {"answered", step.answered},        {"held", step.was_held},
          {"waited", step.has_waited},        {"conflicts", step.conflicts}};
}

Json write_difference(const RaceFindingDifference& difference) {
  return {{"where", text_json(difference.where)},
          {"observed", text_json(difference.observed)},
          {"first_then_second", text_json(difference.first_then_second)},
          {"second_then_first", text_json(difference.second_then_first)}};
}

// How many findings have each result, also where none has, and what came of the creations, which
// the paper counts without a test.
Json counts_json(const RaceReport& report) {
  Json counts = {{"candidates", report.findings.size()}};
  for (const std::string_view result : race_result_slugs()) counts[std::string(result)] = 0;
  for (const RaceFinding& finding : report.findings) {
    Json& count = counts[std::string(slug(finding.result))];
    count = count.get<std::size_t>() + 1;
  }
  const auto count_creations = [&](auto&& has_result) {
    return std::ranges::count_if(report.findings, [&](const RaceFinding& finding) {
      return finding.pattern == RacePattern::creation && has_result(finding.result);
    });
  };
  counts["creations"] = count_creations([](RaceResult) { return true; });
  counts["creations-confirmed"] =
      count_creations([](RaceResult result) { return result == RaceResult::confirmed; });
  return counts;
}

}  // namespace

Json race_conflict_json(const RaceConflict& conflict) {
  Json json = {{"first", conflict.first},
               {"second", conflict.second},
               {"store", text_json(conflict.store)},
               {"table", text_json(conflict.table)},
               {"entity", text_json(conflict.entity)},
               {"columns", texts_json(conflict.columns)},
               {"first_writes", conflict.first_writes},
               {"second_writes", conflict.second_writes},
               {"coarse", conflict.is_coarse}};
  if (!conflict.first_through.empty()) json["first_through"] = text_json(conflict.first_through);
  if (!conflict.second_through.empty()) json["second_through"] = text_json(conflict.second_through);
  return json;
}

Json race_finding_json(const RaceFinding& finding) {
  Json json = {
      {"heddle", kRaceFindingDocument},
      {"id", text_json(finding.id)},
      {"result", slug(finding.result)},
      {"pattern", slug(finding.pattern)},
      {"first_endpoint", text_json(finding.first_endpoint)},
      {"second_endpoint", text_json(finding.second_endpoint)},
      {"between_branches", finding.is_between_branches},
      {"why", text_json(finding.why)},
      {"what_helps", text_json(finding.what_helps)},
      {"explanation", explanation_json(finding.explanation)},
      {"requests", texts_json(finding.requests)},
      {"schedule", text_json(finding.schedule)},
      {"turns", list_json(finding.turns, write_turn)},
      {"steps", list_json(finding.steps, write_step)},
      {"wrong_step", finding.wrong_step ? Json(*finding.wrong_step) : Json(nullptr)},
      {"differences", list_json(finding.differences, write_difference)},
      {"broken", texts_json(finding.broken)},
      {"conflicts", list_json(finding.conflicts, race_conflict_json)},
      {"restored", text_json(finding.restored)},
      {"runs", finding.runs},
      {"left", finding.left},
      {"masked", texts_json(finding.masked)},
      {"recording", finding.recording ? race_recording_json(*finding.recording) : nullptr}};
  if (finding.suppressed) json["suppressed"] = text_json(*finding.suppressed);
  return json;
}

Json race_table_json(const RaceTable& table) {
  return {{"request_spans", table.request_spans},
          {"data_spans", table.data_spans},
          {"flows", table.flows},
          {"random_pairs", table.random_pairs},
          {"by_instance", table.by_instance},
          {"by_flow", table.by_flow},
          {"by_locks", table.by_locks},
          {"early_validated", table.early_validated},
          {"to_test", table.to_test}};
}

void add_replay(const RaceReport& report, Json& document) {
  document["counts"] = counts_json(report);
  document["findings"] = list_json(report.findings, race_finding_json);
  document["unseen"] = texts_json(report.unseen);
}

Json race_report_json(const RaceReport& report) {
  Json document = {{"heddle", "race/1"},
                   {"trace", text_json(report.trace)},
                   {"table", race_table_json(report.table)}};
  add_replay(report, document);
  document["remarks"] = texts_json(report.remarks);
  return document;
}

std::string to_json(const RaceFinding& finding) { return print_json(race_finding_json(finding)); }

}  // namespace heddle
