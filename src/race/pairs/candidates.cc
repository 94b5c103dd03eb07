// From a trace to candidates: flows, accesses, pairs of spans, and pairs of requests by their
// shape.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "heddle/race.h"
#include "race/pairs/memory_reads.h"
#include "race/pairs/pattern.h"
#include "race/pairs/row_facts.h"
#include "race/pairs/span_pairs.h"

namespace heddle {
namespace race {
namespace {

constexpr std::size_t kIdDigits = 12;

// Two requests from outside with all that they do to each other.
struct FlowPair {
  std::size_t first = 0;  // flows
  std::size_t second = 0;
  std::vector<MetAccesses> conflicts;
};

// What the row is called: by its key where that is known, else by whatever is.
std::string entity_text(const FlowAccess& access, const KnownRow& row,
                        const std::vector<std::string>& patterns) {
  const std::string table = shown_table(access.access.table);
  const TraceTable* const definition = access.access.definition;
  KnownRow told;
  if (definition != nullptr && !definition->keys.empty()) {
    for (const std::string& column : definition->keys.front()) {
      if (const auto value = row.find(column); value != row.end()) told.insert(*value);
    }
    if (told.size() != definition->keys.front().size()) told.clear();
  }
  for (const auto& each : row) {
    const bool is_wanted = told.empty() || is_identity(definition, each.first, patterns);
    if (is_wanted && definition == nullptr) told.insert(each);
  }
  const std::string text = row_text(told.empty() ? row : told);
  return text.empty() ? table : fmt::format("{}({})", table, text);
}

class CandidateFinder {
 public:
  CandidateFinder(const Trace& trace, const RaceSettings& settings, std::size_t jobs,
                  const std::vector<Trace>& others)
      : trace_(trace),
        settings_(settings),
        flows_(read_flows(trace)),
        others_(read_each(others)),
        all_(accesses_of(jobs)),
        patterns_(trace, all_, flows_),
        pairs_(find_span_pairs({.trace = trace,
                                .flows = flows_,
                                .others = others_,
                                .all = all_,
                                .patterns = patterns_,
                                .settings = settings},
                               jobs)) {}

  RaceCandidates find() {
    count();
    add_left_out();
    add_candidates();
    add_remarks();
    return std::move(found_);
  }

 private:
  static std::vector<Flows> read_each(const std::vector<Trace>& traces) {
    std::vector<Flows> flows;
    flows.reserve(traces.size());
    for (const Trace& trace : traces) flows.push_back(read_flows(trace));
    return flows;
  }

  FlowAccesses accesses_of(std::size_t jobs) const {
    FlowAccesses all = read_flow_accesses(trace_, flows_, settings_, jobs);
    add_memory_reads(trace_, flows_, settings_, all);
    apply_row_facts(trace_, settings_, all);
    return all;
  }

  std::uint64_t unit_of_span(std::size_t span) const {
    return trace_.requests[flows_.spans[span].request].unit;
  }
  std::uint64_t unit_of_flow(std::size_t flow) const {
    return unit_of_span(flows_.flows[flow].span);
  }

  void count() {
    RaceTable& table = found_.table;
    table.request_spans = flows_.spans.size();
    table.data_spans = all_.accesses.size();
    table.flows = flows_.flows.size();
    table.random_pairs = pairs_.size();
    for (const SpanPair& pair : pairs_) {
      if (pair.step == RaceStep::instance) ++table.by_instance;
      if (pair.step == RaceStep::flow) ++table.by_flow;
      if (pair.step == RaceStep::locks) ++table.by_locks;
      if (pair.step != RaceStep::kept) continue;
      ++(patterns_.is_creation(pair.conflicts, true) ? table.early_validated : table.to_test);
    }
  }

  void add_left_out() {
    for (const SpanPair& pair : pairs_) {
      if (pair.step == RaceStep::kept) continue;
      found_.left_out.push_back({.first = unit_of_flow(flows_.spans[pair.first].flow),
                                 .second = unit_of_flow(flows_.spans[pair.second].flow),
                                 .first_span = unit_of_span(pair.first),
                                 .second_span = unit_of_span(pair.second),
                                 .step = pair.step,
                                 .why = pair.why});
    }
    std::ranges::sort(found_.left_out, {}, [](const LeftOutPair& pair) {
      return std::tuple(pair.first, pair.second, pair.first_span, pair.second_span);
    });
  }

  std::vector<FlowPair> flow_pairs() const {
    std::map<std::pair<std::size_t, std::size_t>, FlowPair> pairs;
    for (const SpanPair& pair : pairs_) {
      if (pair.step != RaceStep::kept) continue;
      const std::size_t first = flows_.spans[pair.first].flow;
      const std::size_t second = flows_.spans[pair.second].flow;
      FlowPair& whole = pairs[{first, second}];
      whole.first = first;
      whole.second = second;
      whole.conflicts.insert(whole.conflicts.end(), pair.conflicts.begin(), pair.conflicts.end());
    }
    std::vector<FlowPair> all;
    for (auto& [key, pair] : pairs) all.push_back(std::move(pair));
    return all;
  }

  RaceConflict conflict_of(const MetAccesses& met) const {
    const FlowAccess& one = all_.accesses[met.accesses.first];
    const FlowAccess& other = all_.accesses[met.accesses.second];
    const bool first_is_any = one.access.table == kAnyTable;
    const FlowAccess& named = first_is_any ? other : one;
    return {.first = one.access.unit,
            .second = other.access.unit,
            .store = one.store,
            .table = shown_table(named.access.table),
            .entity = entity_text(named, met.meeting.row, settings_.identities),
            .columns = met.meeting.columns,
            .first_writes = met.meeting.first_writes,
            .second_writes = met.meeting.second_writes,
            .is_coarse = met.meeting.row.empty(),
            .first_through = one.access.through,
            .second_through = other.access.through};
  }

  RacePair race_pair(const FlowPair& pair) const {
    RacePair race{.first = unit_of_flow(pair.first), .second = unit_of_flow(pair.second)};
    for (const MetAccesses& met : pair.conflicts) race.conflicts.push_back(conflict_of(met));
    const auto order = [](const RaceConflict& each) {
      return std::tie(each.first, each.second, each.table, each.entity);
    };
    std::ranges::sort(race.conflicts, {}, order);
    const auto same = std::ranges::unique(race.conflicts);
    race.conflicts.erase(same.begin(), same.end());
    return race;
  }

  // The shape of what two requests do to each other, whichever of them came first.
  std::string shape_of(const FlowPair& pair) const {
    std::set<std::string> conflicts;
    std::set<std::string> turned;
    for (const MetAccesses& met : pair.conflicts) {
      const std::string one = side_of(met.accesses.first);
      const std::string other = side_of(met.accesses.second);
      conflicts.insert(one + "\n" + other);
      turned.insert(other + "\n" + one);
    }
    const std::string first = endpoint_of(pair.first);
    const std::string second = endpoint_of(pair.second);
    const auto text = [](const std::string& a, const std::string& b, const auto& all) {
      return a + "\n" + b + "\n" + join({all.begin(), all.end()}, "\n");
    };
    return std::min(text(first, second, conflicts), text(second, first, turned));
  }

  std::string side_of(std::size_t access) const {
    const FlowAccess& each = all_.accesses[access];
    return each.shape + " | " + shown_table(each.access.table);
  }

  const std::string& endpoint_of(std::size_t flow) const {
    return flows_.spans[flows_.flows[flow].span].endpoint;
  }

  RaceCandidate candidate_of(const std::string& shape, const FlowPair& pair) const {
    RaceCandidate candidate{.pattern = patterns_.pattern_of(pair.conflicts),
                            .first_endpoint = endpoint_of(pair.first),
                            .second_endpoint = endpoint_of(pair.second),
                            .is_between_branches = pair.first == pair.second};
    const std::string hash = fmt::format("{:016x}", stable_hash(shape));
    candidate.id = fmt::format("{}-{}", slug(candidate.pattern), hash.substr(0, kIdDigits));
    std::set<std::string> shapes;
    for (const MetAccesses& met : pair.conflicts) {
      shapes.insert(all_.accesses[met.accesses.first].shape);
      shapes.insert(all_.accesses[met.accesses.second].shape);
    }
    candidate.shapes.assign(shapes.begin(), shapes.end());
    return candidate;
  }

  void add_candidates() {
    std::map<std::string, RaceCandidate> by_shape;
    for (const FlowPair& pair : flow_pairs()) {
      const std::string shape = shape_of(pair);
      auto found = by_shape.find(shape);
      if (found == by_shape.end()) {
        found = by_shape.emplace(shape, candidate_of(shape, pair)).first;
      }
      found->second.pairs.push_back(race_pair(pair));
    }
    for (auto& [shape, candidate] : by_shape) {
      std::ranges::sort(candidate.pairs, {}, [](const RacePair& pair) {
        return std::tuple(~pair.conflicts.size(), pair.first, pair.second);
      });
      found_.candidates.push_back(std::move(candidate));
    }
    std::ranges::sort(found_.candidates, {}, [](const RaceCandidate& each) {
      return std::tuple(each.pattern, ~each.pairs.front().conflicts.size(), each.first_endpoint,
                        each.second_endpoint, each.id);
    });
  }

  void add_remarks() {
    found_.remarks = trace_.remarks;
    const auto remark = [&](std::size_t count, std::string_view one, std::string_view many) {
      if (count > 0) found_.remarks.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
    };
    remark(flows_.unsure,
           "unit is of one of several flows, nobody knows which: it was taken for each of them",
           "units are of one of several flows each, nobody knows which: they were taken for all of "
           "them");
    remark(flows_.alone, "unit belongs to a flow whose request is not in the trace",
           "units belong to flows whose requests are not in the trace");
    remark(all_.unread,
           "statement could not be read, and is taken to read and write everything in its store",
           "statements could not be read, and are taken to read and write everything in their "
           "stores");
    if (!trace_.end) {
      found_.remarks.emplace_back(
          "the recording did not come to its end: the trace is what was "
          "written until then");
    }
  }

  const Trace& trace_;
  const RaceSettings& settings_;
  Flows flows_;
  std::vector<Flows> others_;
  FlowAccesses all_;
  PatternReader patterns_;
  std::vector<SpanPair> pairs_;
  RaceCandidates found_;
};

}  // namespace
}  // namespace race

RaceCandidates find_race_candidates(const Trace& trace, const RaceSettings& settings,
                                    std::size_t jobs, const std::vector<Trace>& others) {
  return race::CandidateFinder(trace, settings, jobs, others).find();
}

}  // namespace heddle
