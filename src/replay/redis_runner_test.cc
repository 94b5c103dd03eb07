// Scenarios of Redis commands: what a run shows, what watching it writes down, and the way back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/dependency.h"
#include "replay/client_variables.h"
#include "replay/replay_testing.h"
#include "store/open/open.h"

namespace heddle {
namespace {

using testing::HasSubstr;

StoreServer& redis() {
  static const std::shared_ptr<StoreServer> server = must(open_server({"redis"}));
  return *server;
}

std::unique_ptr<Runner> runner_on_redis(const Scenario& scenario) {
  return must(Runner::create(scenario, redis(), {std::nullopt, 30'000}));
}

std::string run(const Scenario& scenario, Runner& runner, const std::string& names) {
  return text_of(scenario, run_schedule(runner, scenario, names));
}

// "s1 reads redis(key=a) = 1 in r1", one line per operation on a row.
std::string redis_history_text(const Scenario& scenario, const std::string& names) {
  const auto runner = runner_on_redis(scenario);
  const Schedule schedule = schedule_from(scenario, names);
  const ObservedRun observed =
      must(runner->run_observed(scripts_from(scenario, schedule), follow(scenario, schedule)));
  const History& history = observed.history;
  std::string text;
  for (const HistoryTransaction& transaction : history.transactions) {
    for (const OperationId id : transaction.operations) {
      const Operation& operation = history.operations[id.index()];
      if (operation.kind == OperationKind::predicate_read) continue;
      const RowVersion& version = history.versions[operation.version.index()];
      const StepRecord& record = observed.run.records.at(operation.step);
      text += fmt::format("{} {} {} = {} in {}\n", transaction.name, to_string(operation.kind),
                          to_string(history.rows[version.row.index()]),
                          version.value.value_or("gone"), scenario.steps[record.step.index()].name);
    }
  }
  return text;
}

TEST(RedisRunner, values_flow_through_variables_and_keys_keep_their_colons) {
  const Scenario scenario = scenario_of(R"(
setup { SET user:1 10 }
session s
step a { GET user:1 \gset }
step b { SET user:2 :value
         SET user:3 :'value' }
step c { MGET user:1 user:2 \gset all_ }
step d { SET user:1 :all_2; }
step e { MGET user:1 user:2 \gset }
)");
  const auto runner = runner_on_redis(scenario);
  EXPECT_EQ(run(scenario, *runner, "a b c d e"),
            "a: (10)\nb: (OK); (OK)\nc: (10, 10)\nd: (OK)\ne: (10, 10); ERROR HV000\n"
            "redis (user:1, 10, NULL) (user:2, 10, NULL) (user:3, 10, NULL)\n");
}

TEST(RedisRunner, each_run_begins_with_the_same_keys) {
  const Scenario scenario = scenario_of(R"(
setup { SET a 1 EX 1000
        RPUSH l x }
session s
step count { DBSIZE }
step change { DEL a; }
step push { RPUSH l y }
step script { EVAL "return redis.call('set', 'b', 1) " 0 }
)");
  const auto runner = runner_on_redis(scenario);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(scenario, *runner, "count change push"),
              "count: (2)\nchange: (1)\npush: (2)\nredis (l, [x, y], NULL)\n");
    EXPECT_EQ(run(scenario, *runner, "count script"),
              "count: (2)\nscript: (OK)\nredis (a, 1, yes) (b, 1, NULL) (l, [x], NULL)\n");
  }
}

TEST(RedisRunner, what_a_run_leaves_open_is_no_more_in_the_next) {
  const Scenario scenario = scenario_of(R"(
setup { SET a 1 }
session s
step watch { WATCH a }
step multi { MULTI }
step set { SET a 2 }
step exec { EXEC }
session other
step change { SET a 3 }
)");
  const auto runner = runner_on_redis(scenario);
  EXPECT_EQ(run(scenario, *runner, "watch multi set"),
            "watch: (OK)\nmulti: (OK)\nset: (QUEUED)\nredis (a, 1, NULL)\n");
  EXPECT_EQ(run(scenario, *runner, "watch change"),
            "watch: (OK)\nchange: (OK)\nredis (a, 3, NULL)\n");
  EXPECT_EQ(run(scenario, *runner, "multi set exec"),
            "multi: (OK)\nset: (QUEUED)\nexec: (OK)\nredis (a, 2, NULL)\n");
  EXPECT_EQ(run(scenario, *runner, "watch multi change set exec"),
            "watch: (OK)\nmulti: (OK)\nchange: (OK)\nset: (QUEUED)\nexec: serialization-failure\n"
            "redis (a, 3, NULL)\n");
}

TEST(RedisRunner, a_blocking_command_waits_for_those_who_may_push) {
  const Scenario scenario = scenario_of(R"(
session taker
step take { BLPOP l 0 }
session giver
step look { EXISTS l }
step give { RPUSH l x }
)");
  const auto runner = runner_on_redis(scenario);
  EXPECT_EQ(run(scenario, *runner, "take look give"),
            "take waits for giver: (l, x)\nlook: (0)\ngive: (1)\nredis no rows\n");
}

TEST(RedisRunner, reads_and_writes_are_seen_in_their_steps) {
  const Scenario scenario = scenario_of(R"(
setup { MSET a 1 b 1 }
session s1
step r1 { GET a }
step w1 { SET b 2 }
session s2
step w2 { INCR a }
)");
  EXPECT_EQ(redis_history_text(scenario, "r1 w2 w1"),
            "s1 read redis(key=a) = 1 in r1\n"
            "s2 read redis(key=a) = 1 in w2\n"
            "s2 write redis(key=a) = 2 in w2\n"
            "s1#2 write redis(key=b) = 2 in w1\n");
}

TEST(RedisRunner, what_is_kept_until_exec_is_seen_there) {
  const Scenario scenario = scenario_of(R"(
setup { MSET a 1 b 1 }
session s1
step begin { MULTI }
step read { GET a }
step write { SET b 2 }
step exec { EXEC }
step discard { DISCARD }
session s2
step other { SET a 5 }
)");
  EXPECT_EQ(redis_history_text(scenario, "begin read write other exec"),
            "s1 read redis(key=a) = 5 in exec\n"
            "s1 write redis(key=b) = 2 in exec\n"
            "s2 write redis(key=a) = 5 in other\n");
  EXPECT_EQ(redis_history_text(scenario, "begin read write other discard"),
            "s2 write redis(key=a) = 5 in other\n");
}

TEST(RedisRunner, identifiers_made_of_the_time_are_not_compared) {
  const Scenario scenario = scenario_of(R"(
session s
step add { XADD s * f v \gset id_ }
step del { XDEL s :id_value }
step queue { MULTI
             XADD s * f w
             EXEC }
step read { XRANGE s - + }
)");
  const auto runner = runner_on_redis(scenario);
  const auto one = run_schedule(*runner, scenario, "add queue read");
  EXPECT_TRUE(one.records[0].replies[0].result->columns[0].generated);
  EXPECT_EQ(rows_text(one.records[1].replies[2].result->rows), "(*)");
  EXPECT_EQ(rows_text(one.records[2].replies[0].result->rows), "([*, [f, v]], [*, [f, w]])");
  EXPECT_EQ(rows_text(one.tables[0].rows), "(s, [(*) {f: v}, (*) {f: w}], NULL)");
  const auto other = run_schedule(*runner, scenario, "add del");
  EXPECT_EQ(rows_text(other.records[1].replies[0].result->rows), "(1)");
}

TEST(RedisRunner, keys_that_depend_on_variables_may_be_any) {
  const Scenario scenario = scenario_of(R"(
session s
step a { GET k \gset }
step b { GET :value }
step c { GET user:1 }
step d { GET user:name }
session t
step e { GET x:value }
)");
  const auto runner = runner_on_redis(scenario);
  std::vector<std::string> predicates;
  for (const auto& step : runner->statements()) predicates.push_back(step.at(0).predicate);
  EXPECT_THAT(predicates, testing::ElementsAre("key = 'k'", "", "key = 'user:1'",
                                               "key = 'user:name'", "key = 'x:value'"));
}

TEST(ClientVariables, columns_called_by_numbers_need_a_prefix_on_redis) {
  ResultSet result;
  result.columns = {{"1", "", ""}, {"2", "", ""}};
  result.rows = {{"a", std::nullopt}};
  Instruction gset;
  gset.gset = true;
  Variables variables = {{"p2", "old"}};
  const auto refused = store_variables(result, gset, Dialect::redis, variables);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->message, HasSubstr("needs a prefix"));
  EXPECT_FALSE(store_variables(result, gset, Dialect::postgres, variables));
  gset.gset_prefix = "p";
  EXPECT_FALSE(store_variables(result, gset, Dialect::redis, variables));
  EXPECT_EQ(variables, (Variables{{"1", "a"}, {"p1", "a"}}));
  result.rows.clear();
  EXPECT_EQ(store_variables(result, gset, Dialect::redis, variables)->message,
            "no rows returned for \\gset");
}

}  // namespace
}  // namespace heddle
