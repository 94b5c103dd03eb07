#include "explore/own_levels.h"

#include <algorithm>

#include "heddle/statement.h"

namespace heddle {

std::vector<std::pair<const SqlBlock*, std::string>> own_levels(const Scenario& scenario,
                                                                const StoreServer& server) {
  std::vector<std::pair<const SqlBlock*, std::string>> found;
  const auto look = [&](const SqlBlock& block) {
    auto statements = parse_statements(block.text, server.part(block.store).dialect());
    if (!statements) return;
    const auto first = std::ranges::find_if(
        *statements, [](const Statement& statement) { return statement.isolation.has_value(); });
    if (first != statements->end()) found.emplace_back(&block, *first->isolation);
  };
  for (std::size_t i = 0; i < scenario.sessions.size(); ++i) {
    const Session& session = scenario.sessions[i];
    if (session.setup) look(*session.setup);
    const Functionality* functionality = called_functionality(scenario, SessionId(i));
    if (functionality == nullptr) continue;
    for (const ListedStatement& listed : list_statements(*functionality)) {
      const auto& isolation = listed.statement->statement.isolation;
      if (isolation) found.emplace_back(&session.call->text, *isolation);
    }
  }
  for (const Step& step : scenario.steps) look(step.sql);
  return found;
}

bool sets_own_levels(const Scenario& scenario, const StoreServer& server) {
  const auto has_level = [](const Session& session) { return session.isolation.has_value(); };
  return std::ranges::any_of(scenario.sessions, has_level) || !own_levels(scenario, server).empty();
}

std::optional<IsolationLevel> stated_level(const Scenario& scenario, const StoreServer& server) {
  if (scenario.isolation) return scenario.isolation;
  return own_levels(scenario, server).empty() ? std::optional(server.default_level())
                                              : std::nullopt;
}

}  // namespace heddle
