// A scenario with changes made to it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/isolation.h"
#include "heddle/scenario.h"

namespace heddle {

// Another text in place of a piece of a block.
struct TextChange {
  SessionId session;
  std::optional<StepId> step;  // none: the session's setup block
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string text;
};

// A step at the beginning or the end of a session.
struct AddedStep {
  SessionId session;
  bool first = false;
  std::string name;
  SqlBlock sql;
};

// Another text for a statement of a functionality that sessions call.
struct CalledChange {
  std::size_t functionality = 0;  // of the scenario's program
  std::size_t statement = 0;      // of list_statements()
  std::string text;

  friend bool operator==(const CalledChange&, const CalledChange&) = default;
};

struct ScenarioChange {
  std::vector<TextChange> texts;
  std::vector<std::pair<SessionId, IsolationLevel>> levels;
  std::vector<std::pair<StepId, StepId>> moves;  // the first goes right behind the second
  std::vector<AddedStep> added;
  std::vector<CalledChange> called;
};

// Gives the scenario this program. Its text is made anew, and its tables are those of the setup
// blocks.
void set_program(Scenario& scenario, ScenarioProgram program);

// The scenario with all these changes, and without permutations; steps that are left without any
// SQL go. None: the changes do not go together.
std::optional<Scenario> with_changes(const Scenario& scenario,
                                     const std::vector<const ScenarioChange*>& changes);

}  // namespace heddle
