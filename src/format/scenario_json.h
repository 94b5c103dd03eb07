// Scenarios and the names that documents use for their parts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "format/json/json.h"
#include "format/json/json_reader.h"
#include "heddle/schedule.h"

namespace heddle {

// Writes steps and sessions by their names and finds them again. Step names are unique in a
// scenario; a session whose name another one has too is written as its position instead.
class ScenarioNames {
 public:
  explicit ScenarioNames(const Scenario& scenario);

  Json write(StepId step) const;
  Json write(SessionId session) const;
  Json write(const std::vector<SessionId>& sessions) const;
  // A step without blockers is its name, one with blockers an object.
  Json write(const Schedule& schedule) const;

  StepId read_step(const JsonPlace& place) const;
  SessionId read_session(const JsonPlace& place) const;
  std::vector<SessionId> read_sessions(const JsonPlace& place) const;
  Schedule read_schedule(const JsonPlace& place) const;

 private:
  Json write(const PlacedStep& placed) const;
  PlacedStep read_placed_step(const JsonPlace& place) const;
  Blocker read_blocker(const JsonPlace& place) const;

  const Scenario& scenario_;
  std::map<std::string, StepId> steps_;
  std::map<std::string, SessionId> sessions_;  // those whose names are unique
};

// {"file": ..., "spec": the scenario as a spec file}
Json write_scenario(const Scenario& scenario);

}  // namespace heddle
