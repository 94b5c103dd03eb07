// Scenarios with several stores, run on real ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/explore.h"
#include "heddle/scenario.h"

namespace heddle {
namespace {

using testing::HasSubstr;

constexpr const char* kStores = R"(
store db mariadb
store ledger postgres
setup           { CREATE TABLE account (id int PRIMARY KEY, balance int) ENGINE=InnoDB; INSERT INTO account VALUES (1, 100); }
setup on ledger { CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 100); }
)";

Result<ExploreReport> explore_text(const std::string& sessions,
                                   const ExploreOptions& options = {}) {
  const Result<Scenario> scenario = parse_scenario(kStores + sessions, "stores.spec");
  if (!scenario) return scenario.error();
  return explore(*scenario, options);
}

const LevelReport& level_of(const Result<ExploreReport>& report) {
  static const LevelReport nothing;
  EXPECT_TRUE(report) << to_string(report.error());
  return report ? report->levels.front() : nothing;
}

// Both stores are written within a transaction each, but they are two.
constexpr const char* kTransfer = R"(
session transfer
step take { UPDATE account SET balance = balance - 10 WHERE id = 1; }
step give on ledger { UPDATE account SET balance = balance + 10 WHERE id = 1; }
session audit
step here { SELECT balance FROM account WHERE id = 1; }
step there on ledger { SELECT balance FROM account WHERE id = 1; }
)";

TEST(Combined, finds_what_lies_between_two_stores) {
  const auto report = explore_text(kTransfer);
  const LevelReport& level = level_of(report);
  EXPECT_EQ(level.interleavings, 6U);
  EXPECT_EQ(level.anomalous, 2U);
  ASSERT_FALSE(level.findings.empty());
  EXPECT_TRUE(level.findings[0].boundary_problem);
  EXPECT_THAT(level.findings[0].rows, testing::Contains("db.account(id=1)"));
  EXPECT_THAT(report->store, HasSubstr("db: MariaDB"));
  EXPECT_THAT(report->store, HasSubstr("ledger: PostgreSQL"));
}

TEST(Combined, reduction_finds_the_same) {
  ExploreOptions reduced;
  reduced.reduce = Reduction::conflicts;
  const auto all = explore_text(kTransfer);
  const auto few = explore_text(kTransfer, reduced);
  EXPECT_TRUE(level_of(few).reduced) << level_of(few).not_reduced;
  EXPECT_LT(level_of(few).interleavings, level_of(all).interleavings);
  ASSERT_EQ(level_of(few).findings.size(), level_of(all).findings.size());
  for (std::size_t i = 0; i < level_of(all).findings.size(); ++i) {
    EXPECT_EQ(level_of(few).findings[i].kind, level_of(all).findings[i].kind);
  }
}

// What a deadlock in one store ends gives up its locks in the other; else the run would not end.
TEST(Combined, a_session_that_one_store_ends_leaves_the_others) {
  const auto report = explore_text(R"(
session a
setup { BEGIN; }
step a0 on ledger { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step a1 { INSERT INTO account VALUES (2, 1); }
step a2 { UPDATE account SET balance = 1 WHERE id = 1; COMMIT; }
step a3 on ledger { COMMIT; }
session b
step b1 { BEGIN; UPDATE account SET balance = 2 WHERE id = 1; }
step b2 { INSERT INTO account VALUES (2, 2); COMMIT; }
step b3 on ledger { UPDATE account SET balance = 2 WHERE id = 1; }
permutation b1 a0 a1 a2 b2 b3 a3
)");
  const LevelReport& level = level_of(report);
  EXPECT_EQ(level.bound, "");
  EXPECT_EQ(level.aborted_runs, 1U);
}

TEST(Combined, an_address_is_for_the_store_that_it_names) {
  ExploreOptions options;
  options.on.texts = {"ledger=mariadb"};
  const auto report = explore_text(kTransfer, options);
  EXPECT_EQ(level_of(report).anomalous, 2U);
  EXPECT_THAT(report->store, HasSubstr("ledger: MariaDB"));
  options.on.texts = {"ledger=nonsense"};
  const auto refused = explore_text(kTransfer, options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(to_string(refused.error()), HasSubstr("cannot read the address nonsense"));
}

TEST(Combined, a_kind_that_there_is_not_is_a_mistake_of_the_file) {
  const auto scenario = parse_scenario("store db oracle\nsession s step a { SELECT 1 }", "f.spec");
  ASSERT_TRUE(scenario);
  const auto report = explore(*scenario, {});
  ASSERT_FALSE(report);
  EXPECT_THAT(to_string(report.error()), HasSubstr("f.spec:1:1: cannot read the address oracle"));
}

}  // namespace
}  // namespace heddle
