// Whose a unit is while a pair is replayed: one of the two parties', the background's, or nobody's.
//
// What names a trace, or goes on in a transaction, or comes from a service at which one party alone
// has a request open, tells it by itself (FlowTracker). For the rest counts that all parties but
// one are held or have ended: what arrives is of the one that moves, if that has units of this
// shape. Where two move, the shapes have to tell, or else the values; where they do not, that is a
// doubt, and no verdict comes of the run.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "heddle/trace.h"
#include "proxy/controller.h"
#include "race/turns/known_units.h"
#include "race/turns/turn.h"
#include "record/flow_tracker.h"

namespace heddle {

// The party of a unit, or why it has none.
struct UnitOwner {
  enum class Kind : std::uint8_t {
    party,
    background,  // what services repeat on their own, or do before the run
    free,        // it touches nothing: BEGIN, settings of a pool
    doubt,       // of one of the parties, and nobody can tell of which
  };
  Kind kind = Kind::background;
  Party party = Party::first;
};

class PartyAttribution {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit PartyAttribution(std::vector<TraceEdge> edges)
      : edges_(edges), tracker_(std::move(edges)) {}

  // The system has started; until listening ends, what comes is background.
  void begin_listening(Time at) { tracker_.begin_listening(at); }
  void end_listening(Time at) { tracker_.end_listening(at); }
  // `traces`: the ids with which the two requests will come. `known`: each party's
  // units, as far as they were seen before; empty: any may be its.
  void begin_run(PerParty<std::string> traces, PerParty<KnownUnits> known);
  // Nothing is of a party from now on.
  void end_run() { traces_ = {}; }
  // In doubt all is this party's, where there is one: the other has ended, or has not begun.
  void set_sole(std::optional<Party> party) { sole_ = party; }

  // `moving`: the parties of which something can come now.
  UnitOwner arrived(const HeldUnit& unit, const UnitShape& shape, const PerParty<bool>& moving,
                    Time at);
  void statement_ended(ProxiedConnection connection, std::uint64_t ordinal, char state, Time at,
                       std::uint64_t answer);
  void request_ended(ProxiedConnection connection, std::uint64_t ordinal, Time at);
  void request_exempt(ProxiedConnection connection, std::uint64_t ordinal);
  void connection_closed(std::uint64_t number);

  bool is_at_rest(Time now, std::chrono::milliseconds quiet) const {
    return tracker_.is_at_rest(now, quiet);
  }
  std::string restless_part() const { return tracker_.restless_part(); }
  std::vector<TraceBackground> background() const { return tracker_.background(); }
  // The flow of each unit, for whoever compares with a recording.
  std::size_t doubts() const { return doubts_; }

 private:
  std::optional<Party> party_of(const TraceFlow& flow) const;
  UnitOwner owner_by_movement(const HeldUnit& unit, const UnitShape& shape,
                              const PerParty<bool>& moving);
  bool knows(Party party, const UnitShape& shape) const;

  std::vector<TraceEdge> edges_;
  FlowTracker tracker_;
  PerParty<std::string> traces_;
  PerParty<KnownUnits> known_;
  PerParty<std::uint64_t> flows_;  // 0: its request has not come
  std::optional<Party> sole_;
  std::unordered_map<std::uint64_t, Party> last_;          // who sent the last unit, by connection
  std::unordered_map<std::uint64_t, Party> transactions_;  // whose the open one is
  std::size_t doubts_ = 0;
};

}  // namespace heddle
