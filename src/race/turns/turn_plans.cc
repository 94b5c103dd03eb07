#include "race/turns/turn_plans.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

const TraceStatement* statement_of(const Trace& trace, std::uint64_t unit) {
  const auto found = std::ranges::find(trace.statements, unit, &TraceStatement::unit);
  return found == trace.statements.end() ? nullptr : &*found;
}

// Among those of its flow, in the order of their arrival.
SwitchPoint recorded_point(const Trace& trace, const TraceStatement& statement) {
  SwitchPoint point{
      .shape = {.edge = statement.edge, .text = postgres::statement_template(statement.text)}};
  for (const TraceStatement& each : trace.statements) {
    const bool is_before = each.unit < statement.unit && each.edge == statement.edge &&
                           each.flow.number == statement.flow.number;
    if (is_before && postgres::statement_template(each.text) == point.shape.text)
      ++point.occurrence;
  }
  return point;
}

bool is_free_unit(const RunUnit& unit) { return !unit.party; }

}  // namespace

std::vector<SwitchPoint> conflict_points(const Trace& trace, const RacePair& pair, Party party) {
  std::set<std::uint64_t> units;
  for (const RaceConflict& each : pair.conflicts) {
    units.insert(party == Party::first ? each.first : each.second);
  }
  std::vector<SwitchPoint> points;
  for (const std::uint64_t unit : units) {
    const TraceStatement* const statement = statement_of(trace, unit);
    if (statement != nullptr) points.push_back(recorded_point(trace, *statement));
  }
  return points;
}

std::vector<SwitchPoint> switch_points(const RunRecord& record, Party party,
                                       const std::vector<SwitchPoint>& conflicts) {
  std::vector<SwitchPoint> conflicting;
  std::vector<SwitchPoint> behind;
  std::optional<SwitchPoint> first_conflict;
  std::optional<SwitchPoint> first;
  bool has_begun = false;
  bool has_asked = false;
  bool is_right_behind = false;
  for (const RunUnit& unit : record.units) {
    if (is_free_unit(unit) || *unit.party != party) continue;
    const SwitchPoint point{.shape = unit.shape, .occurrence = unit.occurrence};
    const bool is_conflict = std::ranges::find(conflicts, point) != conflicts.end();
    if (has_asked && is_conflict) {
      conflicting.push_back(point);
    } else if (is_right_behind) {
      behind.push_back(point);
    }
    if (is_conflict && !first_conflict) first_conflict = point;
    // The first request is the party's own.
    if (!first && (has_begun || !unit.is_request)) first = point;
    has_begun = true;
    has_asked = has_asked || !unit.is_request;
    is_right_behind = is_conflict;
  }
  conflicting.insert(conflicting.end(), behind.begin(), behind.end());
  if (!conflicting.empty()) return conflicting;
  if (first_conflict) return {*first_conflict};
  if (first) return {*first};
  return {};
}

std::vector<Turns> overlapping_turns(const PerParty<std::vector<SwitchPoint>>& points) {
  std::vector<Turns> all;
  const std::size_t most = std::max(points[Party::first].size(), points[Party::second].size());
  for (std::size_t i = 0; i < most; ++i) {
    for (const Party party : kParties) {
      if (i >= points[party].size()) continue;
      all.push_back(
          {{.party = party, .until = points[party][i]}, {.party = other(party)}, {.party = party}});
    }
  }
  for (const Party party : kParties) {
    for (const SwitchPoint& own : points[party]) {
      for (const SwitchPoint& others : points[other(party)]) {
        all.push_back({{.party = party, .until = own},
                       {.party = other(party), .until = others},
                       {.party = party},
                       {.party = other(party)}});
      }
    }
  }
  return all;
}

std::string turns_text(const Turns& turns) {
  std::string text;
  for (const Turn& turn : turns) {
    if (!text.empty()) text += "; ";
    text += turn.party == Party::first ? "A" : "B";
    if (!turn.until) continue;
    text += " until " + turn.until->shape.text;
    if (turn.until->occurrence > 1) text += fmt::format(" (no. {})", turn.until->occurrence);
  }
  return text;
}

}  // namespace heddle
