// Sessions in which a compiled program itself runs, on the replicated store: PostgreSQL's driver
// speaks to heddle, what it sends is held until its step, and it meets copies that differ.
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

constexpr const char* kJavaStock = R"java(
import java.math.BigDecimal;
import java.sql.*;
import javax.sql.DataSource;

public class Stock {
  private final Connection connection;

  public Stock(Connection connection) {
    this.connection = connection;
  }

  private int left(int id) throws SQLException {
    PreparedStatement select = connection.prepareStatement("SELECT n FROM stock WHERE id = ?");
    select.setInt(1, id);
    ResultSet rows = select.executeQuery();
    rows.next();
    return rows.getInt("n");
  }

  private int set(int id, int n) throws SQLException {
    PreparedStatement update = connection.prepareStatement("UPDATE stock SET n = ? WHERE id = ?");
    update.setInt(1, n);
    update.setInt(2, id);
    return update.executeUpdate();
  }

  private void change(int id, int by) throws SQLException {
    PreparedStatement update =
        connection.prepareStatement("UPDATE stock SET n = n + ? WHERE id = ?");
    update.setInt(1, by);
    update.setInt(2, id);
    update.executeUpdate();
  }

  public int sell(int id, int count) throws SQLException {
    int rest = left(id) - count;
    set(id, rest);
    return rest;
  }

  public int sellLess(int id, int count) throws SQLException {
    return set(id, left(id) - count + 1);
  }

  public int sellAndMore(int id, int count) throws SQLException {
    int rest = sell(id, count);
    change(2, 1);
    return rest;
  }

  public int sellSerializably(int id, int count) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    return sell(id, count);
  }

  public int sellUncommitted(int id, int count) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
    return sell(id, count);
  }

  public static void sellAlone(DataSource source, int id) throws SQLException {
    try (Connection opened = source.getConnection()) {
      Stock stock = new Stock(opened);
      stock.change(id, -1);
      stock.change(id, -2);
    }
  }

  public static void sellAlmostAlone(Connection given, int id) throws SQLException {
    given.setAutoCommit(true);
    Stock stock = new Stock(given);
    stock.change(id, -1);
    given.setAutoCommit(false);
    stock.change(id, -2);
    given.commit();
  }

  public int add(int n) throws SQLException {
    PreparedStatement insert = connection.prepareStatement(
        "INSERT INTO stock (n) VALUES (?)", Statement.RETURN_GENERATED_KEYS);
    insert.setInt(1, n);
    insert.executeUpdate();
    ResultSet keys = insert.getGeneratedKeys();
    keys.next();
    return keys.getInt(1);
  }

  public String addAgain(int id) throws SQLException {
    Savepoint before = connection.setSavepoint();
    try {
      PreparedStatement insert = connection.prepareStatement("INSERT INTO stock VALUES (?, 7)");
      insert.setInt(1, id);
      insert.executeUpdate();
    } catch (SQLException e) {
      connection.rollback(before);
      return e.getSQLState();
    }
    return "added";
  }

  public void open(int[] ids) throws SQLException {
    PreparedStatement insert = connection.prepareStatement("INSERT INTO stock VALUES (?, 0)");
    for (int id : ids) {
      insert.setInt(1, id);
      insert.addBatch();
    }
    insert.executeBatch();
  }

  // Whatever the store gives comes back as it was put in.
  public String keep(int id, long big, BigDecimal price, String name, boolean open, Timestamp since)
      throws SQLException {
    PreparedStatement insert =
        connection.prepareStatement("INSERT INTO thing VALUES (?, ?, ?, ?, ?, ?, ?)");
    insert.setInt(1, id);
    insert.setLong(2, big);
    insert.setBigDecimal(3, price);
    insert.setString(4, name);
    insert.setBoolean(5, open);
    insert.setTimestamp(6, since);
    insert.setNull(7, Types.VARCHAR);
    insert.executeUpdate();
    PreparedStatement select = connection.prepareStatement(
        "SELECT big, price, name, open, since, note FROM thing WHERE id = ?");
    select.setInt(1, id);
    ResultSet rows = select.executeQuery();
    rows.next();
    boolean isSame = rows.getLong("big") == big && rows.getBigDecimal("price").equals(price)
        && rows.getString("name").equals(name) && rows.getBoolean("open") == open
        && rows.getTimestamp("since").equals(since) && rows.getString("note") == null
        && rows.wasNull() && rows.getObject("big") instanceof Long
        && rows.getObject("price") instanceof BigDecimal
        && rows.getObject("open") instanceof Boolean
        && rows.getObject("since") instanceof Timestamp;
    return isSame ? "same" : "other";
  }

  public long sum(int times) throws SQLException {
    PreparedStatement select = connection.prepareStatement("SELECT sum(n) AS s FROM stock");
    long all = 0;
    for (int i = 0; i < times; i++) {
      ResultSet rows = select.executeQuery();
      rows.next();
      all += rows.getLong("s");
    }
    return all;
  }

  public int look(int id) throws SQLException {
    connection.setReadOnly(true);
    return connection.isValid(5) ? left(id) : -1;
  }
}
)java";

// What heddle reads of it.
constexpr std::string_view kStockReading = R"(
setup {
CREATE TABLE stock (id serial PRIMARY KEY, n int NOT NULL);
CREATE TABLE thing (id int PRIMARY KEY, big bigint, price numeric(8,2), name varchar(40),
  open boolean, since timestamp, note text);
INSERT INTO stock (n) VALUES (100), (100);
}
program {
CREATE FUNCTION sell(which integer, how_many integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  there integer; rest integer;
BEGIN
  SELECT n INTO there FROM stock WHERE id = which;
  rest := there - how_many;
  UPDATE stock SET n = rest WHERE id = which;
  RETURN rest;
END
$$;
CREATE FUNCTION sell_serializably(which integer, how_many integer) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  there integer; rest integer;
BEGIN
  SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
  SELECT n INTO there FROM stock WHERE id = which;
  rest := there - how_many;
  UPDATE stock SET n = rest WHERE id = which;
  RETURN rest;
END
$$;
CREATE PROCEDURE sell_alone(which integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stock SET n = n + -1 WHERE id = which;
  COMMIT;
  UPDATE stock SET n = n + -2 WHERE id = which;
  COMMIT;
END
$$;
CREATE FUNCTION add(how_many integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  made record;
BEGIN
  INSERT INTO stock (n) VALUES (how_many) RETURNING * INTO made;
  RETURN made.id;
END
$$;
CREATE FUNCTION add_again(which integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  SAVEPOINT jdbc_savepoint_1;
  BEGIN
    INSERT INTO stock VALUES (which, 7);
  EXCEPTION WHEN unique_violation THEN
    ROLLBACK TO SAVEPOINT jdbc_savepoint_1;
    RETURN '23505';
  END;
  RETURN 'added';
END
$$;
CREATE PROCEDURE open(ids integer[]) LANGUAGE plpgsql AS $$
DECLARE
  one integer;
BEGIN
  FOREACH one IN ARRAY ids LOOP
    INSERT INTO stock VALUES (one, 0);
  END LOOP;
END
$$;
CREATE FUNCTION keep(which integer, large bigint, cost numeric, title text, truth boolean,
  moment timestamp) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  found record;
BEGIN
  INSERT INTO thing VALUES (which, large, cost, title, truth, moment, NULL);
  SELECT big, price, name, open, since, note INTO found FROM thing WHERE id = which;
  RETURN 'same';
END
$$;
CREATE FUNCTION sum(times integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  total bigint := 0; one bigint;
BEGIN
  FOR i IN 1 .. times LOOP
    SELECT sum(n) AS s INTO one FROM stock;
    total := total + one;
  END LOOP;
  RETURN total;
END
$$;
CREATE FUNCTION look(which integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  there integer;
BEGIN
  SELECT n INTO there FROM stock WHERE id = which;
  RETURN there;
END
$$;
}
)";

class ProgramItselfOnReplicas : public testing::Test {
 protected:
  static Scenario with(const std::string& sessions) {
    return scenario_of(std::string(kStockReading) + sessions);
  }

  static std::unique_ptr<Runner> gated(const Scenario& scenario,
                                       std::optional<IsolationLevel> level = {}) {
    static const CompiledJava compiled("Stock", kJavaStock);
    static const std::shared_ptr<JavaMachine> machine = must(JavaMachine::open(compiled.folder()));
    static const std::shared_ptr<StoreServer> server = must(open_server({"replicated"}));
    return must(Runner::create(scenario, *server,
                               {.level = level, .step_timeout_ms = 30'000, .program = machine}));
  }

  static std::string ends_of(const heddle::Run& run) {
    std::vector<std::string> texts;
    for (const StepRecord& record : run.records) {
      if (record.call_end) texts.push_back(reply_text(*record.call_end));
    }
    return join(texts, " ");
  }

  static std::string stock_of(const heddle::Run& run) {
    return run.tables.empty() ? run.trouble : rows_text(run.tables.at(0).rows);
  }

  // Of a program that is not what was read of it.
  static std::string trouble_of(const std::string& method) {
    const Scenario scenario =
        with("session s1 call { sell(1, 10) } method { Stock." + method + "(int, int) }\n");
    const auto run = run_schedule(*gated(scenario), scenario, "s1_1 s1_2 s1_3");
    EXPECT_NE(run.end, RunEnd::complete);
    return run.trouble;
  }
};

constexpr const char* kTwoSales =
    "session s1 call { sell(1, 10) } method { Stock.sell(int, int) }\n"
    "session s2 call { sell(1, 20) } method { Stock.sell(int, int) }\n";

TEST_F(ProgramItselfOnReplicas, loses_an_update_as_often_as_it_is_asked_to) {
  const Scenario scenario = with(kTwoSales);
  const auto runner = gated(scenario);
  Judge judge(scenario, *runner);
  for (int i = 0; i < 10; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s1_3 s2_2 s2_3");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    EXPECT_EQ(stock_of(run), "(1, 80) (2, 100)");
    EXPECT_EQ(ends_of(run), "(90) (80)");
    EXPECT_TRUE(must(judge.judge(run, Unit::session)).anomalous);
  }
  const auto serial = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s2_1 s2_2 s2_3");
  EXPECT_EQ(stock_of(serial), "(1, 70) (2, 100)");
  EXPECT_FALSE(must(judge.judge(serial, Unit::session)).anomalous);
}

// One after the other, and all the same neither sees the other.
TEST_F(ProgramItselfOnReplicas, meets_a_copy_that_has_not_heard_of_the_other) {
  const Scenario scenario = with(std::string(kTwoSales) +
                                 "session network step part { DELIVERY MANUAL; } "
                                 "step away { MOVE SESSION s2 TO r2; }\n");
  const auto runner = gated(scenario);
  Judge judge(scenario, *runner);
  const auto run = run_schedule(*runner, scenario, "part s1_1 s1_2 s1_3 away s2_1 s2_2 s2_3");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(stock_of(run), "(1, 80) (2, 100)");
  EXPECT_TRUE(must(judge.judge(run, Unit::session)).anomalous);
}

TEST_F(ProgramItselfOnReplicas, is_refused_what_its_level_refuses) {
  for (const bool is_own : {true, false}) {
    const std::string call = is_own ? "sell_serializably" : "sell";
    const std::string method = is_own ? "sellSerializably" : "sell";
    const Scenario scenario = with("session s1 call { " + call + "(1, 10) } method { Stock." +
                                   method + "(int, int) } steps 3\nsession s2 call { " + call +
                                   "(1, 20) } method { Stock." + method + "(int, int) } steps 3\n");
    const auto level = is_own ? IsolationLevel::eventual : IsolationLevel::serializable;
    const auto runner = gated(scenario, level);
    for (int i = 0; i < 2; ++i) {
      const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s2_2 s1_3 s2_3");
      ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
      EXPECT_EQ(run.aborted.size(), 1U);
      EXPECT_THAT(text_of(scenario, run), HasSubstr("serialization-failure"));
      EXPECT_EQ(stock_of(run), "(1, 90) (2, 100)");
    }
  }
}

TEST_F(ProgramItselfOnReplicas, ends_its_transactions_itself) {
  for (const char* method : {"sellAlone(DataSource, int)", "sellAlmostAlone(Connection, int)"}) {
    const Scenario scenario =
        with(std::string("session s1 call { sell_alone(1) } method { Stock.") + method + " }\n");
    const auto run = run_schedule(*gated(scenario), scenario, "s1_1 s1_2 s1_3 s1_4");
    EXPECT_EQ(text_of(scenario, run),
              "s1_1: BEGIN; UPDATE 1\ns1_2: COMMIT\ns1_3: BEGIN; UPDATE 1\ns1_4: COMMIT\n"
              "stock (1, 97) (2, 100)\nthing no rows\n")
        << method << run.trouble;
  }
}

TEST_F(ProgramItselfOnReplicas, gets_keys_and_hears_of_errors) {
  const Scenario scenario = with(
      "session s1 call { add(7) } method { Stock.add(int) }\n"
      "session s2 call { add_again(2) } method { Stock.addAgain(int) } steps 4\n");
  const auto runner = gated(scenario);
  for (int i = 0; i < 2; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s2_1 s2_2 s2_3 s2_4");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    EXPECT_EQ(ends_of(run), "(3) (23505)");
    EXPECT_EQ(stock_of(run), "(1, 100) (2, 100) (3, 7)");
  }
}

TEST_F(ProgramItselfOnReplicas, is_held_within_a_batch) {
  const Scenario scenario = with(
      "session s1 call { open('{5,6}') } method { Stock.open(int[]) } steps 3\n"
      "session s2 call { sell(1, 10) } method { Stock.sell(int, int) }\n");
  const auto run = run_schedule(*gated(scenario), scenario, "s1_1 s2_1 s2_2 s2_3 s1_2 s1_3");
  EXPECT_EQ(text_of(scenario, run),
            "s1_1: BEGIN; INSERT 0 1\ns2_1: BEGIN; (100)\ns2_2: UPDATE 1\ns2_3: COMMIT\n"
            "s1_2: INSERT 0 1\ns1_3: COMMIT\n"
            "stock (1, 90) (2, 100) (5, 0) (6, 0)\nthing no rows\n")
      << run.trouble;
}

TEST_F(ProgramItselfOnReplicas, hears_of_an_error_within_a_batch) {
  const Scenario scenario =
      with("session s1 call { open('{5,1,6}') } method { Stock.open(int[]) } steps 4\n");
  const auto runner = gated(scenario);
  for (int i = 0; i < 2; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s1_4");
    EXPECT_THAT(text_of(scenario, run), HasSubstr("ERROR 23505")) << run.trouble;
    EXPECT_EQ(stock_of(run), "(1, 100) (2, 100)");
  }
}

TEST_F(ProgramItselfOnReplicas, keeps_values_of_many_types) {
  const Scenario scenario = with(
      "session s1 call { keep(1, 5000000000, 12.50, 'it''s \"é\"', true, "
      "'2026-01-31 10:20:30.5') }\n"
      " method { Stock.keep(int, long, BigDecimal, String, boolean, Timestamp) }\n"
      "session s2 call { keep(2, -1, -0.05, '', false, '1999-12-31 23:59:59') }\n"
      " method { Stock.keep(int, long, BigDecimal, String, boolean, Timestamp) }\n");
  const auto run = run_schedule(*gated(scenario), scenario, "s1_1 s1_2 s1_3 s2_1 s2_2 s2_3");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(ends_of(run), "(same) (same)");
  EXPECT_EQ(rows_text(run.tables.at(1).rows),
            "(1, 5000000000, 12.50, it's \"é\", 1, 2026-01-31 10:20:30.5, NULL) "
            "(2, -1, -0.05, , 0, 1999-12-31 23:59:59, NULL)");
}

// The driver prepares a statement on the server when it has executed it often.
TEST_F(ProgramItselfOnReplicas, executes_a_statement_often) {
  const Scenario scenario = with("session s1 call { sum(12) } method { Stock.sum(int) } steps 1\n");
  const auto runner = gated(scenario);
  for (int i = 0; i < 2; ++i) {
    const auto run = run_schedule(*runner, scenario, "s1_1");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    EXPECT_EQ(ends_of(run), "(2400)");
  }
}

TEST_F(ProgramItselfOnReplicas, reads_only) {
  const Scenario scenario = with("session s1 call { look(1) } method { Stock.look(int) }\n");
  const auto run = run_schedule(*gated(scenario), scenario, "s1_1 s1_2");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(ends_of(run), "(100)");
}

TEST_F(ProgramItselfOnReplicas, is_watched_like_any_other_session) {
  const Scenario scenario = with(kTwoSales);
  const auto runner = gated(scenario);
  const Schedule schedule = schedule_from(scenario, "s1_1 s2_1 s1_2 s1_3 s2_2 s2_3");
  const ObservedRun observed =
      must(runner->run_observed(scripts_from(scenario, schedule), follow(scenario, schedule)));
  ASSERT_EQ(observed.run.end, RunEnd::complete) << observed.run.trouble;
  EXPECT_EQ(observed.history.transactions.size(), 2U);
}

// The canaries: what is not what was read must be told, with the line of the program.
TEST_F(ProgramItselfOnReplicas, that_sends_another_value_is_told) {
  EXPECT_THAT(trouble_of("sellLess"),
              HasSubstr("the program executes UPDATE stock SET n = $1 WHERE id = $2 ($1 = 91, "
                        "$2 = 1) at Stock.java:"));
}

TEST_F(ProgramItselfOnReplicas, that_sends_more_is_told) {
  EXPECT_THAT(trouble_of("sellAndMore"),
              HasSubstr("the program executes UPDATE stock SET n = n + $1 WHERE id = $2 ($1 = 1, "
                        "$2 = 2) at Stock.java:"));
}

TEST_F(ProgramItselfOnReplicas, that_wants_a_level_that_is_not_there_is_told) {
  EXPECT_THAT(trouble_of("sellUncommitted"),
              HasSubstr("throws org.postgresql.util.PSQLException: ERROR: the replicated store has "
                        "no level read uncommitted"));
}

TEST_F(ProgramItselfOnReplicas, goes_on_after_a_run_that_was_given_up) {
  const Scenario scenario = with(
      "session s1 call { sell(1, 10) } method { Stock.sellLess(int, int) }\n"
      "session s2 call { sell(1, 10) } method { Stock.sell(int, int) }\n");
  const auto runner = gated(scenario);
  const auto failed = run_schedule(*runner, scenario, "s2_1 s1_1 s1_2 s1_3 s2_2 s2_3");
  EXPECT_NE(failed.end, RunEnd::complete);
  const auto run = run_schedule(*runner, scenario, "s2_1 s2_2 s2_3");
  ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
  EXPECT_EQ(stock_of(run), "(1, 90) (2, 100)");
}

}  // namespace
}  // namespace heddle
