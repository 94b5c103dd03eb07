// For tests on a real server: one throwaway server per test program, scenarios from text, and runs
// as text.
//
//   const Scenario scenario = scenario_of("session s1 step r1 { SELECT 1; } ...");
//   const auto runner = runner_for(scenario);
//   EXPECT_EQ(text_of(scenario, run_schedule(*runner, scenario, "r1 w2 r1")), "r1: (1)\n...");
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/must_testing.h"
#include "base/text.h"
#include "heddle/outcome.h"
#include "heddle/scenario.h"
#include "heddle/schedule.h"
#include "replay/runner.h"
#include "store/open/open.h"
#include "store/store.h"

namespace heddle {

// Started when a test first needs it, stopped when the program ends.
inline StoreServer& shared_server() {
  static const std::shared_ptr<StoreServer> server = must(open_server({"postgres"}));
  return *server;
}
inline StoreServer& shared_mariadb() {
  static const std::shared_ptr<StoreServer> server = must(open_server({"mariadb"}));
  return *server;
}

inline Scenario scenario_of(std::string_view text) {
  return must(parse_scenario(text, "test.spec"));
}

// Two accounts with 100 each.
inline constexpr std::string_view kAccounts = R"(
setup {
  CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
  INSERT INTO account VALUES (1, 100), (2, 100);
}
teardown { DROP TABLE account; }
)";

inline Scenario accounts_with(std::string_view sessions) {
  return scenario_of(std::string(kAccounts) + std::string(sessions));
}

inline std::unique_ptr<Runner> runner_for(const Scenario& scenario,
                                          std::optional<IsolationLevel> level = std::nullopt,
                                          std::uint32_t step_timeout_ms = 30'000) {
  return must(Runner::create(scenario, shared_server(), {level, step_timeout_ms}));
}

// Of step names, separated by spaces.
inline Schedule schedule_from(const Scenario& scenario, const std::string& names) {
  Schedule schedule;
  for (const std::string& name : split(names, ' ')) {
    const auto step = std::find_if(scenario.steps.begin(), scenario.steps.end(),
                                   [&](const Step& candidate) { return candidate.name == name; });
    if (step == scenario.steps.end()) throw std::runtime_error("no step " + name);
    schedule.steps.push_back({StepId(static_cast<std::size_t>(step - scenario.steps.begin())), {}});
  }
  return schedule;
}

inline SessionScripts scripts_from(const Scenario& scenario, const Schedule& schedule) {
  return scripts_of(scenario, Permutation{schedule.steps, {}});
}

inline Run run_schedule(Runner& runner, const Scenario& scenario, const std::string& names) {
  const Schedule schedule = schedule_from(scenario, names);
  return must(runner.run_interleaved(scripts_from(scenario, schedule), follow(scenario, schedule)));
}

inline std::string row_text(const Row& row) {
  std::vector<std::string> cells;
  for (const Cell& value : row) cells.push_back(value.value_or("NULL"));
  return "(" + join(cells, ", ") + ")";
}

inline std::string rows_text(const std::vector<Row>& rows) {
  if (rows.empty()) return "no rows";
  std::vector<std::string> texts;
  for (const Row& row : rows) texts.push_back(row_text(row));
  return join(texts, " ");
}

inline std::string reply_text(const Reply& reply) {
  if (reply.error) {
    return reply.error->error_class == ErrorClass::other
               ? "ERROR " + reply.error->code
               : std::string(to_string(reply.error->error_class));
  }
  return reply.result->has_rows ? rows_text(reply.result->rows) : reply.result->command_tag;
}

inline std::string replies_text(const std::vector<Reply>& replies) {
  std::vector<std::string> texts;
  for (const Reply& reply : replies) texts.push_back(reply_text(reply));
  return join(texts, "; ");
}

// "w2 waits for s1: UPDATE 1".
inline std::string record_text(const Scenario& scenario, const StepRecord& record) {
  std::string text = scenario.steps[record.step.index()].name;
  if (record.waited) {
    std::vector<std::string> names;
    for (const SessionId session : record.blocked_by) {
      names.push_back(scenario.sessions[session.index()].name);
    }
    text += " waits for " + (names.empty() ? "nobody" : join(names, ", "));
  }
  const bool returned = record.completed != 0;
  return text + ": " +
         (record.skipped ? "skipped"
          : returned     ? replies_text(record.replies)
                         : "never returns");
}

// One line per step, in the order of launch, then one per table, then the invariants that fail.
inline std::string text_of(const Scenario& scenario, const Run& run) {
  std::string text;
  for (const StepRecord& record : run.records) text += record_text(scenario, record) + "\n";
  for (const TableState& table : run.tables) {
    text += fmt::format("{} {}\n", table.name, rows_text(table.rows));
  }
  for (const InvariantOutcome& invariant : run.invariants) {
    if (invariant.holds) continue;
    text += fmt::format("broken: {} {}\n", invariant.name, rows_text(invariant.counterexample));
  }
  if (run.end != RunEnd::complete) {
    text += fmt::format("{}: {}\n", to_string(run.end), run.trouble);
  }
  return text;
}

}  // namespace heddle
