// Sessions in which a compiled program itself runs, on PostgreSQL: its statements are held until
// their steps, it waits where the store makes it wait, and what is not as it was read is told.
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/explore.h"
#include "jvm/java_machine.h"
#include "jvm/java_testing.h"
#include "replay/judge.h"
#include "replay/replay_testing.h"

namespace heddle {
namespace {

using testing::HasSubstr;

constexpr const char* kJavaBank = R"java(
import java.math.BigDecimal;
import java.sql.*;
import java.util.*;
import javax.sql.DataSource;

public class Bank {
  private final Connection connection;

  public Bank(Connection connection) {
    this.connection = connection;
  }

  private int balance(int id) throws SQLException {
    PreparedStatement select =
        connection.prepareStatement("SELECT balance FROM account WHERE id = ?");
    select.setInt(1, id);
    ResultSet rows = select.executeQuery();
    rows.next();
    return rows.getInt(1);
  }

  private void set(int id, int balance) throws SQLException {
    PreparedStatement update =
        connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?");
    update.setInt(1, balance);
    update.setInt(2, id);
    update.executeUpdate();
  }

  private void change(int id, int by) throws SQLException {
    PreparedStatement update =
        connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?");
    update.setInt(1, by);
    update.setInt(2, id);
    update.executeUpdate();
  }

  public int withdraw(int id, int amount) throws SQLException {
    int available = balance(id);
    if (available < amount) {
      return -1;
    }
    set(id, available - amount);
    return available - amount;
  }

  public int withdrawLess(int id, int amount) throws SQLException {
    int available = balance(id);
    set(id, available - amount + 1);
    return available - amount;
  }

  public int withdrawNothing(int id, int amount) throws SQLException {
    return balance(id);
  }

  public int withdrawAndMore(int id, int amount) throws SQLException {
    int left = withdraw(id, amount);
    change(2, 1);
    return left;
  }

  public int withdrawSlowly(int id, int amount) throws Exception {
    balance(id);
    synchronized (this) {
      wait();
    }
    return 0;
  }

  public int withdrawOr(int id, int amount) throws SQLException {
    withdraw(id, amount);
    return 7;
  }

  public void move(int source, int target, int amount) throws SQLException {
    change(source, -amount);
    change(target, amount);
  }

  public void refuse(int id) throws SQLException {
    set(id, 0);
    throw new IllegalStateException("account " + id + " is closed");
  }

  public static void payTwice(Connection given, int id) throws SQLException {
    Bank bank = new Bank(given);
    bank.change(id, -1);
    given.commit();
    bank.change(id, -2);
    given.commit();
  }

  public static void payAlone(Connection given, int id) throws SQLException {
    given.setAutoCommit(true);
    Bank bank = new Bank(given);
    bank.change(id, -1);
    bank.change(id, -2);
  }

  public void open(int[] ids, List<BigDecimal> amounts) throws SQLException {
    PreparedStatement insert = connection.prepareStatement("INSERT INTO account VALUES (?, 0)");
    for (int id : ids) {
      insert.setInt(1, id);
      insert.addBatch();
    }
    insert.executeBatch();
    change(ids[0], amounts.get(0).intValue());
  }

  public int openNext(int balance) throws SQLException {
    PreparedStatement insert = connection.prepareStatement(
        "INSERT INTO account VALUES (9, ?)", Statement.RETURN_GENERATED_KEYS);
    insert.setInt(1, balance);
    insert.executeUpdate();
    ResultSet keys = insert.getGeneratedKeys();
    keys.next();
    return keys.getInt("id");
  }

  public String describe(String name, Timestamp when, Optional<Long> number, boolean is)
      throws SQLException {
    PreparedStatement select =
        connection.prepareStatement("SELECT ?::text, ?::timestamp, ?::bigint, ?::boolean");
    select.setString(1, name);
    select.setTimestamp(2, when);
    if (number.isPresent()) {
      select.setLong(3, number.get());
    } else {
      select.setNull(3, Types.BIGINT);
    }
    select.setBoolean(4, is);
    select.executeQuery();
    return name;
  }

  public long sum(int times) throws SQLException {
    PreparedStatement select =
        connection.prepareStatement("SELECT sum(balance) AS s FROM account");
    long all = 0;
    for (int i = 0; i < times; i++) {
      ResultSet rows = select.executeQuery();
      rows.next();
      all += rows.getLong("s");
    }
    return all;
  }

  public void level(int id) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    set(id, 0);
  }
}
)java";

// What heddle reads of it.
constexpr std::string_view kReading = R"(
program {
CREATE FUNCTION withdraw(account_id integer, amount integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  available integer;
  argument integer;
BEGIN
  SELECT balance INTO available FROM account WHERE id = account_id;
  IF available < amount THEN
    RETURN -1;
  END IF;
  argument := available - amount;
  UPDATE account SET balance = argument WHERE id = account_id;
  RETURN available - amount;
END
$$;
CREATE PROCEDURE move(source integer, target integer, amount integer) LANGUAGE plpgsql AS $$
DECLARE
  argument integer;
BEGIN
  argument := -amount;
  UPDATE account SET balance = balance + argument WHERE id = source;
  UPDATE account SET balance = balance + amount WHERE id = target;
END
$$;
CREATE PROCEDURE refuse(account_id integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = 0 WHERE id = account_id;
  RAISE EXCEPTION 'account % is closed', account_id;
END
$$;
CREATE PROCEDURE pay_twice(account_id integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + -1 WHERE id = account_id;
  COMMIT;
  UPDATE account SET balance = balance + -2 WHERE id = account_id;
  COMMIT;
END
$$;
CREATE PROCEDURE open(ids integer[], amounts numeric[]) LANGUAGE plpgsql AS $$
DECLARE
  one integer;
  argument integer;
BEGIN
  FOREACH one IN ARRAY ids LOOP
    INSERT INTO account VALUES (one, 0);
  END LOOP;
  one := ids[1];
  argument := amounts[1];
  UPDATE account SET balance = balance + argument WHERE id = one;
END
$$;
CREATE FUNCTION open_next(amount integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  made record;
BEGIN
  INSERT INTO account VALUES (9, amount) RETURNING * INTO made;
  RETURN made.id;
END
$$;
CREATE FUNCTION describe(title text, moment timestamp, number bigint, truth boolean) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM title::text, moment::timestamp, number::bigint, truth::boolean;
  RETURN title;
END
$$;
CREATE FUNCTION sum(times integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  total bigint := 0;
  one bigint;
BEGIN
  FOR i IN 1 .. times LOOP
    SELECT sum(balance) AS s INTO one FROM account;
    total := total + one;
  END LOOP;
  RETURN total;
END
$$;
CREATE PROCEDURE level(account_id integer) LANGUAGE plpgsql AS $$
BEGIN
  SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
  UPDATE account SET balance = 0 WHERE id = account_id;
END
$$;
}
)";

Scenario java_bank_with(std::string_view sessions) {
  return accounts_with(std::string(kReading) + std::string(sessions));
}

std::shared_ptr<JavaMachine> bank_machine() {
  static const CompiledJava compiled("Bank", kJavaBank);
  static const std::shared_ptr<JavaMachine> machine = must(JavaMachine::open(compiled.folder()));
  return machine;
}

std::unique_ptr<Runner> gated_runner(const Scenario& scenario,
                                     std::uint32_t step_timeout_ms = 30'000) {
  return must(
      Runner::create(scenario, shared_server(),
                     {.level = {}, .step_timeout_ms = step_timeout_ms, .program = bank_machine()}));
}

std::string java_end_text(const Run& run) {
  std::vector<std::string> texts;
  for (const StepRecord& record : run.records) {
    if (record.call_end) texts.push_back(reply_text(*record.call_end));
  }
  return join(texts, " ");
}

std::string java_balances(const Run& run) { return rows_text(run.tables.at(0).rows); }

constexpr std::string_view kWithdraw = " method { Bank.withdraw(int, int) }\n";

Scenario two_withdrawals() {
  return java_bank_with("session s1 call { withdraw(1, 10) }" + std::string(kWithdraw) +
                        "session s2 call { withdraw(1, 20) }" + std::string(kWithdraw));
}

TEST(ProgramItself, loses_an_update_as_often_as_it_is_asked_to) {
  const Scenario scenario = two_withdrawals();
  const auto runner = gated_runner(scenario);
  Judge judge(scenario, *runner);
  for (int i = 0; i < 10; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s1_3 s2_2 s2_3");
    ASSERT_EQ(text_of(scenario, run),
              "s1_1: BEGIN; (100)\ns2_1: BEGIN; (100)\ns1_2: UPDATE 1\ns1_3: COMMIT\n"
              "s2_2: UPDATE 1\ns2_3: COMMIT\naccount (1, 80) (2, 100)\n");
    EXPECT_EQ(java_end_text(run), "(90) (80)");
    const Judgement judgement = must(judge.judge(run, Unit::session));
    EXPECT_TRUE(judgement.anomalous);
    EXPECT_EQ(judgement.effect, Effect::internal);
  }
  const auto serial = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s2_1 s2_2 s2_3");
  EXPECT_EQ(java_balances(serial), "(1, 70) (2, 100)");
  EXPECT_FALSE(must(judge.judge(serial, Unit::session)).anomalous);
}

TEST(ProgramItself, waits_where_the_store_makes_it_wait) {
  const Scenario scenario = java_bank_with(
      "session s1 call { move(1, 2, 10) } method { Bank.move(int, int, int) }\n"
      "session s2 call { move(1, 2, 5) } method { Bank.move(int, int, int) }\n");
  const auto runner = gated_runner(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s1_3 s2_2 s2_3");
  EXPECT_EQ(text_of(scenario, run),
            "s1_1: BEGIN; UPDATE 1\ns2_1 waits for s1: BEGIN; UPDATE 1\ns1_2: UPDATE 1\n"
            "s1_3: COMMIT\ns2_2: UPDATE 1\ns2_3: COMMIT\naccount (1, 85) (2, 115)\n");
}

TEST(ProgramItself, runs_into_deadlocks) {
  const Scenario scenario = java_bank_with(
      "session s1 call { move(1, 2, 10) } method { Bank.move(int, int, int) }\n"
      "session s2 call { move(2, 1, 5) } method { Bank.move(int, int, int) }\n");
  const auto runner = gated_runner(scenario);
  for (int i = 0; i < 3; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s2_2 s1_3 s2_3");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    EXPECT_EQ(run.aborted.size(), 1U);
    EXPECT_THAT(text_of(scenario, run), HasSubstr("deadlock"));
    EXPECT_EQ(java_balances(run), "(1, 90) (2, 110)");
  }
}

TEST(ProgramItself, rolls_back_what_it_throws) {
  const Scenario scenario =
      java_bank_with("session s1 call { refuse(1) } method { Bank.refuse(int) }\n");
  const auto runner = gated_runner(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2");
  EXPECT_EQ(text_of(scenario, run),
            "s1_1: BEGIN; UPDATE 1\ns1_2: ROLLBACK\naccount (1, 100) (2, 100)\n");
}

TEST(ProgramItself, ends_its_transactions_itself) {
  for (const char* method : {"payTwice", "payAlone"}) {
    const Scenario scenario = java_bank_with(
        fmt::format("session s1 call {{ pay_twice(1) }} method {{ Bank.{}(Connection, "
                    "int) }}\n",
                    method));
    const auto runner = gated_runner(scenario);
    const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s1_4");
    EXPECT_EQ(text_of(scenario, run),
              "s1_1: BEGIN; UPDATE 1\ns1_2: COMMIT\ns1_3: BEGIN; UPDATE 1\ns1_4: COMMIT\n"
              "account (1, 97) (2, 100)\n")
        << method;
  }
}

TEST(ProgramItself, is_held_within_a_batch) {
  const Scenario scenario = java_bank_with(
      "session s1 call { open('{5,6}', '{3.00}') } method { Bank.open(int[], List) } steps 4\n"
      "session s2 call { withdraw(1, 10) }" +
      std::string(kWithdraw));
  const auto runner = gated_runner(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s2_2 s2_3 s1_2 s1_3 s1_4");
  EXPECT_EQ(text_of(scenario, run),
            "s1_1: BEGIN; INSERT 0 1\ns2_1: BEGIN; (100)\ns2_2: UPDATE 1\ns2_3: COMMIT\n"
            "s1_2: INSERT 0 1\ns1_3: UPDATE 1\ns1_4: COMMIT\n"
            "account (1, 90) (2, 100) (5, 3) (6, 0)\n");
}

TEST(ProgramItself, hears_of_an_error_within_a_batch) {
  const Scenario scenario = java_bank_with(
      "session s1 call { open('{5,1,6}', '{3}') } method { Bank.open(int[], List) } steps 5\n");
  const auto runner = gated_runner(scenario);
  for (int i = 0; i < 2; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s1_4 s1_5");
    EXPECT_EQ(text_of(scenario, run),
              "s1_1: BEGIN; INSERT 0 1\ns1_2: ERROR 23505\ns1_3: ROLLBACK\n"
              "account (1, 100) (2, 100)\n");
  }
}

TEST(ProgramItself, asks_for_keys_and_gives_values_of_many_types) {
  const Scenario scenario = java_bank_with(
      "session s1 call { open_next(7) } method { Bank.openNext(int) }\n"
      "session s2 call { describe('it''s', '2026-01-31 10:20:30.5', NULL, true) }\n"
      " method { Bank.describe(String, Timestamp, Optional, boolean) }\n");
  const auto runner = gated_runner(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s2_1 s2_2");
  EXPECT_EQ(text_of(scenario, run),
            "s1_1: BEGIN; (9, 7)\ns1_2: COMMIT\n"
            "s2_1: BEGIN; (it's, 2026-01-31 10:20:30.5, NULL, t)\ns2_2: COMMIT\n"
            "account (1, 100) (2, 100) (9, 7)\n");
  EXPECT_EQ(java_end_text(run), "(9) (it's)");
}

// The driver prepares a statement on the server when it has executed it often.
TEST(ProgramItself, executes_a_statement_often) {
  const Scenario scenario =
      java_bank_with("session s1 call { sum(12) } method { Bank.sum(int) }\n");
  const auto runner = gated_runner(scenario);
  for (int i = 0; i < 2; ++i) {
    const auto run =
        run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s1_4 s1_5 s1_6 s1_7 s1_8 s1_9 s1_10");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    const auto rest = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s1_4 s1_5 s1_6 s1_7");
    ASSERT_EQ(rest.end, RunEnd::complete) << rest.trouble;
  }
  const Scenario whole =
      java_bank_with("session s1 call { sum(12) } method { Bank.sum(int) } steps 1\n");
  const auto run = run_schedule(*gated_runner(whole), whole, "s1_1");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(java_end_text(run), "(2400)");
}

TEST(ProgramItself, sets_its_level) {
  const Scenario scenario =
      java_bank_with("session s1 call { level(1) } method { Bank.level(int) }\n");
  const auto runner = gated_runner(scenario);
  for (int i = 0; i < 2; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    EXPECT_EQ(java_balances(run), "(1, 0) (2, 100)");
  }
}

TEST(ProgramItself, is_watched_like_any_other_session) {
  const Scenario scenario = two_withdrawals();
  const auto runner = gated_runner(scenario);
  const Schedule schedule = schedule_from(scenario, "s1_1 s2_1 s1_2 s1_3 s2_2 s2_3");
  const ObservedRun observed =
      must(runner->run_observed(scripts_from(scenario, schedule), follow(scenario, schedule)));
  ASSERT_EQ(observed.run.end, RunEnd::complete) << observed.run.trouble;
  EXPECT_EQ(observed.history.transactions.size(), 2U);
}

// The canaries: what is not what was read must be told, with the line of the program.
std::string trouble_of(const std::string& method, std::uint32_t step_timeout_ms = 30'000) {
  const Scenario scenario =
      java_bank_with("session s1 call { withdraw(1, 10) } method { Bank." + method + " }\n");
  const auto runner = gated_runner(scenario, step_timeout_ms);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3");
  EXPECT_NE(run.end, RunEnd::complete);
  return run.trouble;
}

TEST(ProgramItself, that_sends_another_value_is_told) {
  const std::string trouble = trouble_of("withdrawLess(int, int)");
  EXPECT_THAT(trouble, HasSubstr("the program executes UPDATE account SET balance = $1 WHERE id = "
                                 "$2 ($1 = 91, $2 = 1) at Bank.java:"));
  EXPECT_THAT(trouble,
              HasSubstr("where UPDATE account SET balance = 90 WHERE id = 1 was expected"));
}

TEST(ProgramItself, that_sends_less_is_told) {
  EXPECT_THAT(trouble_of("withdrawNothing(int, int)"),
              HasSubstr("the program executes COMMIT where UPDATE account SET balance = 90"));
}

TEST(ProgramItself, that_sends_more_is_told) {
  EXPECT_THAT(trouble_of("withdrawAndMore(int, int)"),
              HasSubstr("the program executes UPDATE account SET balance = balance + $1 WHERE id = "
                        "$2 ($1 = 1, $2 = 2) at Bank.java:"));
}

TEST(ProgramItself, that_returns_something_else_is_told) {
  EXPECT_THAT(trouble_of("withdrawOr(int, int)"), HasSubstr("returns 7 where 90 was expected"));
}

TEST(ProgramItself, that_neither_sends_nor_ends_is_told) {
  const std::string trouble = trouble_of("withdrawSlowly(int, int)", 500);
  EXPECT_THAT(trouble, HasSubstr("step s1_2 did not return within 500 ms"));
  EXPECT_THAT(trouble, HasSubstr("the program sends nothing and does not end, at Bank.java:"));
}

TEST(ProgramItself, that_is_not_there_is_told) {
  EXPECT_THAT(trouble_of("withdrawAll(int, int)"),
              HasSubstr("there is no method Bank.withdrawAll"));
  const Scenario scenario = java_bank_with(
      "session s1 call { withdraw(1, 10) } "
      "method { Cafe.withdraw(int, int) }\n");
  const auto run = run_schedule(*gated_runner(scenario), scenario, "s1_1 s1_2 s1_3");
  EXPECT_THAT(run.trouble, HasSubstr("there is no class Cafe"));
}

TEST(ProgramItself, goes_on_after_a_run_that_was_given_up) {
  const Scenario scenario = java_bank_with(
      "session s1 call { withdraw(1, 10) } method { Bank.withdrawLess(int, int) }\n"
      "session s2 call { withdraw(1, 10) }" +
      std::string(kWithdraw));
  const auto runner = gated_runner(scenario);
  const auto failed = run_schedule(*runner, scenario, "s2_1 s1_1 s1_2 s1_3 s2_2 s2_3");
  EXPECT_NE(failed.end, RunEnd::complete);
  const auto run = run_schedule(*runner, scenario, "s2_1 s2_2 s2_3");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(java_balances(run), "(1, 90) (2, 100)");
}

}  // namespace
}  // namespace heddle
