#include "explore/cluster_state.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.h"

namespace heddle {

namespace {

// Lower case, single spaces. Words for things that have one name on the whole server ...
constexpr std::array<std::string_view, 16> kSharedNames = {
    "prepare transaction", "commit prepared", "rollback prepared", "pg_prepared",
    "create role",         "drop role",       "alter role",        "create user",
    "drop user",           "create group",    "create database",   "drop database",
    "tablespace",          "pg_authid",       "subscription",      "replication_slot",
};

// ... and for what is seen or waited for across databases.
constexpr std::array<std::string_view, 18> kSharedSights = {
    "alter system",
    "pg_reload_conf",
    "pg_stat",
    "pg_locks",
    "deferrable",
    "read only",
    "set global",
    "flush tables",
    // Of Redis.
    "config set",
    "function load",
    "function delete",
    "function flush",
    "function restore",
    "script flush",
    "script kill",
    "client kill",
    "client pause",
    "acl setuser",
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

template <std::size_t count>
bool mentions(const std::array<std::string_view, count>& table, std::string_view normalized) {
  return std::any_of(table.begin(), table.end(), [&](std::string_view words) {
    return normalized.find(words) != std::string_view::npos;
  });
}

// The setup and teardown blocks of the scenario itself.
std::string own_blocks(const Scenario& scenario) {
  std::string text;
  for (const SqlBlock& setup : scenario.setups) text += setup.text + "\n";
  if (scenario.teardown) text += scenario.teardown->text;
  return normalize(text);
}

std::string session_texts(const Scenario& scenario) {
  std::string text;
  for (const Session& session : scenario.sessions) {
    if (session.setup) text += session.setup->text + "\n";
    if (session.teardown) text += session.teardown->text + "\n";
  }
  for (const Step& step : scenario.steps) text += step.sql.text + "\n";
  if (scenario.program) text += scenario.program->text.text;
  return normalize(text);
}

}  // namespace

bool uses_shared_names(const Scenario& scenario) {
  return mentions(kSharedNames, own_blocks(scenario) + session_texts(scenario));
}

bool looks_across_databases(const Scenario& scenario) {
  return mentions(kSharedSights, own_blocks(scenario) + session_texts(scenario));
}

bool mentions_word(const Scenario& scenario, std::string_view word) {
  return (own_blocks(scenario) + session_texts(scenario)).find(word) != std::string::npos;
}

bool touches_cluster_state(const Scenario& scenario) {
  return uses_shared_names(scenario) || looks_across_databases(scenario);
}

bool can_prepare_ahead(const Scenario& scenario) {
  const std::string blocks = own_blocks(scenario);
  return !mentions(kSharedNames, blocks) && !looks_across_databases(scenario);
}

}  // namespace heddle
