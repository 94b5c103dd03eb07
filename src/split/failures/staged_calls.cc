#include "split/failures/staged_calls.h"

#include <algorithm>
#include <utility>

#include "find/realize/realization_text.h"

namespace heddle::failures {

namespace {

// As many steps as the functionality may have statements, and one for its end. What a call does not
// need is passed over.
std::size_t steps_of(const Functionality& functionality, std::size_t rounds) {
  constexpr std::size_t kMostSteps = 200;
  std::size_t steps = 1;
  for (const ListedStatement& listed : list_statements(functionality)) {
    std::size_t times = 1;
    for (std::size_t i = 0; i < listed.loops && times < kMostSteps; ++i) times *= rounds;
    steps += times;
  }
  return std::min(steps, kMostSteps);
}

}  // namespace

Result<StagedCalls> stage_calls(const Rehearsal& rehearsal, const find::Realization& made,
                                std::size_t rounds, const ExecuteOptions& options) {
  StagedCalls staged;
  find::Realization calls;
  calls.rows = made.rows;
  const auto add = [&](std::size_t member, std::vector<Cell> arguments) {
    const std::size_t session = calls.members.size();
    const Functionality& called = rehearsal.program().functionalities[member];
    for (std::size_t i = steps_of(called, rounds); i > 0; --i) {
      calls.steps.push_back({.transaction = session});
    }
    calls.members.push_back(member);
    calls.arguments.push_back(std::move(arguments));
    return session;
  };
  const std::vector<Cell>& arguments = made.arguments.front();
  staged.stopped = add(rehearsal.stopped(), arguments);
  staged.whole = add(Rehearsal::kWhole, arguments);
  if (rehearsal.reader()) staged.reader = add(*rehearsal.reader(), made.arguments.back());
  for (const UndoneBy& undone : rehearsal.undone_by()) {
    std::vector<Cell> own;
    for (const std::size_t parameter : undone.parameters) own.push_back(arguments[parameter]);
    staged.undone_by.push_back(add(undone.member, std::move(own)));
  }
  const Result<std::string> text = find::realization_text(
      rehearsal.program(), calls, rehearsal.input().levels, find::RunStore::postgres,
      {.invariants = options.invariants, .services = options.services});
  if (!text) return text.error();
  Result<Scenario> scenario = parse_scenario(*text, "failure.spec");
  if (!scenario) return scenario.error();
  staged.scenario = std::move(*scenario);
  return staged;
}

}  // namespace heddle::failures
