#include "format/race/race_candidates_json.h"

#include <map>
#include <set>

#include "format/json/json.h"
#include "format/race/race_finding_json.h"

namespace heddle {
namespace {

Json candidate_pair(const RacePair& pair) {
  Json conflicts = Json::array();
  for (const RaceConflict& each : pair.conflicts) conflicts.push_back(race_conflict_json(each));
  return {{"first", pair.first}, {"second", pair.second}, {"conflicts", std::move(conflicts)}};
}

Json candidate_json(const RaceCandidate& candidate) {
  Json pairs = Json::array();
  for (const RacePair& each : candidate.pairs) pairs.push_back(candidate_pair(each));
  return {{"id", candidate.id},
          {"pattern", slug(candidate.pattern)},
          {"first_endpoint", text_json(candidate.first_endpoint)},
          {"second_endpoint", text_json(candidate.second_endpoint)},
          {"between_branches", candidate.is_between_branches},
          {"statements", texts_json(candidate.shapes)},
          {"pairs", std::move(pairs)}};
}

// What the units of candidates are, so that the document can be read without the trace.
Json units_json(const RaceCandidates& found, const Trace& trace) {
  std::set<std::uint64_t> units;
  for (const RaceCandidate& candidate : found.candidates) {
    for (const RacePair& pair : candidate.pairs) {
      units.insert({pair.first, pair.second});
      for (const RaceConflict& each : pair.conflicts) units.insert({each.first, each.second});
    }
  }
  std::map<std::uint64_t, Json> lines;
  for (const TraceRequest& each : trace.requests) {
    if (!units.contains(each.unit)) continue;
    lines[each.unit] = {{"unit", each.unit},
                        {"request", text_json(each.method + " " + each.target)},
                        {"service", text_json(trace.head.edges[each.edge].callee)},
                        {"status", each.status}};
  }
  for (const TraceStatement& each : trace.statements) {
    if (!units.contains(each.unit)) continue;
    lines[each.unit] = {{"unit", each.unit},
                        {"statement", text_json(each.text)},
                        {"service", text_json(trace.head.edges[each.edge].caller)},
                        {"store", text_json(trace.head.edges[each.edge].callee)}};
  }
  Json all = Json::array();
  for (auto& [unit, line] : lines) all.push_back(std::move(line));
  return all;
}

}  // namespace

Json left_out_json(const LeftOutPair& pair) {
  return {{"first", pair.first},           {"second", pair.second},
          {"first_span", pair.first_span}, {"second_span", pair.second_span},
          {"step", to_string(pair.step)},  {"why", text_json(pair.why)}};
}

std::string to_json(const RaceCandidates& found, const RaceDocument& document) {
  Json candidates = Json::array();
  for (const RaceCandidate& each : found.candidates) candidates.push_back(candidate_json(each));
  Json left_out = Json::array();
  for (const LeftOutPair& each : found.left_out) left_out.push_back(left_out_json(each));
  return print_json(Json{{"heddle", "race/1"},
                         {"trace", text_json(document.file)},
                         {"table", race_table_json(found.table)},
                         {"candidates", std::move(candidates)},
                         {"units", units_json(found, document.trace)},
                         {"left_out", std::move(left_out)},
                         {"remarks", texts_json(found.remarks)}});
}

}  // namespace heddle
