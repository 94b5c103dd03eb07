#include "report/race/race_moments.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

namespace heddle {

namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// A moment with its place in the order of all that was sent and answered. What is held arrives
// right after what its party did before.
struct PlacedMoment {
  std::size_t place = 0;
  bool is_behind = false;
  RaceMoment moment;
};

class MomentFinder {
 public:
  explicit MomentFinder(const RaceFinding& finding) : steps_(finding.steps) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!steps_[i].party && !steps_[i].conflicts) continue;
      shown_.push_back(i);
      places_.push_back(steps_[i].sent);
      places_.push_back(steps_[i].answered);
    }
    std::sort(places_.begin(), places_.end());
  }

  std::vector<RaceMoment> find() {
    for (const std::size_t step : shown_) add(step);
    std::stable_sort(moments_.begin(), moments_.end(),
                     [](const PlacedMoment& a, const PlacedMoment& b) {
                       return std::tie(a.place, a.is_behind) < std::tie(b.place, b.is_behind);
                     });
    std::vector<RaceMoment> found;
    for (const PlacedMoment& each : moments_) found.push_back(each.moment);
    return found;
  }

 private:
  void add(std::size_t index) {
    const RaceRunStep& step = steps_[index];
    if (step.sent == 0) {
      moments_.push_back({kNever, true, {index, RaceMoment::Kind::held}});
      return;
    }
    RaceMoment sent{index, RaceMoment::Kind::sent, false, false};
    if (step.was_held && step.party) {
      const std::size_t before = last_place_before(*step.party, step.sent);
      sent.ends_hold = happens_between(before, step.sent);
      if (sent.ends_hold) moments_.push_back({before, true, {index, RaceMoment::Kind::held}});
    }
    const bool is_apart = step.has_waited || happens_between(step.sent, step.answered);
    sent.is_open = step.answered == 0 || is_apart;
    moments_.push_back({step.sent, false, sent});
    if (step.answered == 0 || !is_apart) return;
    moments_.push_back({step.answered, false, {index, RaceMoment::Kind::answered}});
  }

  std::size_t last_place_before(std::size_t party, std::size_t place) const {
    std::size_t last = 0;
    for (const std::size_t other : shown_) {
      if (steps_[other].party != party) continue;
      for (const std::size_t at : {steps_[other].sent, steps_[other].answered}) {
        if (at < place) last = std::max(last, at);
      }
    }
    return last;
  }

  bool happens_between(std::size_t from, std::size_t to) const {
    const auto next = std::upper_bound(places_.begin(), places_.end(), from);
    return next != places_.end() && *next < to;
  }

  const std::vector<RaceRunStep>& steps_;
  std::vector<std::size_t> shown_;
  std::vector<std::size_t> places_;  // of all that is shown, in order
  std::vector<PlacedMoment> moments_;
};

std::optional<std::size_t> last_held(const std::vector<RaceRunStep>& steps) {
  std::optional<std::size_t> held;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].was_held && steps[i].party) held = i;
  }
  return held;
}

// What the party that was held last did after it was let go, or what the other one did to the same
// while it was held.
std::optional<std::size_t> step_around_hold(const std::vector<RaceRunStep>& steps) {
  const std::optional<std::size_t> held = last_held(steps);
  if (!held) return std::nullopt;
  const RaceRunStep& let_go = steps[*held];
  std::optional<std::size_t> meanwhile;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].conflicts) continue;
    if (steps[i].sent >= let_go.sent && steps[i].party == let_go.party) return i;
    const bool is_others = steps[i].party && steps[i].party != let_go.party;
    if (is_others && steps[i].sent < let_go.sent) meanwhile = i;
  }
  return meanwhile ? meanwhile : held;
}

std::optional<std::size_t> first_conflict_of_second(const std::vector<RaceRunStep>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].party == 1U && steps[i].conflicts) return i;
  }
  return std::nullopt;
}

// The error that was told first: others may follow from it.
std::optional<std::size_t> earliest_error(const std::vector<RaceRunStep>& steps) {
  std::optional<std::size_t> earliest;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].party || !steps[i].is_error) continue;
    if (!earliest || steps[i].answered < steps[*earliest].answered) earliest = i;
  }
  return earliest;
}

std::optional<std::size_t> last_conflict(const std::vector<RaceRunStep>& steps) {
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].conflicts) last = i;
  }
  return last;
}

}  // namespace

std::vector<RaceMoment> race_moments(const RaceFinding& finding) {
  return MomentFinder(finding).find();
}

std::optional<std::size_t> parting_step(const RaceFinding& finding) {
  if (finding.wrong_step) return finding.wrong_step;
  switch (finding.result) {
    case RaceResult::confirmed: {
      const std::optional<std::size_t> held = step_around_hold(finding.steps);
      return held ? held : last_conflict(finding.steps);
    }
    case RaceResult::stale_read:
      return first_conflict_of_second(finding.steps);
    case RaceResult::error_under_overlap:
    case RaceResult::refused:
      return earliest_error(finding.steps);
    default:
      return std::nullopt;
  }
}

}  // namespace heddle
