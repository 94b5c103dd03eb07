#include "race/turns/turn_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "proxy/given_schedule.h"
#include "record/passed_units.h"

namespace heddle {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// What a server answered once may have been asked before the statement arrived there.
constexpr std::size_t kHeardTwice = 2;

}  // namespace

void TurnController::begin(UnitHolder& holder, EventLoop& loop) {
  holder_ = &holder;
  loop_ = &loop;
}

void TurnController::begin_run(PerParty<std::string> traces, PerParty<KnownUnits> known) {
  attribution_.begin_run(std::move(traces), std::move(known));
  parties_ = {};
  record_ = {};
  units_.clear();
  turn_.reset();
  helped_with_.reset();
  is_background_held_ = false;
  held_background_.clear();
  longest_pause_ = milliseconds(0);
  is_running_ = true;
  has_branches_ = false;
}

void TurnController::begin_branches(const std::string& trace,
                                    PerParty<std::vector<UnitShape>> branches) {
  begin_run({{trace, trace}}, {});
  attribution_.set_sole(Party::first);
  has_branches_ = true;
  for (const Party party : kParties) {
    parties_[party].branch = std::move(branches[party]);
    parties_[party].is_open = true;
    parties_[party].last_moved = Clock::now();
  }
}

RunRecord TurnController::end_run() {
  release();
  attribution_.end_run();
  is_running_ = false;
  units_.clear();
  return std::exchange(record_, {});
}

void TurnController::run_alone(Party party) {
  release();
  attribution_.set_sole(party);
}

void TurnController::begin_turn(Turn turn) {
  turn_ = std::move(turn);
  turn_end_ = TurnEnd::open;
  turn_began_ = Clock::now();
  helped_with_.reset();
  if (!has_branches_) attribution_.set_sole(std::nullopt);
  {
    const std::scoped_lock lock(mutex_);
    has_turn_ended_ = false;
  }
  advance_soon();
}

void TurnController::let_parties_go() {
  for (const Party party : kParties) {
    while (!parties_[party].held.empty()) let_go(parties_[party].held.front());
  }
}

void TurnController::release() {
  turn_.reset();
  helped_with_.reset();
  is_background_held_ = false;
  for (const std::size_t place : std::exchange(held_background_, {})) let_go(place);
  let_parties_go();
}

bool TurnController::is_moving(const PartyState& state) const {
  return state.is_open && state.held.empty() && !state.is_answered;
}

bool TurnController::has_ended(const PartyState& state) const {
  const bool is_done = has_branches_ && state.come == state.branch.size();
  return (is_done || state.is_answered) && state.running.empty() && state.held.empty();
}

// The branch whose next statement it is. Where both are alike, the first is the one that came
// first; one that is held sends nothing.
std::optional<Party> TurnController::branch_of(const HeldUnit& unit, const UnitShape& shape) const {
  std::optional<Party> found;
  for (const Party party : kParties) {
    const PartyState& state = parties_[party];
    const bool is_next = !unit.is_request && state.come < state.branch.size() &&
                         state.branch[state.come] == shape && state.held.empty();
    if (!is_next) continue;
    const bool has_begun = state.come > 0;
    if (!found || (has_begun && parties_[*found].come == 0)) found = party;
  }
  return found;
}

UnitOwner TurnController::owner_of(const HeldUnit& unit, const UnitShape& shape) {
  UnitOwner owner = attribution_.arrived(unit, shape, moving(), Clock::now());
  if (!has_branches_ || owner.kind != UnitOwner::Kind::party) return owner;
  const auto branch = branch_of(unit, shape);
  if (!branch) return {.kind = UnitOwner::Kind::free};
  ++parties_[*branch].come;
  return {.kind = UnitOwner::Kind::party, .party = *branch};
}

PerParty<bool> TurnController::moving() const {
  PerParty<bool> moving;
  for (const Party party : kParties) moving[party] = is_moving(parties_[party]);
  return moving;
}

void TurnController::touch(Party party) {
  PartyState& state = parties_[party];
  const auto now = Clock::now();
  if (state.is_open) {
    longest_pause_ = std::max(longest_pause_, duration_cast<milliseconds>(now - state.last_moved));
  }
  state.last_moved = now;
}

// Writes the unit down; its place in the record.
std::size_t TurnController::note(const HeldUnit& unit, const UnitOwner& owner,
                                 const UnitShape& shape) {
  const std::size_t place = record_.units.size();
  RunUnit noted{.shape = shape,
                .connection = unit.connection.number,
                .ordinal = unit.ordinal,
                .is_request = unit.is_request,
                .text = *unit.text,
                .values = unit_values(unit)};
  if (owner.kind == UnitOwner::Kind::party) {
    noted.party = owner.party;
    noted.occurrence = ++parties_[owner.party].seen[shape];
  }
  if (owner.kind == UnitOwner::Kind::doubt) {
    noted.is_doubtful = true;
    record_.doubts.push_back(fmt::format("{} at {}", shape.text, edges_[shape.edge].callee));
  }
  record_.units.push_back(std::move(noted));
  units_[{unit.connection.number, unit.ordinal}] = place;
  return place;
}

void TurnController::arrived(const HeldUnit& unit) {
  const UnitShape shape{.edge = unit.connection.edge, .text = unit_shape(unit)};
  if (unit.backend != 0) backends_[unit.connection.number] = unit.backend;
  const UnitOwner owner = owner_of(unit, shape);
  const Name name{unit.connection.number, unit.ordinal};
  if (!is_running_) {
    loop_->call_soon([this, name] { holder_->permit(name.first, name.second); });
    return;
  }
  const std::size_t place = note(unit, owner, shape);
  if (owner.kind == UnitOwner::Kind::background && is_background_held_) {
    held_background_.push_back(place);
    record_.units[place].was_held = true;
    return;
  }
  if (owner.kind != UnitOwner::Kind::party) {
    record_.events.push_back({.unit = place});
    loop_->call_soon([this, name] { holder_->permit(name.first, name.second); });
    return;
  }
  PartyState& state = parties_[owner.party];
  if (unit.is_request && edges_[shape.edge].is_outer && !state.is_open && !has_branches_) {
    state.is_open = true;
    state.request = name;
    state.last_moved = Clock::now();
  }
  touch(owner.party);
  state.held.push_back(place);
  advance_soon();
}

void TurnController::let_go(std::size_t place) {
  const RunUnit& unit = record_.units[place];
  if (unit.party) {
    PartyState& state = parties_[*unit.party];
    std::erase(state.held, place);
    if (!unit.is_request) state.running[place] = 0;
    touch(*unit.party);
  }
  record_.events.push_back({.unit = place});
  holder_->permit(unit.connection, unit.ordinal);
}

void TurnController::ended(const HeldUnit& unit, HeldEnd) {
  const Name name{unit.connection.number, unit.ordinal};
  const auto found = units_.find(name);
  if (found == units_.end()) return;
  const std::size_t place = found->second;
  record_.events.push_back({.unit = place, .is_answer = true});
  const std::optional<Party> party = record_.units[place].party;
  if (!party) return;
  PartyState& state = parties_[*party];
  std::erase(state.held, place);
  state.running.erase(place);
  touch(*party);
  if (unit.is_request && state.request == name) state.is_answered = true;
  advance_soon();
}

void TurnController::advance_soon() {
  loop_->call_soon([this] { advance(); });
}

bool TurnController::is_at_point(std::size_t place) const {
  const RunUnit& unit = record_.units[place];
  return turn_->until && turn_->until->shape == unit.shape &&
         turn_->until->occurrence == unit.occurrence;
}

void TurnController::advance() {
  if (!is_running_) return;
  if (!turn_) {
    let_parties_go();
    return;
  }
  if (turn_end_ != TurnEnd::open) return;
  const Party party = turn_->party;
  PartyState& state = parties_[party];
  if (helped_with_ && state.last_moved > turn_began_) {
    record_.waits.back().ended_by = record_.units[*helped_with_].text;
    helped_with_.reset();
  }
  bool is_at_end = false;
  const std::deque<std::size_t> held = state.held;
  for (const std::size_t place : held) {
    if (is_at_point(place)) {
      is_at_end = true;
    } else {
      let_go(place);
    }
  }
  if (is_at_end && state.running.empty()) {
    finish_turn(TurnEnd::at_point);
    return;
  }
  if (has_ended(state)) {
    finish_turn(TurnEnd::ended);
    return;
  }
  const auto now = Clock::now();
  const auto since = std::max(state.last_moved, turn_began_);
  const bool is_in_database = waits_in_database(party);
  // A statement that runs in the database and waits for nobody there is on its way.
  const bool is_silent = state.running.empty() && state.is_open && now - since >= silence_;
  if (is_in_database || is_silent || helped_with_) {
    help(party, is_in_database);
  } else if (state.is_open && state.running.empty()) {
    look_again_at(since + silence_);
  }
}

std::set<std::uint32_t> TurnController::backends_of(Party party) const {
  std::set<std::uint32_t> found;
  for (const RunUnit& unit : record_.units) {
    const auto backend = backends_.find(unit.connection);
    if (unit.party == party && backend != backends_.end()) found.insert(backend->second);
  }
  return found;
}

void TurnController::count_waits(Party party, const std::string& store, const BackendWaits& waits) {
  const std::set<std::uint32_t> others = backends_of(other(party));
  for (auto& [place, heard] : parties_[party].running) {
    const RunUnit& unit = record_.units[place];
    const auto backend = backends_.find(unit.connection);
    if (edges_[unit.shape.edge].callee != store || backend == backends_.end()) continue;
    const auto found = waits.find(backend->second);
    const bool is_for_other = found != waits.end() && !found->second.empty() &&
                              std::ranges::all_of(found->second, [&](std::uint32_t blocker) {
                                return others.contains(blocker);
                              });
    heard = is_for_other ? heard + 1 : 0;
  }
}

// Whether a statement of it waits, and all whom it waits for are the other's.
bool TurnController::waits_in_database(Party party) const {
  return std::ranges::any_of(parties_[party].running,
                             [](const auto& each) { return each.second >= kHeardTwice; });
}

// The other goes on, unit by unit, until the one that waits moves.
void TurnController::help(Party waiting, bool is_in_database) {
  PartyState& state = parties_[waiting];
  PartyState& helper = parties_[other(waiting)];
  if (helped_with_) {
    if (!helper.running.empty()) return;  // it is on its way
  } else {
    RunWait wait{.party = waiting, .is_in_database = is_in_database};
    if (!state.running.empty()) {
      RunUnit& unit = record_.units[state.running.begin()->first];
      unit.has_waited = is_in_database;
      wait.unit = unit.text;
    }
    record_.waits.push_back(std::move(wait));
  }
  if (!helper.held.empty()) {
    turn_began_ = Clock::now();
    helped_with_ = helper.held.front();
    let_go(helper.held.front());
    return;
  }
  const auto since = std::max({state.last_moved, helper.last_moved, turn_began_});
  if (Clock::now() - since >= silence_) {
    finish_turn(TurnEnd::stuck);
  } else {
    look_again_at(since + silence_);
  }
}

void TurnController::finish_turn(TurnEnd end) {
  turn_end_ = end;
  helped_with_.reset();
  {
    const std::scoped_lock lock(mutex_);
    has_turn_ended_ = true;
  }
  changed_.notify_all();
}

void TurnController::look_again_at(Clock::time_point when) {
  if (timer_) loop_->cancel(*timer_);
  timer_ = loop_->call_at(when, [this] {
    timer_.reset();
    advance();
  });
}

void TurnController::tell_waits(const std::string& store, BackendWaits waits) {
  loop_->post([this, store, waits = std::move(waits)] {
    if (!is_running_) return;
    for (const Party party : kParties) count_waits(party, store, waits);
    advance();
  });
}

void TurnController::wait_for_turn(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] { return has_turn_ended_; });
}

void TurnController::connection_numbered(ProxiedConnection connection, std::uint32_t backend) {
  backends_[connection.number] = backend;
}

void TurnController::connection_closed(ProxiedConnection connection, ProxyTime) {
  attribution_.connection_closed(connection.number);
  backends_.erase(connection.number);
}

void TurnController::statement_answered(ProxiedConnection connection, postgres::WireUnit unit,
                                        UnitTimes times) {
  attribution_.statement_ended(connection, unit.ordinal, unit.status_after,
                               times.answered.value_or(times.arrived), answer_hash(unit));
  const auto found = units_.find({connection.number, unit.ordinal});
  if (found == units_.end()) return;
  TraceStatement statement = trace_statement(unit);
  statement.edge = connection.edge;
  statement.connection = connection.number;
  record_.units[found->second].statement = std::move(statement);
}

void TurnController::request_exempt(ProxiedConnection connection, std::uint64_t ordinal) {
  attribution_.request_exempt(connection, ordinal);
}

void TurnController::request_answered(ProxiedConnection connection, HttpExchange exchange) {
  const std::uint64_t ordinal = exchange.ordinal;
  attribution_.request_ended(connection, ordinal,
                             exchange.times.answered.value_or(exchange.times.arrived));
  const auto found = units_.find({connection.number, ordinal});
  if (found == units_.end()) return;
  TraceRequest place;
  place.edge = connection.edge;
  place.connection = connection.number;
  place.ordinal = ordinal;
  record_.units[found->second].request = trace_request(std::move(place), exchange);
}

}  // namespace heddle
