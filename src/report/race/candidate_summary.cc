#include "report/race/candidate_summary.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "report/text/layout.h"

namespace heddle {
namespace {

constexpr std::size_t kLongestValue = 40;
constexpr std::size_t kMostValues = 12;

class TraceIndex {
 public:
  explicit TraceIndex(const Trace& trace) : trace_(trace) {
    for (const TraceRequest& each : trace.requests) requests_[each.unit] = &each;
    for (const TraceStatement& each : trace.statements) statements_[each.unit] = &each;
  }

  const TraceRequest* find_request(std::uint64_t unit) const {
    const auto found = requests_.find(unit);
    return found == requests_.end() ? nullptr : found->second;
  }

  RequestSummary request(std::uint64_t unit) const {
    const TraceRequest* const found = find_request(unit);
    if (found == nullptr) return {.unit = unit, .edge = {}, .method = {}, .target = {}};
    const TraceEdge& edge = trace_.head.edges[found->edge];
    return {.unit = unit,
            .edge = edge.caller + ">" + edge.callee,
            .method = found->method,
            .target = found->target,
            .status = found->status};
  }

  StatementSummary statement(std::uint64_t unit, bool writes) const {
    const auto found = statements_.find(unit);
    if (found == statements_.end()) {
      const RequestSummary from_memory = request(unit);
      return {.unit = unit,
              .text = fmt::format("{} {}, from memory", from_memory.method, from_memory.target),
              .values = {},
              .writes = writes};
    }
    return {.unit = unit,
            .text = one_line(found->second->text),
            .values = values_text(found->second->parameters),
            .writes = writes};
  }

 private:
  static std::string value_text(const TraceValue& value) {
    if (!value.text) return "null";
    if (value.is_binary) return "(binary)";
    return shorten(one_line(*value.text), kLongestValue);
  }

  static std::string values_text(const std::vector<TraceParameter>& parameters) {
    std::string text;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (i == kMostValues) return text + ", ...";
      text += (i == 0 ? "" : ", ") + value_text(parameters[i].value);
    }
    return text;
  }

  const Trace& trace_;
  std::map<std::uint64_t, const TraceRequest*> requests_;
  std::map<std::uint64_t, const TraceStatement*> statements_;
};

bool are_units(std::uint64_t a, std::uint64_t b, std::uint64_t first, std::uint64_t second) {
  return (a == first && b == second) || (a == second && b == first);
}

}  // namespace

std::vector<CandidateSummary> summarize_candidates(const RaceCandidates& found,
                                                   const Trace& trace) {
  const TraceIndex index(trace);
  std::vector<CandidateSummary> all;
  for (const RaceCandidate& candidate : found.candidates) {
    const RacePair& pair = candidate.pairs.front();
    CandidateSummary summary{.candidate = &candidate,
                             .first = index.request(pair.first),
                             .second = index.request(pair.second),
                             .conflicts = {}};
    for (const RaceConflict& each : pair.conflicts) {
      summary.conflicts.push_back({.conflict = &each,
                                   .first = index.statement(each.first, each.first_writes),
                                   .second = index.statement(each.second, each.second_writes)});
    }
    all.push_back(std::move(summary));
  }
  return all;
}

Result<PairAnswer> answer_pair(const RaceCandidates& found, const Trace& trace, std::uint64_t first,
                               std::uint64_t second) {
  const TraceIndex index(trace);
  for (const std::uint64_t unit : {first, second}) {
    if (index.find_request(unit) != nullptr) continue;
    return Diagnostic{.what = fmt::format("there is no request {} in the trace", unit),
                      .what_to_do = "name two requests by their units, as the report does"};
  }
  PairAnswer answer{.first = index.request(first),
                    .second = index.request(second),
                    .candidates = {},
                    .left_out = {}};
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    const bool is_one = std::ranges::any_of(found.candidates[i].pairs, [&](const RacePair& pair) {
      return are_units(pair.first, pair.second, first, second);
    });
    if (is_one) answer.candidates.push_back(i + 1);
  }
  for (const LeftOutPair& each : found.left_out) {
    const bool is_asked = are_units(each.first, each.second, first, second) ||
                          are_units(each.first_span, each.second_span, first, second);
    if (is_asked) answer.left_out.push_back(&each);
  }
  return answer;
}

double share_left_out(const RaceTable& table) {
  constexpr double kPercent = 100;
  if (table.random_pairs == 0) return 0;
  const auto left_out = table.by_instance + table.by_flow + table.by_locks;
  return kPercent * static_cast<double>(left_out) / static_cast<double>(table.random_pairs);
}

}  // namespace heddle
