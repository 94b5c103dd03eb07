// Repairs of functionalities that sessions call, on real stores; what is proposed has to hold when
// the changed scenario is explored in all its interleavings.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/explore.h"
#include "replay/replay_testing.h"

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Two accounts, and two calls of `take` with these statements behind the declarations.
Scenario two_withdrawals(const std::string& body) {
  return accounts_with(fmt::format(
      "program {{\nCREATE FUNCTION take(number integer, amount integer) RETURNS integer "
      "LANGUAGE plpgsql AS $$\nDECLARE\n  available integer;\nBEGIN\n{}END\n$$;\n}}\n"
      "session alice call {{ take(1, 60) }}\nsession bob call {{ take(2, 70) }}\n",
      body));
}

// The changes of the cheapest repair, one line each, which nothing contradicts.
std::string cheapest_repair(const Scenario& scenario, const std::string& store) {
  ExploreOptions options;
  options.on.texts = {store};
  options.repair = true;
  const ExploreReport report = must(explore(scenario, options));
  const LevelReport& level = report.levels.front();
  EXPECT_FALSE(level.findings.empty());
  if (!level.repair || level.repair->repairs.empty()) return "";
  const Repair& cheapest = level.repair->repairs.front();
  options.repair = false;
  const ExploreReport repaired = must(explore(cheapest.scenario, options));
  EXPECT_TRUE(repaired.levels.front().findings.empty());
  EXPECT_EQ(repaired.levels.front().bound, "");
  std::string text;
  for (const RepairChange& change : cheapest.changes) text += change.sentence + "\n";
  return text;
}

TEST(CalledRepair, locks_what_a_functionality_reads) {
  const Scenario scenario = two_withdrawals(
      "  SELECT balance INTO available FROM account WHERE id = 1;\n"
      "  IF available < amount THEN\n    RETURN NULL;\n  END IF;\n"
      "  UPDATE account SET balance = available - amount WHERE id = 1;\n"
      "  RETURN available;\n");
  for (const std::string store : {"postgres", "mariadb"}) {
    EXPECT_EQ(cheapest_repair(scenario, store),
              "append FOR UPDATE to \"SELECT balance FROM account WHERE id = 1\" in take\n");
  }
}

// A sum takes no lock on PostgreSQL.
TEST(CalledRepair, raises_the_level_of_sessions_that_call) {
  const Scenario scenario = two_withdrawals(
      "  SELECT sum(balance) INTO available FROM account;\n"
      "  IF available < 100 THEN\n    RETURN NULL;\n  END IF;\n"
      "  UPDATE account SET balance = balance - amount WHERE id = number;\n"
      "  RETURN available;\n");
  EXPECT_EQ(cheapest_repair(scenario, "postgres"), "run alice, bob at postgres:serializable\n");
}

// One functionality is changed for all who call it, and what is written of it reads again.
TEST(CalledRepair, the_changed_scenario_is_a_file) {
  const Scenario scenario = two_withdrawals(
      "  SELECT balance INTO available FROM account WHERE id = 1;\n"
      "  UPDATE account SET balance = available - amount WHERE id = 1;\n"
      "  RETURN available;\n");
  ExploreOptions options;
  options.repair = true;
  const ExploreReport report = must(explore(scenario, options));
  ASSERT_TRUE(report.levels.front().repair);
  ASSERT_FALSE(report.levels.front().repair->repairs.empty());
  const std::string text = to_spec(report.levels.front().repair->repairs.front().scenario);
  EXPECT_THAT(text, AllOf(HasSubstr("WHERE id = 1 FOR UPDATE;"), HasSubstr("take(2, 70)")));
  EXPECT_EQ(to_spec(scenario_of(text)), text);
}

}  // namespace
}  // namespace heddle
