#include "race/pairs/pattern.h"

#include <algorithm>
#include <utility>

#include "race/flows/client_order.h"

namespace heddle::race {
namespace {

std::string place_of(const FlowAccess& each) { return each.store + " " + each.access.table; }

bool is_query(const Access& access) { return access.reads && !access.writes(); }

bool is_insert(const Access& access) { return access.inserts && !access.takes_conflicts; }

bool is_change(const Access& access) { return access.updates || access.deletes; }

void add_deeds(const FlowAccess& each, EndpointDeeds& deeds) {
  const std::string place = place_of(each);
  if (is_query(each.access)) deeds.reads.insert(place);
  if (is_insert(each.access)) deeds.inserts.insert(place);
  if (is_change(each.access)) deeds.changes.insert(place);
  deeds.writes = deeds.writes || each.access.writes();
  deeds.used[place].insert(each.shape);
  if (each.access.writes()) deeds.written.insert(place);
  if (each.access.reads || is_change(each.access)) deeds.touched.insert(place);
  const TraceTable* const table = each.access.definition;
  if (table != nullptr && table->keys.empty()) deeds.keyless.insert(place);
}

// Keeps what is in both; the first one is kept whole.
template <class Key>
void keep_common(std::map<Key, std::set<std::string>>& all, const Key& key,
                 const std::set<std::string>& more) {
  const auto [place, is_new] = all.try_emplace(key, more);
  if (!is_new) std::erase_if(place->second, [&](const auto& each) { return !more.contains(each); });
}

std::set<std::string> sent_columns(const Access& access, const ClientWords& words) {
  std::set<std::string> columns;
  for (const auto& [column, values] : bindings_of(access.looks)) {
    const bool are_sent = std::ranges::all_of(
        values, [&](const KnownValue& value) { return words.sent.contains(value.text); });
    if (are_sent) columns.insert(column);
  }
  return columns;
}

void add_values(const FlowAccess& each, const ClientWords& words, EndpointDeeds& deeds) {
  const std::string place = place_of(each);
  if (each.access.inserts) {
    keep_common(deeds.drawn, place, {each.access.drawn.begin(), each.access.drawn.end()});
  }
  keep_common(deeds.sent, std::pair(place, each.shape), sent_columns(each.access, words));
}

}  // namespace

PatternReader::PatternReader(const Trace& trace, const FlowAccesses& all, const Flows& flows)
    : all_(all), flows_(flows) {
  constexpr int kFirstRefusal = 400;
  for (const Flow& flow : flows.flows) {
    const RequestSpan& span = flows.spans[flow.span];
    const int status = trace.requests[span.request].status;
    EndpointDeeds& deeds = outer_[span.endpoint];
    deeds.has_succeeded = deeds.has_succeeded || (status != 0 && status < kFirstRefusal);
  }
  std::map<std::size_t, ClientWords> words;  // of flows
  for (const FlowAccess& each : all.accesses) {
    const RequestSpan& span = flows.spans[flows.flows[each.flow].span];
    const auto [sent, is_new] = words.try_emplace(each.flow);
    if (is_new) sent->second = words_of_request(trace.requests[span.request]);
    add_deeds(each, outer_[span.endpoint]);
    add_values(each, sent->second, outer_[span.endpoint]);
    add_deeds(each, inner_[flows.spans[each.span].endpoint]);
  }
}

const EndpointDeeds& PatternReader::deeds_of(std::size_t access, bool is_of_span) const {
  const FlowAccess& each = all_.accesses[access];
  const std::size_t span = is_of_span ? each.span : flows_.flows[each.flow].span;
  return (is_of_span ? inner_ : outer_).at(flows_.spans[span].endpoint);
}

const EndpointDeeds& PatternReader::deeds_of_flow(std::size_t flow) const {
  return outer_.at(flows_.spans[flows_.flows[flow].span].endpoint);
}

bool PatternReader::is_creation(const std::vector<MetAccesses>& conflicts, bool is_of_spans) const {
  return std::ranges::any_of(conflicts, [&](const MetAccesses& met) {
    const FlowAccess& one = all_.accesses[met.accesses.first];
    const FlowAccess& other = all_.accesses[met.accesses.second];
    const bool is_about_creation = (is_insert(one.access) && is_insert(other.access)) ||
                                   (is_insert(one.access) && is_query(other.access)) ||
                                   (is_query(one.access) && is_insert(other.access));
    return is_about_creation &&
           deeds_of(met.accesses.first, is_of_spans).inserts.contains(place_of(one)) &&
           deeds_of(met.accesses.second, is_of_spans).inserts.contains(place_of(other));
  });
}

RacePattern PatternReader::pattern_of(const std::vector<MetAccesses>& conflicts) const {
  if (is_creation(conflicts, false)) return RacePattern::creation;
  RacePattern worst = RacePattern::read_and_write;
  for (const MetAccesses& met : conflicts) {
    const FlowAccess& one = all_.accesses[met.accesses.first];
    const FlowAccess& other = all_.accesses[met.accesses.second];
    const bool first_asks = is_query(one.access);
    const bool second_asks = is_query(other.access);
    RacePattern pattern = RacePattern::write_write;
    if (first_asks || second_asks) {
      const EndpointDeeds& reader =
          deeds_of(first_asks ? met.accesses.first : met.accesses.second, false);
      const EndpointDeeds& writer =
          deeds_of(first_asks ? met.accesses.second : met.accesses.first, false);
      const std::string place = place_of(one);
      const bool is_update = is_change(first_asks ? other.access : one.access);
      const bool is_lost =
          is_update && reader.changes.contains(place) && writer.reads.contains(place);
      pattern = RacePattern::read_and_write;
      if (reader.writes) pattern = RacePattern::check_then_act;
      if (is_lost) pattern = RacePattern::lost_update;
    }
    worst = std::min(worst, pattern);
  }
  return worst;
}

}  // namespace heddle::race
