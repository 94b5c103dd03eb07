#include "explore/cluster_state.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.h"

namespace heddle {

namespace {

// Lower case, single spaces.
constexpr std::array<std::string_view, 22> kSharedWords = {
    "prepare transaction",
    "commit prepared",
    "rollback prepared",
    "pg_prepared",
    "create role",
    "drop role",
    "alter role",
    "create user",
    "drop user",
    "create group",
    "alter system",
    "pg_reload_conf",
    "create database",
    "drop database",
    "tablespace",
    "pg_stat",
    "pg_locks",
    "deferrable",
    "read only",
    "pg_authid",
    "subscription",
    "replication_slot",
};

std::string normalize(std::string_view sql) {
  std::string text;
  for (const char c : sql) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!space) {
      text += c;
    } else if (!text.empty() && text.back() != ' ') {
      text += ' ';
    }
  }
  return to_lower(text);
}

bool mentions_shared(std::string_view sql) {
  const std::string text = normalize(sql);
  return std::any_of(kSharedWords.begin(), kSharedWords.end(),
                     [&](std::string_view words) { return text.find(words) != std::string::npos; });
}

bool mentions_shared(const std::optional<SqlBlock>& block) {
  return block && mentions_shared(block->text);
}

}  // namespace

bool touches_cluster_state(const Scenario& scenario) {
  const auto block = [](const SqlBlock& setup) { return mentions_shared(setup.text); };
  const auto session = [](const Session& described) {
    return mentions_shared(described.setup) || mentions_shared(described.teardown);
  };
  const auto step = [](const Step& described) { return mentions_shared(described.sql.text); };
  return std::any_of(scenario.setups.begin(), scenario.setups.end(), block) ||
         mentions_shared(scenario.teardown) ||
         std::any_of(scenario.sessions.begin(), scenario.sessions.end(), session) ||
         std::any_of(scenario.steps.begin(), scenario.steps.end(), step);
}

}  // namespace heddle
