#include "format/scenario_json.h"

#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"

namespace heddle {

ScenarioNames::ScenarioNames(const Scenario& scenario) : scenario_(scenario) {
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    steps_.emplace(scenario.steps[i].name, StepId(i));
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < scenario.sessions.size(); ++i) {
    const std::string& name = scenario.sessions[i].name;
    if (seen.insert(name).second) {
      sessions_.emplace(name, SessionId(i));
    } else {
      sessions_.erase(name);
    }
  }
}

Json ScenarioNames::write(StepId step) const {
  HEDDLE_ASSERT(step.index() < scenario_.steps.size());
  return text_json(scenario_.steps[step.index()].name);
}

Json ScenarioNames::write(SessionId session) const {
  HEDDLE_ASSERT(session.index() < scenario_.sessions.size());
  const std::string& name = scenario_.sessions[session.index()].name;
  return sessions_.contains(name) ? text_json(name) : Json(session.value);
}

Json ScenarioNames::write(const std::vector<SessionId>& sessions) const {
  Json list = Json::array();
  for (const SessionId session : sessions) list.push_back(write(session));
  return list;
}

Json ScenarioNames::write(const PlacedStep& placed) const {
  if (placed.blockers.empty()) return write(placed.step);
  Json blockers = Json::array();
  for (const Blocker& blocker : placed.blockers) {
    if (blocker.kind == Blocker::Kind::once) {
      blockers.push_back("*");
    } else if (blocker.kind == Blocker::Kind::other_step) {
      blockers.push_back({{"step", write(blocker.step)}});
    } else {
      blockers.push_back({{"step", write(blocker.step)}, {"notices", blocker.notices}});
    }
  }
  return {{"step", write(placed.step)}, {"blockers", blockers}};
}

Json ScenarioNames::write(const Schedule& schedule) const {
  Json list = Json::array();
  for (const PlacedStep& placed : schedule.steps) list.push_back(write(placed));
  return list;
}

StepId ScenarioNames::read_step(const JsonPlace& place) const {
  const auto step = steps_.find(place.text());
  if (step != steps_.end()) return step->second;
  place.complain("the scenario has no step of that name");
  return StepId();
}

SessionId ScenarioNames::read_session(const JsonPlace& place) const {
  if (place.is_number()) return SessionId(place.index(scenario_.sessions.size()));
  const auto session = sessions_.find(place.text());
  if (session != sessions_.end()) return session->second;
  place.complain("the scenario has no session of that name, or several");
  return SessionId();
}

std::vector<SessionId> ScenarioNames::read_sessions(const JsonPlace& place) const {
  return place.list([&](const JsonPlace& element) { return read_session(element); });
}

Blocker ScenarioNames::read_blocker(const JsonPlace& place) const {
  if (place.is_text()) {
    if (place.text() != "*") place.complain("expected \"*\" or {\"step\": ...}");
    return Blocker{};
  }
  Blocker blocker{Blocker::Kind::other_step, read_step(place.at("step")), 0};
  const JsonPlace notices = place.find("notices");
  if (!notices.is_absent()) {
    blocker.kind = Blocker::Kind::notices;
    blocker.notices =
        static_cast<std::uint32_t>(notices.index(std::numeric_limits<std::uint32_t>::max()));
  }
  return blocker;
}

PlacedStep ScenarioNames::read_placed_step(const JsonPlace& place) const {
  const bool object = !place.is_text() && !place.find("step").is_absent();
  if (!object) return {read_step(place), {}};
  return {read_step(place.at("step")), place.at("blockers").list([&](const JsonPlace& element) {
            return read_blocker(element);
          })};
}

Schedule ScenarioNames::read_schedule(const JsonPlace& place) const {
  return {place.list([&](const JsonPlace& element) { return read_placed_step(element); })};
}

Json write_scenario(const Scenario& scenario) {
  return {{"file", text_json(scenario.file)}, {"spec", text_json(to_spec(scenario))}};
}

}  // namespace heddle
