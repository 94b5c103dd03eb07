// The controller that follows a given schedule: units go one after the other in its order, each
// once the one before it was answered or is known to wait.
//
// What arrives is held against the schedule by its shape, a statement without its values. A party
// that sends something else than its next unit has drifted: the schedule cannot be followed from
// there on, which is told and never passed over. Then everything goes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/controller.h"

namespace heddle {

struct ScheduledUnit {
  std::string party;
  std::string shape;

  friend bool operator==(const ScheduledUnit&, const ScheduledUnit&) = default;
};

// Where a schedule was left: at which of its units, and what came instead.
struct ScheduleDrift {
  std::size_t at = 0;  // of the party's next unit in the schedule; its size: it had none left
  ScheduledUnit found;
};

// The shape of a unit: of a statement its text without values, of a request its method and path.
std::string unit_shape(const HeldUnit& unit);

class GivenScheduleController : public ProxyController {
 public:
  GivenScheduleController(std::vector<ScheduledUnit> schedule, PartyOf party_of)
      : schedule_(std::move(schedule)), states_(schedule_.size()), party_of_(std::move(party_of)) {}

  void begin(UnitHolder& holder, EventLoop& loop) override;
  void arrived(const HeldUnit& unit) override;
  // The next may go where the unit waits, in the database or in the application.
  void changed(const HeldUnit& unit, UnitState how) override;
  void ended(const HeldUnit& unit, HeldEnd how) override;

  // For the thread of the proxies.

  // The unit whose turn it is; the schedule's size: it is over.
  std::size_t next() const;
  bool is_running(std::size_t at) const { return states_[at].is_running; }
  const std::optional<ScheduleDrift>& drift() const { return drift_; }

 private:
  struct State {
    bool has_come = false;
    bool is_running = false;
    bool is_past = false;  // answered, or known to wait
    std::uint64_t connection = 0;
    std::uint64_t ordinal = 0;
  };

  State* state_of(const HeldUnit& unit);
  void let_go();

  std::vector<ScheduledUnit> schedule_;
  std::vector<State> states_;
  PartyOf party_of_;
  UnitHolder* holder_ = nullptr;
  EventLoop* loop_ = nullptr;
  std::optional<ScheduleDrift> drift_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> released_;  // after a drift
};

}  // namespace heddle
