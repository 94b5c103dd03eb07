/// Schedule: a total order of steps over the sessions of a scenario. Every finder ends in one,
/// every runner starts from one, every report draws one.
#pragma once

#include <string>
#include <vector>

#include "heddle/scenario.h"

namespace heddle {

/// REQUIRES of users: the steps of one session appear in the order in which the session issues them
/// unless the scenario's own permutation says otherwise.
struct Schedule {
  std::vector<PlacedStep> steps;

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// How many times the schedule moves from one session to another.
std::size_t count_switches(const Scenario& scenario, const Schedule& schedule);

/// How many of those moves leave a session that still has steps to come.
std::size_t count_preemptions(const Scenario& scenario, const Schedule& schedule);

/// The schedule of a permutation the file states.
Schedule schedule_of(const Permutation& permutation);

/// "r1 r2 w1 c1 w2 c2", quoted where the spec format needs it, with blocker markers.
std::string to_string(const Scenario& scenario, const Schedule& schedule);

}  // namespace heddle
