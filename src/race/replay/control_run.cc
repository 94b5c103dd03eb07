#include "race/replay/control_run.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "format/json/json.h"
#include "wire/http/content_coding.h"
#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

constexpr int kStatusClass = 100;
constexpr std::size_t kMostDecodedBody = std::size_t{64} << 20;

const TraceRequest* recorded_request(const Trace& trace, std::uint64_t unit) {
  const auto found = std::ranges::find(trace.requests, unit, &TraceRequest::unit);
  return found == trace.requests.end() ? nullptr : &*found;
}

std::string request_text(const TraceRequest& request) {
  return fmt::format("{} {}", request.method, request.target);
}

// A place of a document, and what stands there.
using Leaves = std::map<std::string, Json>;

std::optional<Leaves> leaves_of(const std::string& body) {
  const Json document = Json::parse(body, nullptr, false);
  if (document.is_discarded()) return std::nullopt;
  Leaves leaves;
  const Json flat = document.is_structured() ? document.flatten() : Json{{"", document}};
  for (const auto& [place, value] : flat.items()) leaves[place] = value;
  return leaves;
}

// Truth values, and that something is there or not, are never new: the rest may be an identity, a
// time or a secret.
bool must_be_equal(const Json& value) { return value.is_boolean() || value.is_null(); }

std::string shape_difference(const std::string& recorded, const std::string& found) {
  const auto before = leaves_of(recorded);
  const auto now = leaves_of(found);
  if (!before || !now) return {};
  for (const auto& [place, value] : *before) {
    const auto same = now->find(place);
    if (same == now->end()) return fmt::format("has no {}", place.empty() ? "value" : place);
    const bool is_other = value.type_name() != std::string_view(same->second.type_name()) ||
                          (must_be_equal(value) && value != same->second);
    if (is_other) {
      return fmt::format("has {} at {}, not {}", same->second.dump(), place, value.dump());
    }
  }
  for (const auto& [place, value] : *now) {
    if (!before->contains(place)) return fmt::format("has {} at {}", value.dump(), place);
  }
  return {};
}

// What services and mappers leave out where they remember the answer: tables that change seldom,
// numbers that were taken from a sequence in advance, and the ends of transactions that read.
bool may_be_left_out(std::string_view shape) {
  constexpr std::array<std::string_view, 4> kReading = {"select ", "with ", "values ", "fetch "};
  constexpr std::array<std::string_view, 6> kMore = {" for update",   " for no key ",
                                                     " for share",    " for key share",
                                                     " insert into ", " delete from "};
  if (postgres::is_begin(shape) || postgres::is_end(shape)) return true;
  if (postgres::prepares_connection(shape)) return true;
  const auto is_there = [&](std::string_view each) { return shape.find(each) != shape.npos; };
  return std::ranges::any_of(kReading, [&](auto each) { return shape.starts_with(each); }) &&
         std::ranges::none_of(kMore, is_there) && !is_there(" update ") && !is_there("advisory");
}

using Shapes = std::set<UnitShape>;

// Those that race come again, and all that write.
std::string shapes_difference(const Trace& trace, const Shapes& racing, const Shapes& recorded,
                              const Shapes& found) {
  const auto name = [&](const UnitShape& shape) {
    return fmt::format("\"{}\" to {}", shape.text, trace.head.edges[shape.edge].callee);
  };
  for (const UnitShape& shape : recorded) {
    const bool is_needed = racing.contains(shape) || !may_be_left_out(shape.text);
    if (is_needed && !found.contains(shape)) return fmt::format("never sent {}", name(shape));
  }
  for (const UnitShape& shape : found) {
    const bool is_new = !may_be_left_out(shape.text) && !recorded.contains(shape);
    if (is_new) return fmt::format("sent {}, as it did not", name(shape));
  }
  return {};
}

UnitShape shape_of(const TraceStatement& statement) {
  return {.edge = statement.edge, .text = postgres::statement_template(statement.text)};
}

Shapes recorded_shapes(const Trace& trace, std::uint64_t flow) {
  Shapes shapes;
  for (const TraceStatement& each : trace.statements) {
    const bool is_its = each.flow.number == flow ||
                        std::ranges::find(each.flow.candidates, flow) != each.flow.candidates.end();
    if (is_its && each.kind != "prepare") shapes.insert(shape_of(each));
  }
  return shapes;
}

// Of the statements of the pair that step on each other.
Shapes racing_shapes(const Trace& trace, const RacePair& pair) {
  std::set<std::uint64_t> units;
  for (const RaceConflict& each : pair.conflicts) units.insert({each.first, each.second});
  Shapes shapes;
  for (const TraceStatement& each : trace.statements) {
    if (units.contains(each.unit)) shapes.insert(shape_of(each));
  }
  return shapes;
}

Shapes found_shapes(const RunRecord& record, Party party) {
  Shapes shapes;
  for (const RunUnit& unit : record.units) {
    if (unit.party == party && !unit.is_request) shapes.insert(unit.shape);
  }
  return shapes;
}

std::string response_difference(const TraceRequest& recorded, int status, const std::string& body) {
  if (status == 0) return fmt::format("{} was not answered", request_text(recorded));
  if (recorded.status != status) {
    const bool is_class = recorded.status / kStatusClass == status / kStatusClass;
    return fmt::format("{} was answered with {}, not {}{}", request_text(recorded), status,
                       recorded.status, is_class ? "" : ": " + body.substr(0, 200));
  }
  const std::string place = shape_difference(recorded.response_body.bytes, body);
  return place.empty() ? "" : fmt::format("the answer to {} {}", request_text(recorded), place);
}

// What stores have filled in by themselves: numbers among it may be new each time.
std::set<std::string> generated_values(const RacedRun& run) {
  std::set<std::string> values;
  for (const ObservedStore& store : run.stores) {
    for (const TableState& table : store.tables) {
      for (const Row& row : table.rows) {
        for (std::size_t i = 0; i < row.size() && i < table.columns.size(); ++i) {
          if (table.columns[i].generated && row[i]) values.insert(*row[i]);
        }
      }
    }
  }
  return values;
}

// Between the answers of that place.
std::string answers_difference(const RacedRun& first, const RacedRun& second, std::size_t place) {
  const ObservedResponse& before = first.responses[place];
  const ObservedResponse& now = second.responses[place];
  if (before.status != now.status) {
    return fmt::format("an answer has the status {}, not {}", now.status, before.status);
  }
  const auto leaves = leaves_of(before.body);
  const auto others = leaves_of(now.body);
  if (!leaves || !others) return {};
  std::optional<std::set<std::string>> made;
  std::optional<std::set<std::string>> made_now;
  for (const auto& [pointer, value] : *leaves) {
    const auto found = others->find(pointer);
    if (found == others->end()) return fmt::format("an answer has no {}", pointer);
    const bool is_fixed = value.is_number() || value.is_boolean();
    if (!is_fixed || value == found->second) continue;
    if (!made) {
      made = generated_values(first);
      made_now = generated_values(second);
    }
    if (made->contains(value.dump()) && made_now->contains(found->second.dump())) continue;
    return fmt::format("an answer has {} at {}, not {}", found->second.dump(), pointer,
                       value.dump());
  }
  return {};
}

// By store and table.
using RowCounts = std::map<std::pair<std::string, std::string>, std::int64_t>;

RowCounts rows_added(const std::vector<ObservedStore>& before, const RacedRun& run) {
  RowCounts counts;
  for (const ObservedStore& store : run.stores) {
    for (const TableState& table : store.tables) {
      counts[{store.name, table.name}] += static_cast<std::int64_t>(table.rows.size());
    }
  }
  for (const ObservedStore& store : run.before ? *run.before : before) {
    for (const TableState& table : store.tables) {
      counts[{store.name, table.name}] -= static_cast<std::int64_t>(table.rows.size());
    }
  }
  return counts;
}

}  // namespace

ObservedResponse observed_response(std::uint64_t unit, const HttpAnswer& answer) {
  ObservedResponse response{
      .request = unit, .status = answer.status, .headers = answer.headers, .body = answer.body};
  std::vector<HttpHeader> headers;
  for (const auto& [name, value] : answer.headers) headers.push_back({name, value});
  auto decoded = decode_body(headers, answer.body, kMostDecodedBody);
  if (decoded && decoded->is_whole) response.body = std::move(decoded->bytes);
  return response;
}

std::string answer_difference(const Trace& trace, std::uint64_t unit, const HttpAnswer& answer) {
  const TraceRequest* const recorded = recorded_request(trace, unit);
  if (recorded == nullptr) return {};
  return response_difference(*recorded, answer.status, answer.body);
}

std::string answers_difference(const Trace& trace, const RacePair& pair, const RacedRun& observed) {
  if (!observed.trouble.empty()) return observed.trouble;
  for (const std::uint64_t unit : {pair.first, pair.second}) {
    const TraceRequest* const recorded = recorded_request(trace, unit);
    const auto response = std::ranges::find(observed.responses, unit, &ObservedResponse::request);
    if (recorded == nullptr || response == observed.responses.end()) continue;
    std::string difference = response_difference(*recorded, response->status, response->body);
    if (!difference.empty()) return difference;
  }
  return {};
}

std::string control_difference(const Trace& trace, const RacePair& pair, const RacedRun& observed,
                               const RunRecord& record) {
  std::string difference = answers_difference(trace, pair, observed);
  if (!difference.empty() || pair.first == pair.second) return difference;
  const Shapes racing = racing_shapes(trace, pair);
  for (const Party party : kParties) {
    const TraceRequest* const recorded =
        recorded_request(trace, party == Party::first ? pair.first : pair.second);
    if (recorded == nullptr) continue;
    difference = shapes_difference(trace, racing, recorded_shapes(trace, recorded->flow.number),
                                   found_shapes(record, party));
    if (!difference.empty()) return fmt::format("{} {}", request_text(*recorded), difference);
  }
  return {};
}

std::string repetition_difference(const std::vector<ObservedStore>& before, const RacedRun& first,
                                  const RacedRun& second) {
  for (std::size_t i = 0; i < first.responses.size() && i < second.responses.size(); ++i) {
    std::string difference = answers_difference(first, second, i);
    if (!difference.empty()) return difference;
  }
  const RowCounts added = rows_added(before, first);
  const RowCounts now = rows_added(before, second);
  for (const auto& [table, count] : added) {
    const auto found = now.find(table);
    if (found != now.end() && found->second != count) {
      return fmt::format("{} of {} has {:+} rows, not {:+}", table.second, table.first,
                         found->second, count);
    }
  }
  return {};
}

}  // namespace heddle
