// Programs whose anomalies are made to happen on a real PostgreSQL.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/replay.h"

namespace heddle {

namespace {

FindReport execute_sql(const std::string& sql, const std::string& level,
                       const FindOptions& given = {}, const std::string& store = "postgres") {
  const Result<Program> program = parse_program({{"p.sql", sql}});
  if (!program) {
    ADD_FAILURE() << to_string(program.error());
    return {};
  }
  FindOptions options = given;
  options.level = find_isolation_level(level);
  Result<FindReport> report = find_anomalies(*program, options);
  ExecuteOptions execution;
  execution.on.texts = {store};
  const Result<void> executed = execute_findings(*program, options, execution, *report);
  EXPECT_TRUE(executed) << to_string(executed.error());
  return std::move(*report);
}

// "lost update: confirmed internal", of each cause.
std::vector<std::string> outcomes(const FindReport& report) {
  std::vector<std::string> texts;
  for (const FoundCause& cause : report.causes) {
    const FoundExecution& execution = *cause.execution;
    std::string text = std::string(definition(cause.kind).name) + ": ";
    text += to_string(execution.status);
    if (execution.finding) text += " " + std::string(to_string(execution.finding->effect));
    texts.push_back(std::move(text));
  }
  return texts;
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

constexpr const char* kWithdraw = R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE withdraw(which int, amount int) LANGUAGE plpgsql AS $$
DECLARE available int;
BEGIN
  SELECT balance INTO available FROM account WHERE id = which;
  IF available < amount THEN RETURN; END IF;
  UPDATE account SET balance = available - amount WHERE id = which;
END $$;
)";

TEST(Execute, a_lost_update_loses_an_update) {
  const FindReport report = execute_sql(kWithdraw, "postgres:read-committed");
  ASSERT_EQ(outcomes(report), std::vector<std::string>{"lost update: confirmed internal"});
  const Finding& finding = *report.causes[0].execution->finding;
  EXPECT_EQ(finding.status, FindingStatus::confirmed);
  EXPECT_FALSE(finding.serial.empty());
  // One of them runs as a whole between the other's read and its write.
  EXPECT_EQ(count_switches(finding.scenario, finding.schedule), 2U);
}

// What is read decides by how much: of most numbers it makes no difference.
constexpr const char* kCheque = R"(
CREATE TABLE savings (id int PRIMARY KEY, balance numeric(10, 2) NOT NULL);
CREATE TABLE checking (id int PRIMARY KEY, balance numeric(10, 2) NOT NULL);
CREATE PROCEDURE write_cheque(who int, amount numeric(10, 2)) LANGUAGE plpgsql AS $$
DECLARE saved numeric(10, 2); there numeric(10, 2);
BEGIN
  SELECT balance INTO saved FROM savings WHERE id = who;
  SELECT balance INTO there FROM checking WHERE id = who;
  IF saved + there < amount THEN
    UPDATE checking SET balance = balance - (amount + 1) WHERE id = who;
  ELSE
    UPDATE checking SET balance = balance - amount WHERE id = who;
  END IF;
END $$;
)";

TEST(Execute, asks_for_a_run_in_which_what_was_read_decides) {
  const FindReport report = execute_sql(kCheque, "postgres:read-committed");
  std::size_t lost = 0;
  for (const FoundCause& cause : report.causes) {
    if (cause.kind != AnomalyKind::lost_update) continue;
    ++lost;
    ASSERT_TRUE(cause.execution->finding) << cause.execution->reason;
    EXPECT_EQ(cause.execution->finding->effect, Effect::internal);
  }
  EXPECT_GT(lost, 0U);
}

constexpr const char* kPut = R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE put(which int, amount int) LANGUAGE plpgsql AS $$
DECLARE available int;
BEGIN
  SELECT balance INTO available FROM account WHERE id = which;
  IF available < amount THEN RETURN; END IF;
  INSERT INTO account (id, balance) VALUES (which, available - amount)
    ON CONFLICT (id) DO UPDATE SET balance = excluded.balance;
END $$;
)";

TEST(Execute, an_upsert_loses_an_update) {
  const FindReport report = execute_sql(kPut, "postgres:read-committed");
  EXPECT_TRUE(has(outcomes(report), "lost update: confirmed internal"));
}

constexpr const char* kSign = R"(
CREATE TABLE account (id int PRIMARY KEY, mail text NOT NULL UNIQUE, credits int NOT NULL);
CREATE PROCEDURE sign(p_id int, p_mail text) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account (id, mail, credits) VALUES (p_id, p_mail, 1)
  ON CONFLICT (mail) DO UPDATE SET credits = account.credits + 1;
END $$;
CREATE PROCEDURE spend(p_id int, n int) LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT credits INTO v FROM account WHERE id = p_id;
  UPDATE account SET credits = v - n WHERE id = p_id;
END $$;
)";

// The row in its way is not the one with the primary key that it gives.
TEST(Execute, an_upsert_by_another_key_loses_an_update) {
  const FindReport report = execute_sql(kSign, "postgres:read-committed");
  const auto lost = std::ranges::find_if(report.causes, [](const FoundCause& cause) {
    return cause.kind == AnomalyKind::lost_update &&
           cause.cores.front().nodes.front().functionality !=
               cause.cores.front().nodes.back().functionality;
  });
  ASSERT_NE(lost, report.causes.end());
  EXPECT_EQ(lost->execution->status, FindingStatus::confirmed) << lost->execution->reason;
}

constexpr const char* kCopy = R"(
CREATE TABLE t (id int PRIMARY KEY, x int NOT NULL, y int NOT NULL);
CREATE PROCEDURE set_both(v int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE t SET x = v WHERE id = 1;
  UPDATE t SET x = v WHERE id = 2;
END $$;
CREATE PROCEDURE copy() LANGUAGE plpgsql AS $$
BEGIN
  UPDATE t SET y = x WHERE x > 1;
END $$;
)";

// copy() waits for the row that matched when it began, and passes over the one that matches only
// when it goes on.
TEST(Execute, an_update_that_waited_passes_over_rows_that_match_since_then) {
  const FindReport report = execute_sql(kCopy, "postgres:read-committed");
  EXPECT_TRUE(has(outcomes(report), "read skew: confirmed internal"));
}

TEST(Execute, an_update_of_a_later_snapshot_passes_over_none) {
  EXPECT_TRUE(execute_sql(kCopy, "postgres:repeatable-read").causes.empty());
}

// Runs that do no harm show nothing where one of the statements may do anything.
TEST(Execute, what_calls_the_unknown_is_not_refuted) {
  const FindReport report = execute_sql(R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE withdraw(which int, amount int) LANGUAGE plpgsql AS $$
DECLARE available int;
BEGIN
  SELECT balance INTO available FROM account WHERE id = which;
  PERFORM book(which, available - amount);
END $$;
)",
                                        "postgres:read-committed");
  ASSERT_FALSE(report.causes.empty());
  for (const FoundCause& cause : report.causes) {
    EXPECT_EQ(cause.execution->status, FindingStatus::not_shown);
    EXPECT_NE(cause.execution->reason.find("what this does is not known: SELECT book"),
              std::string::npos)
        << cause.execution->reason;
  }
}

TEST(Execute, what_was_found_happens_again) {
  const FindReport report = execute_sql(kWithdraw, "postgres:read-committed");
  ASSERT_EQ(report.causes.size(), 1U);
  const std::string json = to_json(*report.causes[0].execution->finding);
  const Result<Finding> read = parse_finding(json, "found.json");
  ASSERT_TRUE(read) << to_string(read.error());
  ReplayOptions options;
  options.on.texts = {"postgres"};
  const Result<ReplayReport> replayed = replay_finding(*read, options);
  ASSERT_TRUE(replayed) << to_string(replayed.error());
  EXPECT_EQ(replayed->confirmed, 10U);
}

TEST(Execute, a_lost_update_is_no_longer_found_where_the_second_writer_fails) {
  EXPECT_TRUE(execute_sql(kWithdraw, "postgres:repeatable-read").causes.empty());
}

// Rows that refer to rows of their own table, in two ways: some refer to none.
TEST(Execute, chains_of_references_end) {
  const FindReport report = execute_sql(R"(
CREATE TABLE post (id int PRIMARY KEY, parent int REFERENCES post (id),
                   accepted int REFERENCES post (id), n int NOT NULL);
CREATE PROCEDURE bump(p int) LANGUAGE plpgsql AS $$
DECLARE v int; q int;
BEGIN
  SELECT n, parent INTO v, q FROM post WHERE id = p;
  UPDATE post SET n = v + 1 WHERE id = q;
END $$;
)",
                                        "postgres:read-committed");
  ASSERT_FALSE(report.causes.empty());
  bool any_confirmed = false;
  for (const FoundCause& cause : report.causes) {
    EXPECT_EQ(cause.execution->reason.find("setup failed"), std::string::npos)
        << cause.execution->reason;
    any_confirmed = any_confirmed || cause.execution->status == FindingStatus::confirmed;
  }
  EXPECT_TRUE(any_confirmed);
}

TEST(Execute, write_skew_needs_two_rows) {
  const FindReport report = execute_sql(R"(
CREATE TABLE doctor (name text PRIMARY KEY, ward int NOT NULL, on_call boolean NOT NULL);
CREATE PROCEDURE leave(who text, which int) LANGUAGE plpgsql AS $$
DECLARE others int;
BEGIN
  SELECT count(*) INTO others FROM doctor WHERE ward = which AND on_call;
  IF others >= 2 THEN
    UPDATE doctor SET on_call = false WHERE name = who;
  END IF;
END $$;)",
                                        "postgres:repeatable-read");
  EXPECT_TRUE(has(outcomes(report), "write skew: confirmed internal") ||
              has(outcomes(report), "phantom: confirmed internal"))
      << ::testing::PrintToString(outcomes(report));
}

TEST(Execute, a_limit_is_exceeded_by_rows_that_nobody_had_seen) {
  const FindReport report = execute_sql(R"(
CREATE TABLE vote (id serial PRIMARY KEY, phone int NOT NULL);
CREATE PROCEDURE vote(caller int, most int) LANGUAGE plpgsql AS $$
DECLARE votes int;
BEGIN
  SELECT count(*) INTO votes FROM vote WHERE phone = caller;
  IF votes < most THEN INSERT INTO vote (phone) VALUES (caller); END IF;
END $$;)",
                                        "postgres:read-committed");
  ASSERT_EQ(report.causes.size(), 1U);
  EXPECT_EQ(report.causes[0].execution->status, FindingStatus::confirmed)
      << report.causes[0].execution->reason;
}

TEST(Execute, arrays_and_loops_take_the_way_that_the_formula_says) {
  const FindReport report = execute_sql(R"(
CREATE TABLE customer (id int PRIMARY KEY, name text NOT NULL, balance int NOT NULL);
CREATE PROCEDURE pay(called text, amount int) LANGUAGE plpgsql AS $$
DECLARE
  found_ids int[];
  one record;
  which int;
  before int;
BEGIN
  found_ids := '{}'::int[];
  FOR one IN SELECT id FROM customer WHERE name = called ORDER BY id LOOP
    found_ids := array_append(found_ids, one.id);
  END LOOP;
  IF cardinality(found_ids) = 0 THEN RAISE EXCEPTION 'nobody'; END IF;
  which := found_ids[(cardinality(found_ids) - 1) / 2 + 1];
  SELECT balance INTO before FROM customer WHERE id = which;
  UPDATE customer SET balance = before - amount WHERE id = which;
END $$;)",
                                        "postgres:read-committed");
  EXPECT_TRUE(has(outcomes(report), "lost update: confirmed internal"))
      << ::testing::PrintToString(outcomes(report));
}

// Every kind of column, keys to other tables, checks and unique values.
TEST(Execute, rows_fit_their_tables) {
  const FindReport report = execute_sql(R"(
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE owner (
  id serial PRIMARY KEY, name varchar(5) NOT NULL UNIQUE, born date NOT NULL,
  seen timestamptz NOT NULL, woken time NOT NULL, token uuid NOT NULL, doc jsonb NOT NULL,
  tags text[] NOT NULL DEFAULT '{}', numbers int[] NOT NULL, raw bytea NOT NULL, feels mood NOT NULL,
  ok boolean NOT NULL, score real NOT NULL, waits interval NOT NULL, flags bit(3) NOT NULL,
  code char(2) NOT NULL, small smallint NOT NULL, boss int REFERENCES owner (id),
  doubled int GENERATED ALWAYS AS (small * 2) STORED);
CREATE TABLE account (
  id bigint PRIMARY KEY, owner int NOT NULL REFERENCES owner (id),
  balance numeric(6,2) NOT NULL CHECK (balance >= 0), kind mood NOT NULL,
  opened date NOT NULL CHECK (opened > '2000-01-01'));
CREATE TABLE entry (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account bigint NOT NULL REFERENCES account (id),
  amount numeric(6,2) NOT NULL);
CREATE PROCEDURE withdraw(which bigint, amount numeric) LANGUAGE plpgsql AS $$
DECLARE available numeric;
BEGIN
  SELECT balance INTO available FROM account WHERE id = which AND kind = 'happy';
  IF NOT FOUND OR available < amount THEN RETURN; END IF;
  UPDATE account SET balance = available - amount WHERE id = which;
  INSERT INTO entry (account, amount) VALUES (which, -amount);
END $$;)",
                                        "postgres:read-committed");
  ASSERT_EQ(outcomes(report), std::vector<std::string>{"lost update: confirmed internal"})
      << report.causes[0].execution->reason;
}

TEST(Execute, says_which_serial_order_ends_alike_where_it_does_no_harm) {
  const FindReport report = execute_sql(R"(
CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE add(which int, more int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM n FROM counter WHERE id = which;
  UPDATE counter SET n = n + more WHERE id = which;
END $$;
CREATE PROCEDURE reset(which int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE counter SET n = 0 WHERE id = which;
END $$;)",
                                        "postgres:read-committed");
  ASSERT_FALSE(report.causes.empty());
  for (const FoundCause& cause : report.causes) {
    if (cause.execution->finding) continue;
    EXPECT_NE(cause.execution->reason.find("one after the other"), std::string::npos)
        << cause.execution->reason;
  }
}

TEST(Execute, a_level_that_postgres_lacks_is_not_executed) {
  const FindReport report = execute_sql(kWithdraw, "mariadb:repeatable-read");
  ASSERT_EQ(outcomes(report), std::vector<std::string>{"lost update: not executable"});
  EXPECT_EQ(report.causes[0].execution->reason,
            "PostgreSQL has no level like mariadb:repeatable-read");
}

TEST(Execute, what_a_stronger_level_does_not_show_stays_possible) {
  const FindReport report = execute_sql(kWithdraw, "eventual");
  const std::vector<std::string> texts = outcomes(report);
  EXPECT_TRUE(has(texts, "lost update: confirmed internal"));
  for (const FoundCause& cause : report.causes) {
    if (cause.execution->finding) continue;
    EXPECT_EQ(cause.execution->status, FindingStatus::possible) << cause.execution->reason;
    EXPECT_NE(cause.execution->reason.find("which promises more than eventual"), std::string::npos)
        << cause.execution->reason;
  }
}

// One statement each: on one copy none of them can be lost.
// None of these is proved, whatever a run shows; most are shown. No key keeps them apart.
TEST(Execute, checks_before_an_insert_are_never_refuted) {
  const std::vector<std::string> bodies = {
      R"(IF EXISTS (SELECT 1 FROM seat WHERE event = e) THEN RETURN; END IF;
INSERT INTO seat (id, event) VALUES (n, e);)",
      R"(SELECT NOT EXISTS (SELECT 1 FROM seat WHERE event = e AND id > 0 LIMIT 1) INTO b;
IF b THEN INSERT INTO seat (id, event) VALUES (n, e); END IF;)",
      R"(SELECT count(*) INTO v FROM seat WHERE event = e;
IF v = 0 THEN INSERT INTO seat (id, event) VALUES (n, e); END IF;)",
      R"(PERFORM 1 FROM seat WHERE event = e;
IF NOT FOUND THEN INSERT INTO seat (id, event) VALUES (n, e); END IF;)",
      R"(INSERT INTO seat (id, event)
SELECT n, e WHERE NOT EXISTS (SELECT 1 FROM seat WHERE event = e);)"};
  std::size_t confirmed = 0;
  for (const std::string& body : bodies) {
    const FindReport report = execute_sql(
        "CREATE TABLE seat (id int, event int NOT NULL);\n"
        "CREATE PROCEDURE book(e int, n int) LANGUAGE plpgsql AS $$ "
        "DECLARE v int; b boolean;\nBEGIN\n" +
            body + "\nEND $$;\n",
        "postgres:read-committed");
    ASSERT_FALSE(report.causes.empty()) << body;
    for (const FoundCause& cause : report.causes) {
      EXPECT_NE(cause.execution->status, FindingStatus::refuted) << body;
      confirmed += cause.execution->finding ? 1 : 0;
    }
  }
  EXPECT_GE(confirmed, 4U);
}

// Additions of an action that ends a transaction on the way. It is executed all the same.
TEST(Execute, additions_come_to_the_same_in_either_order) {
  FindOptions options;
  options.max_instances = 2;
  options.max_length = 4;
  const FindReport report = execute_sql(R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE transfer(p int, q int, m int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - m WHERE id = p;
  COMMIT;
  UPDATE account SET balance = balance + m WHERE id = q;
END $$;)",
                                        "postgres:read-committed", options);
  ASSERT_FALSE(report.causes.empty());
  for (const FoundCause& cause : report.causes) {
    EXPECT_EQ(cause.execution->status, FindingStatus::refuted) << cause.execution->reason;
    EXPECT_GT(cause.execution->runs, 0U);
  }
}

// What a mark or a kind keeps apart, as long as nobody else writes it.
TEST(Execute, what_no_rows_let_happen_is_refuted_without_a_run) {
  const std::string tables =
      "CREATE TABLE bill (id int PRIMARY KEY, paid boolean NOT NULL, amount int NOT NULL, kind "
      "text "
      "NOT NULL);\nCREATE TABLE log (id int PRIMARY KEY, n int NOT NULL, m int NOT NULL);\n";
  const std::string pay =
      "CREATE PROCEDURE pay(p int, m int) LANGUAGE plpgsql AS $$ DECLARE b boolean; BEGIN\n"
      "SELECT paid INTO b FROM bill WHERE id = p FOR UPDATE;\n"
      "IF NOT b THEN\nUPDATE bill SET paid = true WHERE id = p;\nCOMMIT;\n"
      "UPDATE log SET n = m WHERE id = p;\nEND IF;\nEND $$;\n";
  const auto is_set_twice = [](const FoundCause& cause) {
    const FoundCycle& cycle = cause.cores.front();
    return std::ranges::all_of(cycle.edges, [](const FoundEdge& edge) {
      return edge.kind == DependencyKind::ww || edge.table == "bill";
    });
  };
  for (const bool has_reset : {false, true}) {
    const FindReport report =
        execute_sql(tables + pay +
                        (has_reset ? "CREATE PROCEDURE reset(p int) LANGUAGE plpgsql AS $$ BEGIN\n"
                                     "UPDATE bill SET paid = false WHERE id = p;\nEND $$;\n"
                                   : ""),
                    "postgres:read-committed");
    std::size_t refuted = 0;
    for (const FoundCause& cause : report.causes) {
      const bool is_refuted = cause.execution->status == FindingStatus::refuted;
      EXPECT_TRUE(!is_refuted || cause.execution->runs == 0) << cause.execution->reason;
      refuted += is_refuted && is_set_twice(cause) ? 1 : 0;
    }
    if (report.causes.empty()) continue;
    EXPECT_EQ(refuted > 0, !has_reset) << ::testing::PrintToString(outcomes(report));
  }
}

constexpr const char* kDeposit = R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE deposit(which int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + amount WHERE id = which;
END $$;
)";

TEST(ExecuteReplicated, an_update_is_lost_that_is_one_statement) {
  for (const char* const level : {"eventual", "causal-visibility", "causal", "read-committed",
                                  "repeatable-read-axiom", "cassandra:one"}) {
    const FindReport report = execute_sql(kDeposit, level, {}, "replicated");
    ASSERT_EQ(outcomes(report), std::vector<std::string>{"lost update: confirmed internal"})
        << level << ": " << (report.causes.empty() ? "" : report.causes[0].execution->reason);
  }
  EXPECT_TRUE(execute_sql(kDeposit, "snapshot", {}, "replicated").causes.empty());
}

TEST(ExecuteReplicated, what_was_found_happens_again) {
  const FindReport report = execute_sql(kDeposit, "causal", {}, "replicated");
  ASSERT_EQ(report.causes.size(), 1U);
  ASSERT_TRUE(report.causes[0].execution->finding);
  const std::string json = to_json(*report.causes[0].execution->finding);
  const Result<Finding> read = parse_finding(json, "found.json");
  ASSERT_TRUE(read) << to_string(read.error());
  const Result<ReplayReport> replayed = replay_finding(*read, {});
  ASSERT_TRUE(replayed) << to_string(replayed.error());
  EXPECT_EQ(replayed->confirmed, 10U);
}

// Where everything is delivered at once, two deposits on one row end alike in any order: only the
// run after that one loses something.
TEST(ExecuteReplicated, what_a_run_does_not_confirm_another_one_does) {
  const FindReport report = execute_sql(R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE move(source int, target int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - amount WHERE id = source;
  UPDATE account SET balance = balance + amount WHERE id = target;
END $$;)",
                                        "eventual", {}, "replicated");
  ASSERT_FALSE(report.causes.empty());
  for (const FoundCause& cause : report.causes) {
    EXPECT_EQ(cause.execution->status, FindingStatus::confirmed)
        << definition(cause.kind).name << ": " << cause.execution->reason;
  }
}

TEST(ExecuteReplicated, a_column_that_may_be_null_is_filled_where_it_is_added_to) {
  const FindReport report = execute_sql(R"(
CREATE TABLE page (id int PRIMARY KEY, edits int);
CREATE PROCEDURE edit(which int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE page SET edits = edits + 1 WHERE id = which;
END $$;)",
                                        "eventual", {}, "replicated");
  EXPECT_EQ(outcomes(report), std::vector<std::string>{"lost update: confirmed internal"});
}

TEST(ExecuteReplicated, given_rows_may_have_large_generated_keys) {
  const Result<Program> program = parse_program({{"p.sql", R"(
CREATE TABLE ticket (id serial PRIMARY KEY, seats int NOT NULL);
CREATE PROCEDURE take(which int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ticket SET seats = seats - amount WHERE id = which;
  INSERT INTO ticket (seats) VALUES (amount);
END $$;)"}});
  ASSERT_TRUE(program) << to_string(program.error());
  FindOptions options;
  options.level = IsolationLevel::eventual;
  Result<FindReport> report = find_anomalies(*program, options);
  ASSERT_TRUE(report);
  ASSERT_FALSE(report->causes.empty());
  ExecuteOptions execution;
  execution.on.texts = {"replicated"};
  execution.rows = SourceText{"rows.sql", "INSERT INTO ticket VALUES (5000, 40), (5001, 60);"};
  ASSERT_TRUE(execute_findings(*program, options, execution, *report));
  EXPECT_EQ(report->causes[0].execution->status, FindingStatus::confirmed)
      << report->causes[0].execution->reason;
}

TEST(ExecuteReplicated, write_skew_happens_at_snapshot) {
  const FindReport report = execute_sql(R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE withdraw(a int, b int, amount int) LANGUAGE plpgsql AS $$
DECLARE x int; y int;
BEGIN
  SELECT balance INTO x FROM account WHERE id = a;
  SELECT balance INTO y FROM account WHERE id = b;
  IF x + y < amount THEN RETURN; END IF;
  UPDATE account SET balance = x - amount WHERE id = a;
END $$;)",
                                        "snapshot", {}, "replicated");
  EXPECT_TRUE(has(outcomes(report), "write skew: confirmed internal"))
      << ::testing::PrintToString(outcomes(report));
}

TEST(Execute, programs_in_the_sql_of_others_are_not_executed) {
  Result<Program> program = parse_program({{"p.sql", kWithdraw}});
  ASSERT_TRUE(program);
  program->schema.dialect = Dialect::mysql;
  FindOptions options;
  options.level = IsolationLevel::postgres_read_committed;
  Result<FindReport> report = find_anomalies(*program, options);
  ASSERT_TRUE(report);
  ASSERT_FALSE(report->causes.empty());
  ASSERT_TRUE(execute_findings(*program, options, {.on = {{"postgres"}}}, *report));
  EXPECT_EQ(report->causes[0].execution->reason, "its SQL is MySQL's");
}

// The server has yet to start when the time is over.
TEST(Execute, what_time_ran_out_for_is_possible_and_says_so) {
  const Result<Program> program = parse_program({{"p.sql", kWithdraw}});
  ASSERT_TRUE(program);
  FindOptions options;
  options.level = IsolationLevel::postgres_read_committed;
  Result<FindReport> report = find_anomalies(*program, options);
  ASSERT_EQ(report->causes.size(), 1U);
  const ExecuteOptions execution{.on = {{"postgres"}}, .timeout_ms = 0};
  ASSERT_TRUE(execute_findings(*program, options, execution, *report));
  EXPECT_EQ(report->bound, "--timeout: 1 of 1 causes were not executed");
  ASSERT_EQ(report->causes.size(), 1U);
  const FoundExecution& execution_of = *report->causes[0].execution;
  EXPECT_EQ(execution_of.status, FindingStatus::possible);
  EXPECT_EQ(execution_of.reason, "--timeout: nobody has executed it");
  EXPECT_TRUE(execution_of.is_cut_short);
}

TEST(Execute, tables_that_no_file_defines_cannot_be_made) {
  const FindReport report = execute_sql(R"(
CREATE PROCEDURE bump(which int) LANGUAGE plpgsql AS $$
DECLARE old int;
BEGIN
  SELECT n INTO old FROM counter WHERE id = which;
  UPDATE counter SET n = old + 1 WHERE id = which;
END $$;)",
                                        "postgres:read-committed");
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.causes[0].execution->reason, "no file defines the table counter");
}

}  // namespace

}  // namespace heddle
