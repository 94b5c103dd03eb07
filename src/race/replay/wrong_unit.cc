#include "race/replay/wrong_unit.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "race/replay/bound_text.h"

namespace heddle {
namespace {

// Whose it is, of what shape, and the n-th of it.
using UnitKey = std::tuple<std::size_t, UnitShape, std::size_t>;

// The statement with its values, and how it was answered.
std::string deed_of(const TraceStatement& statement) {
  std::string text = bound_text(statement);
  if (statement.error) return text + '\n' + statement.error->code;
  for (const TraceResult& result : statement.results) {
    text += '\n' + result.tag + ' ' + std::to_string(result.row_count);
    for (const auto& row : result.rows) {
      text += '\n';
      for (const TraceValue& value : row) text += value.text ? *value.text + '\t' : "NULL\t";
    }
  }
  return text;
}

std::string deed_of(const TraceRequest& request) {
  return request.method + ' ' + request.target + '\n' + std::to_string(request.status) + '\n' +
         request.response_body.bytes;
}

// None: it was not answered.
std::optional<std::string> deed_of(const RunUnit& unit) {
  if (unit.statement) return deed_of(*unit.statement);
  if (unit.request) return deed_of(*unit.request);
  return std::nullopt;
}

UnitKey key_of(const RunUnit& unit) { return {index_of(*unit.party), unit.shape, unit.occurrence}; }

// None: it is not the same in all runs of the order. An empty text: the order has no such unit.
using Deeds = std::map<UnitKey, std::optional<std::string>>;

Deeds deeds_of(const std::vector<RunRecord>& runs) {
  Deeds deeds;
  std::map<UnitKey, std::size_t> counts;
  for (const RunRecord& run : runs) {
    for (const RunUnit& unit : run.units) {
      const auto deed = deed_of(unit);
      if (!unit.party || !deed) continue;
      const auto [place, is_new] = deeds.try_emplace(key_of(unit), deed);
      if (!is_new && place->second != deed) place->second.reset();
      ++counts[key_of(unit)];
    }
  }
  for (const auto& [key, count] : counts) {
    if (count != runs.size()) deeds[key].reset();
  }
  return deeds;
}

// Whether the order may be the one that the run follows, as far as the unit tells.
bool may_follow(const Deeds& deeds, const UnitKey& key, const std::string& deed) {
  const auto found = deeds.find(key);
  return found != deeds.end() && (!found->second || *found->second == deed);
}

}  // namespace

std::optional<std::size_t> wrong_unit(const RunRecord& run,
                                      const PerParty<std::vector<RunRecord>>& orders) {
  PerParty<Deeds> deeds;
  PerParty<bool> is_possible;
  for (const Party party : kParties) {
    if (orders[party].empty()) return std::nullopt;
    deeds[party] = deeds_of(orders[party]);
    is_possible[party] = true;
  }
  for (const RunEvent& event : run.events) {
    const RunUnit& unit = run.units[event.unit];
    const auto deed = deed_of(unit);
    if (!event.is_answer || !unit.party || !deed) continue;
    for (const Party party : kParties) {
      is_possible[party] = is_possible[party] && may_follow(deeds[party], key_of(unit), *deed);
    }
    if (!is_possible[Party::first] && !is_possible[Party::second]) return event.unit;
  }
  return std::nullopt;
}

}  // namespace heddle
