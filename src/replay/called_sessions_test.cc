// Sessions that call functionalities, on PostgreSQL: what is sent, what blocks, what others see,
// and how serial orders are made of them.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/interpret.h"
#include "replay/judge.h"
#include "replay/replay_testing.h"
#include "store/open/open.h"
#include "store/postgres/statements.h"
#include "store/postgres/throwaway.h"

namespace heddle {
namespace {

constexpr std::string_view kBank = R"(
program {
CREATE FUNCTION withdraw(account_id integer, amount integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  available integer;
BEGIN
  SELECT balance INTO available FROM account WHERE id = account_id;
  IF available < amount THEN
    RETURN -1;
  END IF;
  UPDATE account SET balance = available - amount WHERE id = account_id;
  RETURN available - amount;
END
$$;
CREATE PROCEDURE move(source integer, target integer, amount integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - amount WHERE id = source;
  UPDATE account SET balance = balance + amount WHERE id = target;
END
$$;
CREATE PROCEDURE refuse(account_id integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = 0 WHERE id = account_id;
  RAISE EXCEPTION 'account % is closed', account_id;
END
$$;
CREATE FUNCTION add_or_keep(account_id integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  BEGIN
    INSERT INTO account VALUES (account_id, 0);
  EXCEPTION WHEN unique_violation THEN
    RETURN 'kept';
  END;
  RETURN 'added';
END
$$;
CREATE FUNCTION total() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  one record;
  sum bigint := 0;
BEGIN
  FOR one IN SELECT id, balance FROM account ORDER BY id LOOP
    UPDATE account SET balance = one.balance + 1 WHERE id = one.id;
    sum := sum + one.balance;
  END LOOP;
  RETURN sum;
END
$$;
CREATE PROCEDURE pay_twice(account_id integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - 1 WHERE id = account_id;
  COMMIT;
  UPDATE account SET balance = balance - 2 WHERE id = account_id;
  COMMIT;
END
$$;
}
)";

Scenario bank_with(std::string_view sessions) {
  return accounts_with(std::string(kBank) + std::string(sessions));
}

std::string end_text(const Run& run) {
  std::vector<std::string> texts;
  for (const StepRecord& record : run.records) {
    if (record.call_end) texts.push_back(reply_text(*record.call_end));
  }
  return join(texts, " ");
}

std::string sent_text(const Scenario& scenario, const Run& run) {
  std::string text;
  for (const StepRecord& record : run.records) {
    text += scenario.steps[record.step.index()].name + ": " + join(record.sent, "; ") + "\n";
  }
  return text;
}

std::string balances(const Run& run) { return rows_text(run.tables.at(0).rows); }

TEST(CalledSessions, send_one_statement_in_each_step) {
  const Scenario scenario = bank_with("session s1 call { withdraw(1, 10) }");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3");
  EXPECT_EQ(sent_text(scenario, run),
            "s1_1: BEGIN; SELECT balance FROM account WHERE id = 1\n"
            "s1_2: UPDATE account SET balance = 100 - 10 WHERE id = 1\n"
            "s1_3: COMMIT\n");
  EXPECT_EQ(end_text(run), "(90)");
  EXPECT_EQ(balances(run), "(1, 90) (2, 100)");
}

TEST(CalledSessions, lose_an_update) {
  const Scenario scenario =
      bank_with("session s1 call { withdraw(1, 10) }\nsession s2 call { withdraw(1, 20) }");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s1_3 s2_2 s2_3");
  EXPECT_EQ(balances(run), "(1, 80) (2, 100)");
  EXPECT_EQ(end_text(run), "(90) (80)");
  Judge judge(scenario, *runner);
  const Judgement judgement = must(judge.judge(run, Unit::session));
  EXPECT_TRUE(judgement.anomalous);
  EXPECT_EQ(judgement.effect, Effect::internal);
  const auto serial = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s2_1 s2_2 s2_3");
  EXPECT_FALSE(must(judge.judge(serial, Unit::session)).anomalous);
}

// In both serial orders one of them gives up early.
TEST(CalledSessions, take_other_ways_in_serial_orders) {
  const Scenario scenario =
      bank_with("session s1 call { withdraw(1, 60) }\nsession s2 call { withdraw(1, 70) }");
  const auto runner = runner_for(scenario);
  Judge judge(scenario, *runner);
  const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s1_3 s2_2 s2_3");
  EXPECT_EQ(end_text(run), "(40) (30)");
  const Judgement judgement = must(judge.judge(run, Unit::session));
  ASSERT_TRUE(judgement.anomalous);
  EXPECT_TRUE(std::ranges::any_of(judgement.serial[0].differences, [](const Difference& one) {
    return one.where == "what s2 returns" || one.where == "what s1 returns";
  }));
  const auto early = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s2_1 s2_2 s2_3");
  EXPECT_EQ(end_text(early), "(40) (-1)");
  EXPECT_FALSE(must(judge.judge(early, Unit::session)).anomalous);
}

TEST(CalledSessions, do_nothing_in_surplus_steps) {
  const Scenario scenario = bank_with("session s1 call { withdraw(1, 500) }");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3");
  EXPECT_EQ(text_of(scenario, run),
            "s1_1: BEGIN; (100)\ns1_2: COMMIT\naccount (1, 100) (2, 100)\n");
}

TEST(CalledSessions, do_all_that_is_left_in_the_last_step) {
  const Scenario scenario = bank_with("session s1 call { total() } steps 2");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2");
  EXPECT_EQ(sent_text(scenario, run),
            "s1_1: BEGIN; SELECT id, balance FROM account ORDER BY id\n"
            "s1_2: UPDATE account SET balance = 100 + 1 WHERE id = 1; "
            "UPDATE account SET balance = 100 + 1 WHERE id = 2; COMMIT\n");
  EXPECT_EQ(end_text(run), "(200)");
}

TEST(CalledSessions, loop_over_rows_step_by_step) {
  const Scenario scenario =
      bank_with("session s1 call { total() }\nsession s2 call { move(1, 2, 10) }");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s2_1 s1_3 s1_4 s2_2 s2_3");
  EXPECT_EQ(text_of(scenario, run),
            "s1_1: BEGIN; (1, 100) (2, 100)\ns1_2: UPDATE 1\ns2_1 waits for s1: BEGIN; UPDATE 1\n"
            "s1_3: UPDATE 1\ns1_4: COMMIT\ns2_2: UPDATE 1\ns2_3: COMMIT\n"
            "account (1, 91) (2, 111)\n");
}

TEST(CalledSessions, roll_back_what_they_raise) {
  const Scenario scenario = bank_with("session s1 call { refuse(1) }");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2");
  EXPECT_EQ(text_of(scenario, run),
            "s1_1: BEGIN; UPDATE 1\ns1_2: ROLLBACK\naccount (1, 100) (2, 100)\n");
  ASSERT_TRUE(run.records[1].call_end && run.records[1].call_end->error);
  EXPECT_EQ(run.records[1].call_end->error->message, "account 1 is closed");
  EXPECT_TRUE(run.aborted.empty());
}

TEST(CalledSessions, handle_errors_within_their_step) {
  const Scenario scenario = bank_with("session s1 call { add_or_keep(1) }");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2");
  EXPECT_EQ(sent_text(scenario, run),
            "s1_1: BEGIN; SAVEPOINT heddle_1; INSERT INTO account VALUES (1, 0); "
            "ROLLBACK TO SAVEPOINT heddle_1; RELEASE SAVEPOINT heddle_1\ns1_2: COMMIT\n");
  EXPECT_EQ(end_text(run), "(kept)");
}

TEST(CalledSessions, run_into_deadlocks) {
  const Scenario scenario =
      bank_with("session s1 call { move(1, 2, 10) }\nsession s2 call { move(2, 1, 20) }");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s2_2 s2_3 s1_3");
  ASSERT_EQ(run.aborted.size(), 1U) << text_of(scenario, run);
  EXPECT_EQ(run.aborted[0], SessionId(1));
  EXPECT_EQ(balances(run), "(1, 90) (2, 110)");
  Judge judge(scenario, *runner);
  EXPECT_FALSE(must(judge.judge(run, Unit::session)).anomalous);
  EXPECT_FALSE(must(judge.judge(run, Unit::transaction)).anomalous);
  const auto retried = must(runner->run_retried(
      scripts_of(scenario),
      follow(scenario, schedule_from(scenario, "s1_1 s2_1 s1_2 s2_2 s2_3 s1_3"))));
  EXPECT_EQ(balances(retried), "(1, 110) (2, 90)");
}

TEST(CalledSessions, may_be_cut_into_transactions) {
  const Scenario scenario =
      bank_with("session s1 call { pay_twice(1) }\nsession s2 call { withdraw(1, 10) }");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s2_1 s2_2 s2_3 s1_3 s1_4");
  EXPECT_EQ(sent_text(scenario, run),
            "s1_1: BEGIN; UPDATE account SET balance = balance - 1 WHERE id = 1\ns1_2: COMMIT\n"
            "s2_1: BEGIN; SELECT balance FROM account WHERE id = 1\n"
            "s2_2: UPDATE account SET balance = 99 - 10 WHERE id = 1\ns2_3: COMMIT\n"
            "s1_3: BEGIN; UPDATE account SET balance = balance - 2 WHERE id = 1\ns1_4: COMMIT\n");
  Judge judge(scenario, *runner);
  const Judgement judgement = must(judge.judge(run, Unit::session));
  EXPECT_TRUE(judgement.anomalous);
  EXPECT_TRUE(judgement.boundary_problem);
  EXPECT_FALSE(must(judge.judge(run, Unit::transaction)).anomalous);
}

TEST(CalledSessions, are_given_up_in_the_middle) {
  const Scenario scenario = bank_with("session s1 call { move(1, 2, 10) }");
  const auto runner = runner_for(scenario);
  EXPECT_EQ(text_of(scenario, run_schedule(*runner, scenario, "s1_1")),
            "s1_1: BEGIN; UPDATE 1\naccount (1, 100) (2, 100)\n");
  EXPECT_EQ(balances(run_schedule(*runner, scenario, "s1_1 s1_2 s1_3")), "(1, 90) (2, 110)");
}

TEST(CalledSessions, compare_generated_keys_up_to_renaming) {
  const Scenario scenario = scenario_of(R"(
setup {
  CREATE TABLE orders (id serial PRIMARY KEY, note text);
  CREATE TABLE line (order_id int, note text);
}
program {
CREATE FUNCTION enter(what text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  number integer;
BEGIN
  INSERT INTO orders (note) VALUES (what) RETURNING id INTO number;
  INSERT INTO line VALUES (number, what);
  RETURN number;
END
$$;
}
session s1 call { enter('a') }
session s2 call { enter('b') }
)");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s2_1 s1_1 s1_2 s1_3 s2_2 s2_3");
  Judge judge(scenario, *runner);
  EXPECT_FALSE(must(judge.judge(run, Unit::session)).anomalous);
  EXPECT_TRUE(run.records[3].call_end->result->columns.at(0).generated);
}

TEST(CalledSessions, ask_the_store_for_what_only_it_knows) {
  const Scenario scenario = scenario_of(R"(
setup { CREATE SEQUENCE ticket START 7; CREATE TABLE sold (id bigint, code text); }
program {
CREATE FUNCTION sell(what text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  number bigint;
BEGIN
  number := nextval('ticket');
  what := md5(what);
  INSERT INTO sold VALUES (number, what);
  RETURN number;
END
$$;
}
session s1 call { sell('a') }
)");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3");
  EXPECT_EQ(sent_text(scenario, run),
            "s1_1: BEGIN; SELECT nextval('ticket')\n"
            "s1_2: SELECT md5('a'::text); "
            "INSERT INTO sold VALUES (7::bigint, '0cc175b9c0f1b6a831c399e269772661'::text)\n"
            "s1_3: COMMIT\n");
  EXPECT_EQ(end_text(run), "(7)");
  EXPECT_TRUE(run.tables.at(0).columns.at(0).generated);
  EXPECT_FALSE(run.tables.at(0).columns.at(1).generated);
}

TEST(CalledSessions, do_not_run_on_every_store) {
  const Scenario scenario = bank_with("session s1 call { withdraw(1, 10) }");
  const auto server = must(open_server("sqlite"));
  const auto runner = Runner::create(scenario, *server, {});
  ASSERT_FALSE(runner);
  EXPECT_EQ(
      runner.error().what,
      "sessions that call a functionality run on PostgreSQL, MariaDB and the replicated store "
      "only");
}

// The same calls, one after the other, as a plain client of another server makes them.
class PlainClient {
 public:
  PlainClient()
      : server_(must(ThrowawayPostgres::start({}))),
        session_(must(PostgresStatements::connect(server_->conninfo()))) {}

  std::string balances_after(const Scenario& scenario, const std::vector<std::size_t>& order) {
    execute("DROP TABLE IF EXISTS account");
    for (const SqlBlock& setup : scenario.setups) {
      for (const StatementText& piece : split_statements(setup.text)) execute(piece.text);
    }
    for (const std::size_t i : order) {
      must(interpret(scenario.program->program, *called_functionality(scenario, SessionId(i)),
                     scenario.sessions[i].call->arguments, *session_));
    }
    return rows_text(
        must(session_->execute("SELECT id, balance FROM account ORDER BY id", {})).rows);
  }

 private:
  void execute(const std::string& text) { must(session_->execute(text, {})); }

  std::unique_ptr<ThrowawayPostgres> server_;
  std::unique_ptr<PostgresStatements> session_;
};

TEST(CalledSessions, leave_in_serial_order_what_a_plain_client_leaves) {
  PlainClient client;
  const std::vector<std::string> calls = {"withdraw(1, 60)", "move(1, 2, 50)", "refuse(2)",
                                          "total()",         "add_or_keep(3)", "pay_twice(1)"};
  for (const std::string& first : calls) {
    for (const std::string& second : calls) {
      const Scenario scenario =
          bank_with("session s1 call { " + first + " }\nsession s2 call { " + second + " }");
      const auto runner = runner_for(scenario);
      using Extent = SerialBlock::Extent;
      const SerialBlock one{SessionId(0), {}, Extent::rest};
      const SerialBlock two{SessionId(1), {}, Extent::rest};
      EXPECT_EQ(balances(must(runner->run_serial({one, two}))),
                client.balances_after(scenario, {0, 1}))
          << first << " " << second;
      EXPECT_EQ(balances(must(runner->run_serial({two, one}))),
                client.balances_after(scenario, {1, 0}))
          << second << " " << first;
    }
  }
}

}  // namespace
}  // namespace heddle
