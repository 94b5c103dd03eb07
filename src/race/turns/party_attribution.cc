#include "race/turns/party_attribution.h"

#include <utility>

#include "wire/postgres/statement_essence.h"

namespace heddle {

void PartyAttribution::begin_run(PerParty<std::string> traces, PerParty<KnownUnits> known) {
  traces_ = std::move(traces);
  known_ = std::move(known);
  flows_ = {};
  sole_.reset();
  transactions_.clear();
  last_.clear();
  doubts_ = 0;
}

std::optional<Party> PartyAttribution::party_of(const TraceFlow& flow) const {
  if (flow.number == 0) return std::nullopt;
  for (const Party party : kParties) {
    if (flows_[party] == flow.number) return party;
  }
  return std::nullopt;
}

bool PartyAttribution::knows(Party party, const UnitShape& shape) const {
  return known_[party].empty() || known_[party].contains(shape);
}

UnitOwner PartyAttribution::owner_by_movement(const HeldUnit& unit, const UnitShape& shape,
                                              const PerParty<bool>& moving) {
  PerParty<bool> fits;
  for (const Party party : kParties) fits[party] = knows(party, shape);
  for (const Party party : kParties) {
    const bool is_alone = moving[party] && !moving[other(party)];
    // What neither is known to send is of the one that moves: a run may take other ways than
    // before.
    if (is_alone && (fits[party] || !fits[other(party)])) {
      return {.kind = UnitOwner::Kind::party, .party = party};
    }
  }
  const bool is_clear = fits[Party::first] != fits[Party::second];
  if (is_clear) {
    const Party party = fits[Party::first] ? Party::first : Party::second;
    return {.kind = UnitOwner::Kind::party, .party = party};
  }
  const bool is_of_nobody = !fits[Party::first] && !moving[Party::first] && !moving[Party::second];
  if (is_of_nobody) return {.kind = UnitOwner::Kind::background};
  if (const auto party = KnownUnits::party_by_values(known_, shape, unit_values(unit))) {
    return {.kind = UnitOwner::Kind::party, .party = *party};
  }
  ++doubts_;
  return {.kind = UnitOwner::Kind::doubt};
}

UnitOwner PartyAttribution::arrived(const HeldUnit& unit, const UnitShape& shape,
                                    const PerParty<bool>& moving, Time at) {
  const UnitName name{unit.connection.number, unit.ordinal};
  const bool is_run = !traces_[Party::first].empty();
  std::optional<TraceFlow> flow;
  if (unit.is_request) {
    flow = tracker_.request_arrived(unit.connection.edge, name, unit.trace, shape.text, at);
    for (const Party party : kParties) {
      const bool is_its =
          is_run && edges_[unit.connection.edge].is_outer && traces_[party] == unit.trace;
      if (is_its) flows_[party] = flow->number;
    }
  } else {
    flow = tracker_.statement_arrived(unit.connection.edge, name, *unit.text, at);
    (void)tracker_.take_decided();
  }
  if (!is_run) return {.kind = UnitOwner::Kind::background};
  const bool is_free =
      !flow || flow->evidence == FlowEvidence::setup || postgres::is_begin(shape.text);
  if (!unit.is_request && is_free) return {.kind = UnitOwner::Kind::free};
  UnitOwner owner;
  const auto transaction = transactions_.find(unit.connection.number);
  if (!unit.is_request && transaction != transactions_.end()) {
    owner = {.kind = UnitOwner::Kind::party, .party = transaction->second};
  } else if (const auto party = party_of(*flow)) {
    owner = {.kind = UnitOwner::Kind::party, .party = *party};
  } else if (flow->number != 0 || flow->evidence == FlowEvidence::background ||
             flow->evidence == FlowEvidence::exempt) {
    return {.kind = UnitOwner::Kind::background};
  } else if (sole_) {
    owner = {.kind = UnitOwner::Kind::party, .party = *sole_};
  } else {
    owner = owner_by_movement(unit, shape, moving);
  }
  if (!unit.is_request && owner.kind == UnitOwner::Kind::party) {
    last_[unit.connection.number] = owner.party;
  }
  return owner;
}

void PartyAttribution::statement_ended(ProxiedConnection connection, std::uint64_t ordinal,
                                       char state, Time at, std::uint64_t answer) {
  tracker_.statement_ended(connection.edge, {connection.number, ordinal}, state, at, answer);
  (void)tracker_.take_decided();
  const auto last = last_.find(connection.number);
  if (state == 'I') {
    transactions_.erase(connection.number);
    if (last != last_.end()) last_.erase(last);
  } else if (last != last_.end()) {
    transactions_[connection.number] = last->second;
  }
}

void PartyAttribution::request_ended(ProxiedConnection connection, std::uint64_t ordinal, Time at) {
  tracker_.request_ended(connection.edge, {connection.number, ordinal}, at);
}

void PartyAttribution::request_exempt(ProxiedConnection connection, std::uint64_t ordinal) {
  tracker_.request_exempt({connection.number, ordinal});
}

void PartyAttribution::connection_closed(std::uint64_t number) {
  tracker_.connection_closed(number);
  (void)tracker_.take_decided();
  transactions_.erase(number);
  last_.erase(number);
}

}  // namespace heddle
