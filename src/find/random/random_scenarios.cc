#include "find/random/random_scenarios.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "frontend/spec/calls.h"
#include "store/open/store_profiles.h"

namespace heddle::find {

namespace {

// The last step of a call is all that is left of it.
constexpr std::size_t kMostSteps = 60;
// Of what happens to copies, for each call.
constexpr std::size_t kMostCommands = 4;

SessionId add_session(Scenario& scenario, Session session) {
  const SessionId id(scenario.sessions.size());
  scenario.sessions.push_back(std::move(session));
  return id;
}

Step& add_step(Scenario& scenario, SessionId session, std::string name, SqlBlock sql) {
  scenario.sessions[session.index()].steps.emplace_back(scenario.steps.size());
  Step& step = scenario.steps.emplace_back();
  step.name = std::move(name);
  step.sql = std::move(sql);
  step.session = session;
  return step;
}

}  // namespace

Result<RandomScenarios> RandomScenarios::create(const RandomTest& test,
                                                const std::vector<FilledRow>& rows,
                                                const RandomOptions& options) {
  RandomScenarios scenarios(test, rows, options);
  const StoreProfile* const profile =
      test.on.texts.empty() ? nullptr : find_store_profile(test.on.texts.front());
  const bool is_replicated = profile != nullptr && profile->kind == StoreKind::replicated;
  scenarios.is_prompt_ = !is_replicated || options.network == RandomNetwork::prompt;
  Scenario& common = scenarios.common_;
  common.file = "random.spec";
  if (is_replicated)
    common.stores.push_back({.name = "copies", .kind = "replicated", .position = {}});
  common.isolation = test.level;
  common.invariants = test.invariants;
  common.setups.push_back(
      {.text = print_schema(test.program->schema, Dialect::postgres).text, .position = {}});
  common.setups.push_back({.text = test.rows.text, .position = {}});
  Program program = *test.program;
  program.schema.tables.clear();
  auto read = read_scenario_program({.text = print_program(program), .position = {}}, common);
  if (!read) return read.error();
  common.program = *std::move(read);
  return scenarios;
}

RandomScenario RandomScenarios::draw(RandomNumbers& random) const {
  RandomScenario drawn{.scenario = common_, .clients = options_.clients};
  drawn.calls = random.between(options_.fewest_calls, options_.most_calls);
  for (std::size_t i = 0; i < drawn.calls; ++i) add_call(drawn, random);
  if (is_prompt_) return drawn;
  const std::size_t commands = random.below(kMostCommands * drawn.calls + 1);
  for (std::size_t i = 0; i < commands; ++i) add_command(drawn, random);
  return drawn;
}

// A client begins at some replica, and nothing is delivered unless a command says so.
void RandomScenarios::add_call(RandomScenario& drawn, RandomNumbers& random) const {
  Scenario& scenario = drawn.scenario;
  const std::vector<Functionality>& functionalities = scenario.program->program.functionalities;
  Call call;
  call.functionality = random.below(functionalities.size());
  call.arguments = arguments_.draw(call.functionality, random);
  call.text.text = print_call(functionalities[call.functionality], call.arguments);
  call.steps = kMostSteps;
  const SqlBlock sql = called_step_text(call);
  Session session;
  session.name = fmt::format("c{}", scenario.sessions.size() + 1);
  session.call = std::move(call);
  if (!is_prompt_) {
    const std::size_t replica = random.between(1, options_.replicas);
    session.setup = {.text = fmt::format("DELIVERY MANUAL; MOVE TO r{};", replica), .position = {}};
  }
  const std::string name = session.name;
  const SessionId id = add_session(scenario, std::move(session));
  for (std::size_t i = 0; i < kMostSteps; ++i) {
    add_step(scenario, id, fmt::format("{}_{}", name, i + 1), sql);
  }
}

// What some session has written comes to a replica, or a session goes on at another one.
void RandomScenarios::add_command(RandomScenario& drawn, RandomNumbers& random) const {
  Scenario& scenario = drawn.scenario;
  const std::string session = scenario.sessions[random.below(drawn.calls)].name;
  const std::size_t replica = random.between(1, options_.replicas);
  std::string command;
  const bool may_move = options_.network == RandomNetwork::any;
  switch (random.below(may_move ? 4 : 3)) {
    case 3:
      command = fmt::format("MOVE SESSION {} TO r{};", session, replica);
      break;
    case 0:
      command = fmt::format("DELIVER ALL TO r{};", replica);
      break;
    default:
      command = fmt::format("DELIVER {} TO r{};", session, replica);
  }
  const std::string name = fmt::format("n{}", scenario.sessions.size() + 1 - drawn.calls);
  Session network;
  network.name = name;
  const SessionId id = add_session(scenario, std::move(network));
  Step& step = add_step(scenario, id, name + "_1", {.text = command, .position = {}});
  Instruction& instruction = step.instructions.emplace_back();
  instruction.text = command;
}

SessionChooser choose_at_random(const RandomScenario& drawn, RandomNumbers& random) {
  return [&drawn, &random](const std::vector<SessionId>& enabled) {
    // Calls begin in their order, so that the first that can go on are those under way.
    const auto calls = static_cast<std::size_t>(std::ranges::count_if(
        enabled, [&](SessionId session) { return session.index() < drawn.calls; }));
    const std::size_t under_way = std::min(calls, drawn.clients);
    const std::size_t commands = enabled.size() - calls;
    if (under_way == 0) return enabled[calls + random.below(commands)];
    // The network is as quick as all clients together, in the mean: a command for each four steps.
    if (commands > 0 && random.one_in(4)) return enabled[calls + random.below(commands)];
    return enabled[random.below(under_way)];
  };
}

}  // namespace heddle::find
