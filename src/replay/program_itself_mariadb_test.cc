// Sessions in which a compiled program itself runs, on MariaDB: what its driver sends is held until
// its step, though texts are written with MySQL's quotes, transactions begin without a BEGIN and
// keys come without RETURNING.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "heddle/explore.h"
#include "jvm/java_machine.h"
#include "jvm/java_testing.h"
#include "replay/judge.h"
#include "replay/replay_testing.h"

namespace heddle {
namespace {

using testing::HasSubstr;

constexpr const char* kJavaShop = R"java(
import java.sql.*;
import javax.sql.DataSource;

public class Shop {
  private final Connection connection;

  public Shop(Connection connection) {
    this.connection = connection;
  }

  private int stock(int id, String locking) throws SQLException {
    PreparedStatement select = connection.prepareStatement(
        "SELECT `stock` FROM `item` WHERE `id` = ? LIMIT 1" + locking);
    select.setInt(1, id);
    ResultSet rows = select.executeQuery();
    rows.next();
    return rows.getInt("stock");
  }

  private int set(int id, int stock) throws SQLException {
    PreparedStatement update =
        connection.prepareStatement("UPDATE `item` SET `stock` = ? WHERE `id` = ?");
    update.setInt(1, stock);
    update.setInt(2, id);
    return update.executeUpdate();
  }

  private void change(int id, int by) throws SQLException {
    PreparedStatement update =
        connection.prepareStatement("UPDATE item SET stock = stock + ? WHERE id = ?");
    update.setInt(1, by);
    update.setInt(2, id);
    update.executeUpdate();
  }

  public int sell(int id, int count) throws SQLException {
    int left = stock(id, "") - count;
    return set(id, left);
  }

  public int sellLocked(int id, int count) throws SQLException {
    int left = stock(id, " FOR UPDATE") - count;
    return set(id, left);
  }

  public int sellLess(int id, int count) throws SQLException {
    return set(id, stock(id, "") - count + 1);
  }

  public int sellAndMore(int id, int count) throws SQLException {
    int changed = sell(id, count);
    change(2, 1);
    return changed;
  }

  public int sellNothing(int id, int count) throws SQLException {
    return stock(id, "");
  }

  public int sellOr(int id, int count) throws SQLException {
    sell(id, count);
    return 7;
  }

  public void move(int source, int target, int count) throws SQLException {
    change(source, -count);
    change(target, count);
  }

  public void refuse(int id) throws SQLException {
    set(id, 0);
    throw new IllegalStateException("item " + id + " is not sold");
  }

  public static void sellAlone(DataSource source, int id) throws SQLException {
    try (Connection opened = source.getConnection()) {
      Shop shop = new Shop(opened);
      shop.change(id, -1);
      shop.change(id, -2);
    }
  }

  public int add(String name) throws SQLException {
    PreparedStatement insert = connection.prepareStatement(
        "INSERT INTO item (name, stock) VALUES (?, 0)", Statement.RETURN_GENERATED_KEYS);
    insert.setString(1, name);
    insert.executeUpdate();
    ResultSet keys = insert.getGeneratedKeys();
    keys.next();
    return keys.getInt(1);
  }

  public String addAgain(int id) throws SQLException {
    try {
      PreparedStatement insert =
          connection.prepareStatement("INSERT INTO item VALUES (?, 'new', 1)");
      insert.setInt(1, id);
      insert.executeUpdate();
    } catch (SQLException e) {
      return e.getSQLState() + " " + e.getErrorCode();
    }
    return "added";
  }

  public void count(String name) throws SQLException {
    PreparedStatement upsert = connection.prepareStatement(
        "INSERT INTO seen (name, times) VALUES (?, 1) ON DUPLICATE KEY UPDATE times = times + 1");
    upsert.setString(1, name);
    upsert.executeUpdate();
  }

  public int sellByText(int id, int count) throws SQLException {
    Statement statement = connection.createStatement();
    statement.execute("START TRANSACTION");
    statement.setQueryTimeout(30);
    statement.setMaxRows(1);
    ResultSet rows = statement.executeQuery("SELECT stock FROM item WHERE id = " + id + " LIMIT 1");
    rows.next();
    int left = rows.getInt("stock") - count;
    int changed = statement.executeUpdate("UPDATE item SET stock = " + left + " WHERE id = " + id);
    connection.isValid(5);
    return changed;
  }

  public void open(int[] ids) throws SQLException {
    PreparedStatement update =
        connection.prepareStatement("UPDATE item SET stock = 0 WHERE id = ?");
    for (int id : ids) {
      update.setInt(1, id);
      update.addBatch();
    }
    update.executeBatch();
  }
}
)java";

// What heddle reads of it.
constexpr std::string_view kShopReading = R"(
setup {
CREATE TABLE item (id int PRIMARY KEY AUTO_INCREMENT, name varchar(40), stock int NOT NULL);
CREATE TABLE seen (name varchar(40) PRIMARY KEY, times int NOT NULL);
INSERT INTO item VALUES (1, 'cup', 100), (2, 'jug', 100);
}
program {
CREATE FUNCTION sell(which integer, how_many integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  there integer; argument integer; changed integer;
BEGIN
  SELECT stock INTO there FROM item WHERE id = which LIMIT 1;
  argument := there - how_many;
  UPDATE item SET stock = argument WHERE id = which;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END
$$;
CREATE FUNCTION sell_locked(which integer, how_many integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  there integer; argument integer; changed integer;
BEGIN
  SELECT stock INTO there FROM item WHERE id = which LIMIT 1 FOR UPDATE;
  argument := there - how_many;
  UPDATE item SET stock = argument WHERE id = which;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END
$$;
CREATE PROCEDURE move(source integer, target integer, how_many integer) LANGUAGE plpgsql AS $$
DECLARE
  argument integer;
BEGIN
  argument := -how_many;
  UPDATE item SET stock = stock + argument WHERE id = source;
  UPDATE item SET stock = stock + how_many WHERE id = target;
END
$$;
CREATE PROCEDURE refuse(which integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE item SET stock = 0 WHERE id = which;
  RAISE EXCEPTION 'item % is not sold', which;
END
$$;
CREATE PROCEDURE sell_alone(which integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE item SET stock = stock + -1 WHERE id = which;
  COMMIT;
  UPDATE item SET stock = stock + -2 WHERE id = which;
  COMMIT;
END
$$;
CREATE FUNCTION add(called text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  made record;
BEGIN
  INSERT INTO item (name, stock) VALUES (called, 0) RETURNING * INTO made;
  RETURN made.id;
END
$$;
CREATE FUNCTION add_again(which integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  BEGIN
    INSERT INTO item VALUES (which, 'new', 1);
  EXCEPTION WHEN unique_violation THEN
    RETURN '23000 1062';
  END;
  RETURN 'added';
END
$$;
CREATE PROCEDURE count(called text) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO seen (name, times) VALUES (called, 1)
    ON CONFLICT (name) DO UPDATE SET times = seen.times + 1;
END
$$;
CREATE PROCEDURE open(ids integer[]) LANGUAGE plpgsql AS $$
DECLARE
  one integer;
BEGIN
  FOREACH one IN ARRAY ids LOOP
    UPDATE item SET stock = 0 WHERE id = one;
  END LOOP;
END
$$;
}
)";

Scenario java_shop_with(const std::string& sessions) {
  return scenario_of(std::string(kShopReading) + sessions);
}

std::shared_ptr<JavaMachine> shop_machine() {
  static const CompiledJava compiled("Shop", kJavaShop);
  static const std::shared_ptr<JavaMachine> machine =
      must(JavaMachine::open(compiled.folder(), {}, JavaDriver::mariadb));
  return machine;
}

class ProgramItselfOnMariadb : public testing::Test {
 protected:
  static std::unique_ptr<Runner> gated(const Scenario& scenario,
                                       std::uint32_t step_timeout_ms = 30'000) {
    return must(Runner::create(
        scenario, shared_mariadb(),
        {.level = {}, .step_timeout_ms = step_timeout_ms, .program = shop_machine()}));
  }

  static std::string ends_of(const heddle::Run& run) {
    std::vector<std::string> texts;
    for (const StepRecord& record : run.records) {
      if (record.call_end) texts.push_back(reply_text(*record.call_end));
    }
    return join(texts, " ");
  }

  static std::string items_of(const heddle::Run& run) {
    return run.tables.empty() ? run.trouble : rows_text(run.tables.at(0).rows);
  }

  // Of a program that is not what was read of it.
  static std::string trouble_of(const std::string& method, std::uint32_t step_timeout_ms = 30'000) {
    const Scenario scenario =
        java_shop_with("session s1 call { sell(1, 10) } method { Shop." + method + " }\n");
    const auto runner = gated(scenario, step_timeout_ms);
    const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3");
    EXPECT_NE(run.end, RunEnd::complete);
    return run.trouble;
  }
};

constexpr const char* kTwoSell =
    "session s1 call { sell(1, 10) } method { Shop.sell(int, int) }\n"
    "session s2 call { sell(1, 20) } method { Shop.sell(int, int) }\n";

TEST_F(ProgramItselfOnMariadb, loses_an_update_as_often_as_it_is_asked_to) {
  const Scenario scenario = java_shop_with(kTwoSell);
  const auto runner = gated(scenario);
  Judge judge(scenario, *runner);
  for (int i = 0; i < 10; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s1_3 s2_2 s2_3");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    EXPECT_EQ(items_of(run), "(1, cup, 80) (2, jug, 100)");
    EXPECT_EQ(ends_of(run), "(1) (1)");
    EXPECT_TRUE(must(judge.judge(run, Unit::session)).anomalous);
  }
  const auto serial = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s2_1 s2_2 s2_3");
  EXPECT_EQ(items_of(serial), "(1, cup, 70) (2, jug, 100)");
  EXPECT_FALSE(must(judge.judge(serial, Unit::session)).anomalous);
}

// A driver puts limits of time before a statement and those of rows before and behind it.
TEST_F(ProgramItselfOnMariadb, says_its_own_begin_and_its_limits) {
  const Scenario scenario = java_shop_with(
      "session s1 call { sell(1, 10) } method { Shop.sellByText(int, int) }\n"
      "session s2 call { sell(1, 20) } method { Shop.sellByText(int, int) }\n");
  const auto runner = gated(scenario);
  for (int i = 0; i < 5; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s1_3 s2_2 s2_3");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    EXPECT_EQ(items_of(run), "(1, cup, 80) (2, jug, 100)");
  }
}

TEST_F(ProgramItselfOnMariadb, waits_where_it_locks) {
  const Scenario scenario = java_shop_with(
      "session s1 call { sell_locked(1, 10) } method { Shop.sellLocked(int, int) }\n"
      "session s2 call { sell_locked(1, 20) } method { Shop.sellLocked(int, int) }\n");
  const auto runner = gated(scenario);
  for (int i = 0; i < 3; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s1_3 s2_2 s2_3");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    EXPECT_THAT(text_of(scenario, run), HasSubstr("s2_1 waits for s1: "));
    EXPECT_EQ(items_of(run), "(1, cup, 70) (2, jug, 100)");
  }
}

TEST_F(ProgramItselfOnMariadb, runs_into_deadlocks) {
  const Scenario scenario = java_shop_with(
      "session s1 call { move(1, 2, 10) } method { Shop.move(int, int, int) }\n"
      "session s2 call { move(2, 1, 5) } method { Shop.move(int, int, int) }\n");
  const auto runner = gated(scenario);
  for (int i = 0; i < 3; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s2_2 s1_3 s2_3");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    EXPECT_EQ(run.aborted.size(), 1U);
    EXPECT_THAT(text_of(scenario, run), HasSubstr("deadlock"));
    EXPECT_THAT(items_of(run),
                testing::AnyOf("(1, cup, 90) (2, jug, 110)", "(1, cup, 105) (2, jug, 95)"));
  }
}

TEST_F(ProgramItselfOnMariadb, rolls_back_what_it_throws) {
  const Scenario scenario =
      java_shop_with("session s1 call { refuse(1) } method { Shop.refuse(int) }\n");
  const auto run = run_schedule(*gated(scenario), scenario, "s1_1 s1_2");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(items_of(run), "(1, cup, 100) (2, jug, 100)");
}

// The driver of MariaDB counts rows that a condition matched, whether they changed or not.
TEST_F(ProgramItselfOnMariadb, counts_what_it_matched) {
  const Scenario alone =
      java_shop_with("session s1 call { sell(1, 0) } method { Shop.sell(int, int) }\n");
  const auto run = run_schedule(*gated(alone), alone, "s1_1 s1_2 s1_3");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(ends_of(run), "(1)");
}

TEST_F(ProgramItselfOnMariadb, ends_its_transactions_itself) {
  const Scenario scenario = java_shop_with(
      "session s1 call { sell_alone(1) } method { Shop.sellAlone(DataSource, int) }\n");
  const auto run = run_schedule(*gated(scenario), scenario, "s1_1 s1_2 s1_3 s1_4");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(items_of(run), "(1, cup, 97) (2, jug, 100)");
}

TEST_F(ProgramItselfOnMariadb, gets_the_keys_that_were_generated) {
  const Scenario scenario =
      java_shop_with(R"(session s1 call { add('it''s "\_" é') } method { Shop.add(String) })");
  const auto runner = gated(scenario);
  for (int i = 0; i < 2; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s1_2");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    EXPECT_EQ(ends_of(run), "(3)");
    EXPECT_EQ(items_of(run), R"((1, cup, 100) (2, jug, 100) (3, it's "\_" é, 0))");
  }
}

TEST_F(ProgramItselfOnMariadb, hears_of_errors_by_their_numbers) {
  const Scenario scenario =
      java_shop_with("session s1 call { add_again(2) } method { Shop.addAgain(int) }\n");
  const auto run = run_schedule(*gated(scenario), scenario, "s1_1 s1_2");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(ends_of(run), "(23000 1062)");
  EXPECT_EQ(items_of(run), "(1, cup, 100) (2, jug, 100)");
}

TEST_F(ProgramItselfOnMariadb, says_what_only_mysql_says) {
  const Scenario scenario = java_shop_with(
      "session s1 call { count('a') } method { Shop.count(String) }\n"
      "session s2 call { count('a') } method { Shop.count(String) }\n");
  const auto run = run_schedule(*gated(scenario), scenario, "s1_1 s1_2 s2_1 s2_2");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(rows_text(run.tables.at(1).rows), "(a, 2)");
}

// The driver sends all of a batch at once.
TEST_F(ProgramItselfOnMariadb, is_held_within_a_batch) {
  const Scenario scenario = java_shop_with(
      "session s1 call { open('{1,2}') } method { Shop.open(int[]) } steps 3\n"
      "session s2 call { sell(2, 10) } method { Shop.sell(int, int) }\n");
  const auto run = run_schedule(*gated(scenario), scenario, "s1_1 s2_1 s2_2 s2_3 s1_2 s1_3");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(items_of(run), "(1, cup, 0) (2, jug, 0)");
}

TEST_F(ProgramItselfOnMariadb, is_watched_like_any_other_session) {
  const Scenario scenario = java_shop_with(kTwoSell);
  const auto runner = gated(scenario);
  const Schedule schedule = schedule_from(scenario, "s1_1 s2_1 s1_2 s1_3 s2_2 s2_3");
  const ObservedRun observed =
      must(runner->run_observed(scripts_from(scenario, schedule), follow(scenario, schedule)));
  ASSERT_EQ(observed.run.end, RunEnd::complete) << observed.run.trouble;
  EXPECT_EQ(observed.history.transactions.size(), 2U);
}

// The canaries: what is not what was read must be told, with the line of the program.
TEST_F(ProgramItselfOnMariadb, that_sends_another_value_is_told) {
  EXPECT_THAT(trouble_of("sellLess(int, int)"),
              HasSubstr("the program executes UPDATE `item` SET `stock` = 91 WHERE `id` = 1 at "
                        "Shop.java:"));
}

TEST_F(ProgramItselfOnMariadb, that_sends_less_is_told) {
  EXPECT_THAT(trouble_of("sellNothing(int, int)"),
              HasSubstr("the program executes COMMIT where UPDATE item SET stock = 90"));
}

TEST_F(ProgramItselfOnMariadb, that_sends_more_is_told) {
  EXPECT_THAT(trouble_of("sellAndMore(int, int)"),
              HasSubstr("the program executes UPDATE item SET stock = stock + 1 WHERE id = 2 at "
                        "Shop.java:"));
}

TEST_F(ProgramItselfOnMariadb, that_returns_something_else_is_told) {
  EXPECT_THAT(trouble_of("sellOr(int, int)"), HasSubstr("returns 7 where 1 was expected"));
}

TEST_F(ProgramItselfOnMariadb, goes_on_after_a_run_that_was_given_up) {
  EXPECT_THAT(trouble_of("sellLess(int, int)"), HasSubstr("was expected"));
  const Scenario scenario = java_shop_with(kTwoSell);
  const auto run = run_schedule(*gated(scenario), scenario, "s1_1 s1_2 s1_3 s2_1 s2_2 s2_3");
  EXPECT_EQ(items_of(run), "(1, cup, 70) (2, jug, 100)");
}

}  // namespace
}  // namespace heddle
