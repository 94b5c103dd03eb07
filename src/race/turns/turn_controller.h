// Lets the units of two parties go in turns, on the running system, and writes down what passed.
//
// A unit of the party whose turn it is goes at once, one of the other's is held, and what is
// nobody's passes. Where the party waits for the other, in the database or in the application, its
// turn cannot be followed: the other's units go one by one until it moves again, which is told.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/trace.h"
#include "proxy/controller.h"
#include "proxy/observer.h"
#include "proxy/unit_states.h"
#include "race/turns/party_attribution.h"
#include "race/turns/turn.h"

namespace heddle {

// A unit that passed in a run, as a trace would say it.
struct RunUnit {
  std::optional<Party> party = {};  // none: of the background, or in doubt
  bool is_doubtful = false;
  UnitShape shape;
  std::size_t occurrence = 0;  // of the party's units of this shape, from 1
  std::uint64_t connection = 0;
  std::uint64_t ordinal = 0;
  bool is_request = false;
  std::string text = {};
  std::vector<std::string> values = {};          // unit_values()
  std::optional<TraceStatement> statement = {};  // once it was answered
  std::optional<TraceRequest> request = {};
  bool has_waited = false;  // in the database, for the other party
  bool was_held = false;    // of the background, until the parties had been answered
};

// A point in time of a run: the unit was let go, or was answered.
struct RunEvent {
  std::size_t unit = 0;  // in RunRecord::units
  bool is_answer = false;

  friend bool operator==(const RunEvent&, const RunEvent&) = default;
};

// A party could not go on before the other had.
struct RunWait {
  Party party = Party::first;
  bool is_in_database = false;
  std::string unit = {};      // what it was about: the statement; empty where it is not known
  std::string ended_by = {};  // what the other did next; empty: that did not end it
};

struct RunRecord {
  std::vector<RunUnit> units = {};
  std::vector<RunEvent> events = {};
  std::vector<RunWait> waits = {};
  std::vector<std::string> doubts = {};
};

// How a turn has ended.
enum class TurnEnd : std::uint8_t {
  open,      // it has not
  at_point,  // the unit is held
  ended,     // the party is answered, and has nothing left
  stuck,     // nothing moved within the bound
};

class TurnController : public ProxyController, public ProxyObserver {
 public:
  using Clock = std::chrono::steady_clock;

  TurnController(std::vector<TraceEdge> edges, std::chrono::milliseconds silence)
      : edges_(edges), attribution_(std::move(edges)), silence_(silence) {}

  // For the thread of the proxies: Proxies::call().

  void begin_listening() { attribution_.begin_listening(Clock::now()); }
  void end_listening() { attribution_.end_listening(Clock::now()); }
  void begin_run(PerParty<std::string> traces, PerParty<KnownUnits> known);
  // Of one request, with that trace id: its parties are two branches of it, each known by the
  // statements that it sends one after the other. All else that the request causes goes at once.
  void begin_branches(const std::string& trace, PerParty<std::vector<UnitShape>> branches);
  // Only this party does anything: all goes at once, and what cannot be told is its.
  void run_alone(Party party);
  // Of whom that is which cannot be told.
  void attribute_alone(Party party) { attribution_.set_sole(party); }
  // It goes on where the last turn ended.
  void begin_turn(Turn turn);
  // What is nobody's waits, too, until release(): nothing that a party leaves behind is followed.
  void hold_background() { is_background_held_ = true; }
  // All goes at once from now on.
  void release();
  RunRecord end_run();
  TurnEnd turn_end() const { return turn_end_; }
  bool is_at_rest(std::chrono::milliseconds quiet) const {
    return attribution_.is_at_rest(Clock::now(), quiet);
  }
  // What keeps it from rest, in words.
  std::string restless_part() const { return attribution_.restless_part(); }
  std::vector<TraceBackground> background() const { return attribution_.background(); }
  // How long the longest pause of a party was between two of its units, so far in the run.
  std::chrono::milliseconds longest_pause() const { return longest_pause_; }
  void set_silence(std::chrono::milliseconds silence) { silence_ = silence; }

  // For any thread.

  // What the server of the store behind these edges says now.
  void tell_waits(const std::string& store, BackendWaits waits);
  // Returns when a turn has ended since, or the deadline has come.
  void wait_for_turn(Clock::time_point deadline);

  void begin(UnitHolder& holder, EventLoop& loop) override;
  void arrived(const HeldUnit& unit) override;
  void ended(const HeldUnit& unit, HeldEnd how) override;

  void connection_opened(ProxiedConnection, ProxyTime) override {}
  void connection_named(ProxiedConnection, const std::map<std::string, std::string>&) override {}
  void connection_numbered(ProxiedConnection connection, std::uint32_t backend) override;
  void connection_closed(ProxiedConnection connection, ProxyTime at) override;
  void statement_arrived(ProxiedConnection, const postgres::WireUnit&, ProxyTime) override {}
  void statement_answered(ProxiedConnection connection, postgres::WireUnit unit,
                          UnitTimes times) override;
  void request_arrived(ProxiedConnection, std::uint64_t, const HttpHead&, const std::string&,
                       ProxyTime) override {}
  void request_exempt(ProxiedConnection connection, std::uint64_t ordinal) override;
  void request_answered(ProxiedConnection connection, HttpExchange exchange) override;
  void remark(std::size_t, std::string) override {}

 private:
  using Name = std::pair<std::uint64_t, std::uint64_t>;  // the connection and the ordinal

  struct PartyState {
    bool is_open = false;      // its request has come
    bool is_answered = false;  // and was answered
    Name request = {};
    std::deque<std::size_t> held = {};  // units, as they came
    // Statements that were let go and are not answered, and how often it was heard since that each
    // waits for the other party.
    std::map<std::size_t, std::size_t> running = {};
    std::map<UnitShape, std::size_t> seen = {};
    Clock::time_point last_moved = {};
    std::vector<UnitShape> branch = {};  // what it sends, where it is one
    std::size_t come = 0;                // of these
  };

  PerParty<bool> moving() const;
  bool is_moving(const PartyState& state) const;
  bool has_ended(const PartyState& state) const;
  UnitOwner owner_of(const HeldUnit& unit, const UnitShape& shape);
  std::optional<Party> branch_of(const HeldUnit& unit, const UnitShape& shape) const;
  std::size_t note(const HeldUnit& unit, const UnitOwner& owner, const UnitShape& shape);
  void touch(Party party);
  void let_go(std::size_t place);
  void let_parties_go();
  void advance_soon();
  void advance();
  bool is_at_point(std::size_t place) const;
  std::set<std::uint32_t> backends_of(Party party) const;
  void count_waits(Party party, const std::string& store, const BackendWaits& waits);
  bool waits_in_database(Party party) const;
  void help(Party waiting, bool is_in_database);
  void finish_turn(TurnEnd end);
  void look_again_at(Clock::time_point when);

  std::vector<TraceEdge> edges_;
  PartyAttribution attribution_;
  std::chrono::milliseconds silence_;
  UnitHolder* holder_ = nullptr;
  EventLoop* loop_ = nullptr;
  bool is_running_ = false;  // a run is
  bool has_branches_ = false;
  std::optional<Turn> turn_;
  TurnEnd turn_end_ = TurnEnd::open;
  Clock::time_point turn_began_ = {};
  PerParty<PartyState> parties_;
  RunRecord record_;
  std::map<Name, std::size_t> units_;  // of the run, in record_.units
  std::map<std::uint64_t, std::uint32_t> backends_;
  bool is_background_held_ = false;
  std::vector<std::size_t> held_background_;  // units
  std::optional<std::size_t> helped_with_;    // the unit that the other was let go with
  std::chrono::milliseconds longest_pause_{0};
  std::optional<std::uint64_t> timer_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_turn_ended_ = false;  // guarded by mutex_
};

}  // namespace heddle
