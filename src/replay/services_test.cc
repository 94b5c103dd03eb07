// Services that divide the tables of a scenario, on PostgreSQL: no transaction and no statement
// reaches from one into another, and whoever looks on sees all of them.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/replay_testing.h"

namespace heddle {
namespace {

using testing::HasSubstr;

constexpr const char* kTables = R"(
service M1 { account }
service M2 isolation serializable
{ wallet, "Order" }
setup {
  CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
  CREATE TABLE wallet (id serial PRIMARY KEY, balance int NOT NULL);
  CREATE TABLE "Order" (id int PRIMARY KEY);
  INSERT INTO account VALUES (1, 100);
  INSERT INTO wallet (balance) VALUES (50);
}
)";

std::string run_services(const std::string& sessions, const std::string& order) {
  const Scenario scenario = scenario_of(kTables + sessions);
  const auto runner = runner_for(scenario, IsolationLevel::read_committed);
  return text_of(scenario, run_schedule(*runner, scenario, order));
}

TEST(Services, a_transaction_is_of_one_service) {
  EXPECT_EQ(run_services("session s\n"
                         "step begin { BEGIN; }\n"
                         "step account { UPDATE account SET balance = 0 WHERE id = 1; }\n"
                         "step wallet { UPDATE wallet SET balance = 0 WHERE id = 1; }\n"
                         "step end { ROLLBACK; }\n"
                         "session t\n"
                         "step look { SELECT balance FROM account; }\n"
                         "step look2 { SELECT balance FROM wallet; }\n",
                         "begin account wallet end look look2"),
            "begin: BEGIN\naccount: UPDATE 1\nwallet: UPDATE 1\nend: ROLLBACK\nlook: (100)\n"
            "look2: (0)\nOrder no rows\naccount (1, 100)\nwallet (1, 0)\n");
}

TEST(Services, a_statement_on_tables_of_two_is_refused) {
  const Scenario scenario = scenario_of(std::string(kTables) +
                                        "session s step join { SELECT 1 FROM account, wallet; }\n");
  const auto runner = runner_for(scenario);
  const auto joined = run_schedule(*runner, scenario, "join");
  EXPECT_EQ(joined.end, RunEnd::setup_failed);
  EXPECT_THAT(joined.trouble,
              HasSubstr("test.spec:12:23: account and wallet are tables of different "
                        "services"));
}

TEST(Services, what_is_hidden_from_the_text_is_not_found) {
  EXPECT_THAT(run_services("session s\n"
                           "step begin { BEGIN; }\n"
                           "step account { SELECT balance FROM account; }\n"
                           "step hidden { DO $$ BEGIN DELETE FROM wallet; END $$; }\n",
                           "begin account hidden"),
              HasSubstr("hidden: ERROR 42P01"));
}

TEST(Services, have_levels_and_sequences_of_their_own) {
  EXPECT_EQ(run_services("session s\n"
                         "step begin { BEGIN; }\n"
                         "step account { SELECT balance FROM account; }\n"
                         "step level { SHOW transaction_isolation; }\n"
                         "step commit { COMMIT; }\n"
                         "step begin2 { BEGIN; }\n"
                         "step save { SAVEPOINT a; }\n"
                         "step next { SELECT nextval('wallet_id_seq'); }\n"
                         "step level2 { SHOW transaction_isolation; }\n"
                         "step back { ROLLBACK TO SAVEPOINT a; }\n"
                         "step commit2 { COMMIT; }\n",
                         "begin account level commit begin2 save next level2 back commit2"),
            "begin: BEGIN\naccount: (100)\nlevel: (read committed)\ncommit: COMMIT\n"
            "begin2: BEGIN\nsave: SAVEPOINT\nnext: (2)\nlevel2: (serializable)\nback: ROLLBACK\n"
            "commit2: COMMIT\nOrder no rows\naccount (1, 100)\nwallet (1, 50)\n");
}

TEST(Services, sessions_wait_for_each_other_within_a_service) {
  EXPECT_THAT(run_services("session s\n"
                           "step a { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }\n"
                           "step b { COMMIT; }\n"
                           "session t\n"
                           "step c { UPDATE wallet SET balance = 2 WHERE id = 1; }\n"
                           "step d { UPDATE account SET balance = 2 WHERE id = 1; }\n",
                           "a c d b"),
              HasSubstr("a: BEGIN; UPDATE 1\nc: UPDATE 1\nd waits for s: UPDATE 1\nb: COMMIT\n"));
}

TEST(Services, the_rows_come_back_and_invariants_see_all_tables) {
  const Scenario scenario = scenario_of(
      std::string(kTables) +
      "invariant \"sum\" { SELECT a.balance + w.balance = 150 FROM account a, wallet w; "
      "}\nsession s\n"
      "step a { UPDATE account SET balance = balance - 10 WHERE id = 1; }\n"
      "step b { UPDATE wallet SET balance = balance + 10 WHERE id = 1; }\n");
  const auto runner = runner_for(scenario);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(text_of(scenario, run_schedule(*runner, scenario, "a b")),
              "a: UPDATE 1\nb: UPDATE 1\nOrder no rows\naccount (1, 90)\nwallet (1, 60)\n");
    EXPECT_EQ(text_of(scenario, run_schedule(*runner, scenario, "a")),
              "a: UPDATE 1\nOrder no rows\naccount (1, 90)\nwallet (1, 50)\nbroken: sum (f)\n");
  }
}

TEST(Services, name_tables_that_there_are) {
  const Scenario scenario = scenario_of("service M { nothing }\nsession s step a { SELECT 1; }\n");
  const auto runner = Runner::create(scenario, shared_server(), {});
  ASSERT_FALSE(runner);
  EXPECT_EQ(to_string(runner.error()),
            "test.spec:1:1: service M has a table nothing that no setup makes, make the table, or "
            "take it out of the service");
}

}  // namespace
}  // namespace heddle
