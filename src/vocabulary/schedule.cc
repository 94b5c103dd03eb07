#include "heddle/schedule.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"

namespace heddle {

namespace {

SessionId session_of(const Scenario& scenario, const PlacedStep& placed) {
  HEDDLE_ASSERT(placed.step.index() < scenario.steps.size());
  return scenario.steps[placed.step.index()].session;
}

bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool continues_identifier(char c) {
  return starts_identifier(c) || (c >= '0' && c <= '9') || c == '$';
}

// Whether the spec format takes the name without quotes.
bool is_bare_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> kKeywords = {"notices", "permutation", "session",
                                                         "setup",   "step",        "teardown"};
  return !name.empty() && starts_identifier(name.front()) &&
         std::ranges::all_of(name, continues_identifier) &&
         std::ranges::find(kKeywords, name) == kKeywords.end();
}

std::string quoted_where_needed(std::string_view name) {
  if (is_bare_name(name)) return std::string(name);
  std::string result = "\"";
  for (const char c : name) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string to_text(const Scenario& scenario, StepId step) {
  HEDDLE_ASSERT(step.index() < scenario.steps.size());
  return quoted_where_needed(scenario.steps[step.index()].name);
}

std::string to_text(const Scenario& scenario, const Blocker& blocker) {
  switch (blocker.kind) {
    case Blocker::Kind::once:
      return "*";
    case Blocker::Kind::other_step:
      return to_text(scenario, blocker.step);
    case Blocker::Kind::notices:
      return fmt::format("{} notices {}", to_text(scenario, blocker.step), blocker.notices);
  }
  HEDDLE_ASSERT(false);
}

std::string to_text(const Scenario& scenario, const PlacedStep& placed) {
  std::string name = to_text(scenario, placed.step);
  if (placed.blockers.empty()) return name;
  std::vector<std::string> markers;
  for (const Blocker& blocker : placed.blockers) markers.push_back(to_text(scenario, blocker));
  return fmt::format("{}({})", name, join(markers, ", "));
}

}  // namespace

std::size_t count_switches(const Scenario& scenario, const Schedule& schedule) {
  std::size_t switches = 0;
  for (std::size_t i = 1; i < schedule.steps.size(); ++i) {
    if (session_of(scenario, schedule.steps[i - 1]) != session_of(scenario, schedule.steps[i])) {
      ++switches;
    }
  }
  return switches;
}

std::size_t count_preemptions(const Scenario& scenario, const Schedule& schedule) {
  // Backwards: `runs_later[s]` says whether session s has a step after the one at hand.
  std::vector<bool> runs_later(scenario.sessions.size(), false);
  std::size_t preemptions = 0;
  for (std::size_t i = schedule.steps.size(); i-- > 0;) {
    const SessionId session = session_of(scenario, schedule.steps[i]);
    HEDDLE_ASSERT(session.index() < runs_later.size());
    const bool switches_away =
        i + 1 < schedule.steps.size() && session_of(scenario, schedule.steps[i + 1]) != session;
    if (switches_away && runs_later[session.index()]) ++preemptions;
    runs_later[session.index()] = true;
  }
  return preemptions;
}

std::vector<SessionId> runnable_sessions(const Scenario& scenario, std::vector<SessionId> waiting) {
  const auto first = std::ranges::find_if(
      waiting, [&](SessionId session) { return scenario.sessions[session.index()].is_first; });
  if (first != waiting.end()) return {*first};
  return waiting;
}

Schedule schedule_of(const Permutation& permutation) { return Schedule{permutation.steps}; }

std::string to_string(const Scenario& scenario, const Schedule& schedule) {
  std::vector<std::string> words;
  for (const PlacedStep& placed : schedule.steps) words.push_back(to_text(scenario, placed));
  return join(words, " ");
}

}  // namespace heddle
