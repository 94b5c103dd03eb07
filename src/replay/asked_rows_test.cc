// Invariants that ask about the rows at the beginning and about calls, on each store.
#include "replay/asked_rows.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/replay_testing.h"
#include "store/open/open.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The invariants that the run breaks.
std::vector<std::string> broken_by(const Run& run) {
  std::vector<std::string> names;
  for (const InvariantOutcome& outcome : run.invariants) {
    if (!outcome.holds) names.push_back(outcome.name);
  }
  return names;
}

std::string message_of(const Scenario& scenario) {
  const auto runner = runner_for(scenario);
  const auto run = runner->run_interleaved(scripts_of(scenario), follow({}));
  return run ? "" : to_string(run.error());
}

constexpr std::string_view kTill = R"(
program {
CREATE PROCEDURE pay(p_id integer, amount numeric) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE till SET money = money + amount WHERE id = p_id;
  IF amount > 100 THEN
    RAISE EXCEPTION 'too much';
  END IF;
END
$$;
CREATE PROCEDURE try(p_id integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE till SET money = 0 WHERE id = p_id;
  ROLLBACK;
END
$$;
CREATE FUNCTION look() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT count(*) FROM till);
END
$$;
}
setup {
  CREATE TABLE till (id integer PRIMARY KEY, money numeric(10, 2), note varchar(20));
  INSERT INTO till VALUES (1, 10.50, 'it''s'), (2, 0.00, NULL);
  CREATE TABLE empty (id integer PRIMARY KEY, at date);
}
session alice call { pay(1, 20.25) } steps 1
session bob call { pay(1, 500) } steps 1
session carol call { try(2) } steps 2
session dora call { look() } steps 1
invariant "as before" { SELECT t.money = i.money FROM till t JOIN initial.till i ON t.id = i.id }
invariant "paid" {
  SELECT t.money = i.money + (SELECT coalesce(sum(amount), 0) FROM calls.pay c WHERE c.p_id = t.id)
  FROM till t JOIN initial.till i ON t.id = i.id
}
invariant "who" { SELECT session = 'alice' FROM calls.pay; SELECT count(*) = 1 FROM calls.pay }
invariant "nobody tried" { SELECT count(*) = 0 FROM calls.try }
invariant "dora looked" { SELECT count(*) = 1 FROM calls.look WHERE session = 'dora' }
invariant "notes" {
  SELECT count(*) = 1 FROM initial.till WHERE note = 'it''s';
  SELECT count(*) = 1 FROM initial.till WHERE note IS NULL
}
invariant "no rows" { SELECT count(*) = 0 FROM initial.empty WHERE at > '2020-01-01' }
)";

Scenario till_on(std::string_view store) {
  std::string text(kTill);
  if (store != "postgres") text = "store s " + std::string(store) + "\n" + text;
  return scenario_of(text);
}

TEST(AskedRows, are_the_same_on_each_store) {
  for (const char* store : {"postgres", "mariadb", "replicated"}) {
    SCOPED_TRACE(store);
    const Scenario scenario = till_on(store);
    const auto server = must(open_server({store}));
    const auto runner = must(Runner::create(scenario, *server, {}));
    for (int again = 0; again < 2; ++again) {
      const auto run = must(runner->run_interleaved(scripts_of(scenario), follow({})));
      EXPECT_THAT(broken_by(run), ElementsAre("as before")) << text_of(scenario, run);
      EXPECT_THAT(made_calls(scenario, run), ElementsAre(SessionId(0), SessionId(3)));
    }
  }
}

TEST(AskedRows, say_what_was_lost) {
  const Scenario scenario = scenario_of(R"(
program {
CREATE PROCEDURE pay(p_id integer, amount integer) LANGUAGE plpgsql AS $$
DECLARE
  had integer;
BEGIN
  SELECT money INTO had FROM till WHERE id = p_id;
  UPDATE till SET money = had + amount WHERE id = p_id;
END
$$;
}
setup { CREATE TABLE till (id integer PRIMARY KEY, money integer); INSERT INTO till VALUES (1, 5); }
session a call { pay(1, 10) } steps 2
session b call { pay(1, 20) } steps 2
invariant "paid" {
  SELECT money = (SELECT money FROM initial.till) + (SELECT sum(amount) FROM calls.pay) FROM till
}
)");
  const auto runner = runner_for(scenario);
  EXPECT_THAT(broken_by(run_schedule(*runner, scenario, "a_1 b_1 a_2 b_2")), ElementsAre("paid"));
  EXPECT_THAT(broken_by(run_schedule(*runner, scenario, "a_1 a_2 b_1 b_2")), IsEmpty());
}

// Any value comes back as it was, of every type: what no step has touched equals what was there.
TEST(AskedRows, have_the_values_of_all_types) {
  const Scenario scenario = scenario_of(R"(
setup {
  CREATE TYPE mood AS ENUM ('glad', 'sad');
  CREATE TABLE t (a integer, b bigint, c numeric(8, 3), d double precision, e text, f varchar(5),
                  g char(4), h boolean, i date, j timestamp, k timestamptz, l bytea, m integer[],
                  n text[], o uuid, p jsonb, q interval, r mood, "s S" smallint);
  INSERT INTO t VALUES
    (1, -9223372036854775808, 1.500, 1e300, E'a\\b''c\n"', '', 'x', true, '2024-02-29',
     '2024-02-29 23:59:59.999', '2024-02-29 23:59:59+02', '\x00ff', ARRAY[1, NULL], ARRAY['a,b', NULL, ''],
     '00000000-0000-0000-0000-000000000001', '[1, [null, "a"]]', '1 day 2 hours', 'sad', -1),
    (NULL, NULL, NULL, 'NaN', NULL, NULL, NULL, NULL, 'infinity', NULL, NULL, NULL, NULL, NULL,
     NULL, NULL, NULL, NULL, NULL),
    (-1, 0, -0.001, '-Infinity', 'NULL', ' ', '', false, '0001-01-01 BC', NULL, NULL, '', ARRAY[]::integer[],
     ARRAY[]::text[], NULL, '"x"', '-1 month', 'glad', 32767);
}
session s
step keep { SELECT 1; }
step change { UPDATE t SET e = 'b' WHERE e = 'NULL'; }
invariant "nothing is new" { SELECT count(*) = 0 FROM (SELECT * FROM t EXCEPT SELECT * FROM initial.t) x }
invariant "nothing is gone" { SELECT count(*) = 0 FROM (SELECT * FROM initial.t EXCEPT SELECT * FROM t) x }
)");
  const auto runner = runner_for(scenario);
  EXPECT_THAT(broken_by(run_schedule(*runner, scenario, "keep")), IsEmpty());
  EXPECT_THAT(broken_by(run_schedule(*runner, scenario, "change")),
              ElementsAre("nothing is new", "nothing is gone"));
}

TEST(AskedRows, a_schema_of_the_database_is_meant_first) {
  const Scenario scenario = scenario_of(R"(
setup {
  CREATE SCHEMA initial; CREATE TABLE initial.t (a integer); INSERT INTO initial.t VALUES (7);
}
session s
step a { UPDATE initial.t SET a = 8; }
invariant "eight" { SELECT a = 8 FROM initial.t }
)");
  EXPECT_THAT(broken_by(run_schedule(*runner_for(scenario), scenario, "a")), IsEmpty());
}

TEST(AskedRows, what_there_is_not_is_named_by_its_place) {
  const std::string end = "session s\nstep a { SELECT 1; }\n";
  EXPECT_EQ(
      message_of(accounts_with("invariant \"i\" { SELECT 1 = 1\nFROM initial.acount }\n" + end)),
      "test.spec:8:6: there is no table \"acount\" at the beginning, did you mean \"account\"?");
  EXPECT_EQ(message_of(accounts_with("invariant \"i\" { SELECT 1 = 1 FROM calls.pay }\n" + end)),
            "test.spec:7:35: there is no functionality \"pay\" to be called, a program is what has "
            "some");
}

}  // namespace
}  // namespace heddle
