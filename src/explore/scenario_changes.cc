#include "explore/scenario_changes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "frontend/spec/text/sql_token.h"
#include "program/visit.h"

namespace heddle {

namespace {

// Nothing but white space, comments and semicolons.
bool is_empty(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const SqlToken token = sql_token_at(text, offset);
    const bool counts = token.kind != SqlToken::Kind::space &&
                        token.kind != SqlToken::Kind::comment && token.text != ";";
    if (counts) return false;
    offset += token.text.size();
  }
  return true;
}

SqlBlock& block_of(Scenario& scenario, const TextChange& change) {
  return change.step ? scenario.steps[change.step->index()].sql
                     : *scenario.sessions[change.session.index()].setup;
}

// False where two of them meet.
bool change_texts(Scenario& scenario, std::vector<const TextChange*> changes) {
  // From behind, so that what stands before keeps its place.
  std::ranges::stable_sort(changes, std::ranges::greater(), &TextChange::offset);
  std::map<const SqlBlock*, std::size_t> begin_of_changed;
  for (const TextChange* change : changes) {
    SqlBlock& block = block_of(scenario, *change);
    const auto known = begin_of_changed.find(&block);
    if (known != begin_of_changed.end() &&
        (change->offset + change->length > known->second || change->offset == known->second)) {
      return false;
    }
    begin_of_changed[&block] = change->offset;
    block.text.replace(change->offset, change->length, change->text);
  }
  return true;
}

void add_step(Scenario& scenario, const AddedStep& added) {
  Step step;
  step.name = added.name;
  while (std::ranges::find(scenario.steps, step.name, &Step::name) != scenario.steps.end()) {
    step.name += '_';
  }
  step.sql = added.sql;
  step.session = added.session;
  std::vector<StepId>& steps = scenario.sessions[added.session.index()].steps;
  steps.insert(added.first ? steps.begin() : steps.end(), StepId(scenario.steps.size()));
  scenario.steps.push_back(std::move(step));
}

void move_step(Scenario& scenario, StepId step, StepId target) {
  std::vector<StepId>& steps =
      scenario.sessions[scenario.steps[step.index()].session.index()].steps;
  std::erase(steps, step);
  steps.insert(std::ranges::find(steps, target) + 1, step);
}

// Calls `see` with each statement.
void for_each_statement(Block& block, const std::function<void(ProgramStatement&)>& see) {
  for (Action& action : block) {
    if (ProgramStatement* statement = program::statement_of(action)) see(*statement);
    program::for_each_block(action, [&](Block& inner) { for_each_statement(inner, see); });
  }
}

// False where one statement gets two texts.
bool change_program(Scenario& scenario, const std::vector<const CalledChange*>& changes) {
  if (changes.empty()) return true;
  ScenarioProgram changed = *scenario.program;
  std::set<std::pair<std::size_t, std::size_t>> seen;
  for (const CalledChange* change : changes) {
    if (!seen.emplace(change->functionality, change->statement).second) return false;
    Functionality& functionality = changed.program.functionalities[change->functionality];
    const ProgramStatement* const wanted =
        list_statements(functionality).at(change->statement).statement;
    for_each_statement(functionality.body, [&](ProgramStatement& statement) {
      if (&statement == wanted) statement.statement.text = change->text;
    });
  }
  set_program(scenario, std::move(changed));
  return true;
}

}  // namespace

void set_program(Scenario& scenario, ScenarioProgram program) {
  program.program.schema = {.dialect = program.program.schema.dialect};
  program.text.text = "\n" + print_program(program.program);
  scenario.program = std::make_shared<const ScenarioProgram>(std::move(program));
}

std::optional<Scenario> with_changes(const Scenario& scenario,
                                     const std::vector<const ScenarioChange*>& changes) {
  Scenario changed = scenario;
  changed.permutations.clear();
  std::vector<const TextChange*> texts;
  std::set<SessionId> leveled;
  std::set<StepId> moved;
  for (const ScenarioChange* change : changes) {
    for (const TextChange& text : change->texts) texts.push_back(&text);
    for (const auto& [session, level] : change->levels) {
      if (!leveled.insert(session).second) return std::nullopt;
      changed.sessions[session.index()].isolation = level;
    }
  }
  if (!change_texts(changed, std::move(texts))) return std::nullopt;
  std::vector<const CalledChange*> called;
  for (const ScenarioChange* change : changes) {
    for (const CalledChange& one : change->called) called.push_back(&one);
  }
  if (!change_program(changed, called)) return std::nullopt;
  for (const ScenarioChange* change : changes) {
    for (const auto& [step, target] : change->moves) {
      if (!moved.insert(step).second) return std::nullopt;
      move_step(changed, step, target);
    }
    for (const AddedStep& added : change->added) add_step(changed, added);
  }
  for (Session& session : changed.sessions) {
    if (session.setup && is_empty(session.setup->text)) session.setup.reset();
    if (session.call) continue;
    std::erase_if(session.steps,
                  [&](StepId id) { return is_empty(changed.steps[id.index()].sql.text); });
    if (session.steps.empty()) return std::nullopt;
  }
  // Reading the text gives all that follows from it.
  auto read = parse_scenario(to_spec(changed), scenario.file);
  if (!read) return std::nullopt;
  return std::move(*read);
}

}  // namespace heddle
