#include <string>

#include "format/json/json.h"
#include "format/race/race_candidates_json.h"
#include "report/race/race_text.h"

namespace heddle {

namespace {

Json request_json(const RequestSummary& request) {
  return {{"unit", request.unit},
          {"request", text_json(request.method + " " + request.target)},
          {"edge", text_json(request.edge)},
          {"status", request.status}};
}

}  // namespace

std::string pair_answer_json(const PairAnswer& answer, const RaceCandidates& found,
                             const std::string& trace) {
  Json candidates = Json::array();
  for (const std::size_t number : answer.candidates) {
    const RaceCandidate& candidate = found.candidates[number - 1];
    candidates.push_back({{"number", number},
                          {"id", text_json(candidate.id)},
                          {"pattern", slug(candidate.pattern)}});
  }
  Json left_out = Json::array();
  for (const LeftOutPair* each : answer.left_out) left_out.push_back(left_out_json(*each));
  const std::string_view word = !candidates.empty() ? "to-test"
                                : !left_out.empty() ? "left-out"
                                                    : "no-random-pair";
  return print_json({{"heddle", "race-why-not/1"},
                     {"trace", text_json(trace)},
                     {"first", request_json(answer.first)},
                     {"second", request_json(answer.second)},
                     {"answer", word},
                     {"candidates", std::move(candidates)},
                     {"left_out", std::move(left_out)}});
}

}  // namespace heddle
