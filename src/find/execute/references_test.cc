// Rows that refer to rows: what is made up for them can be put into its tables.
#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "heddle/find.h"
#include "heddle/program.h"

namespace heddle {

namespace {

// That all causes could be executed, and that some were confirmed.
void expect_rows_for(std::string_view sql, std::string_view store = "postgres") {
  const Result<Program> program = parse_program({{"p.sql", std::string(sql)}});
  ASSERT_TRUE(program) << to_string(program.error());
  FindOptions options;
  options.level = find_isolation_level(std::string(store) + ":read-committed");
  Result<FindReport> report = find_anomalies(*program, options);
  ExecuteOptions execution;
  execution.on.texts = {std::string(store)};
  const Result<void> executed = execute_findings(*program, options, execution, *report);
  ASSERT_TRUE(executed) << to_string(executed.error());
  ASSERT_FALSE(report->causes.empty());
  for (const FoundCause& cause : report->causes) {
    EXPECT_TRUE(cause.execution->was_run) << cause.execution->reason;
  }
  EXPECT_TRUE(std::ranges::any_of(report->causes, [](const FoundCause& cause) {
    return cause.execution->status == FindingStatus::confirmed;
  }));
}

// Each of a pair names the other one.
constexpr std::string_view kPairs = R"(
CREATE TABLE person (id int PRIMARY KEY, partner int NOT NULL REFERENCES person (id),
                     n int NOT NULL);
CREATE PROCEDURE bump(p int) LANGUAGE plpgsql AS $$
DECLARE v int; q int; r int;
BEGIN
  SELECT partner INTO q FROM person WHERE id = p;
  SELECT partner, n INTO r, v FROM person WHERE id = q;
  IF q = p OR r <> p THEN RETURN; END IF;
  UPDATE person SET n = v + 1 WHERE id = q;
END $$;
)";

TEST(ExecuteReferences, what_a_row_of_the_same_table_names_comes_before_it) {
  expect_rows_for(R"(
CREATE TABLE post (id int PRIMARY KEY, parent int REFERENCES post (id), n int NOT NULL);
CREATE PROCEDURE bump(p int) LANGUAGE plpgsql AS $$
DECLARE v int; q int; w int;
BEGIN
  SELECT parent, n INTO q, v FROM post WHERE id = p;
  IF q IS NULL OR q = p THEN RETURN; END IF;
  SELECT n INTO w FROM post WHERE id = q;
  UPDATE post SET n = v + w WHERE id = p;
END $$;
)");
}

TEST(ExecuteReferences, keys_may_have_several_columns) {
  expect_rows_for(R"(
CREATE TABLE post (site int, id int, parent int, n int NOT NULL, PRIMARY KEY (site, id),
                   FOREIGN KEY (site, parent) REFERENCES post);
CREATE PROCEDURE bump(s int, p int) LANGUAGE plpgsql AS $$
DECLARE v int; q int; w int;
BEGIN
  SELECT parent, n INTO q, v FROM post WHERE site = s AND id = p;
  IF q IS NULL OR q = p THEN RETURN; END IF;
  SELECT n INTO w FROM post WHERE site = s AND id = q;
  UPDATE post SET n = v + w WHERE site = s AND id = p;
END $$;
)");
}

TEST(ExecuteReferences, rows_that_name_each_other_come_at_once) { expect_rows_for(kPairs); }

TEST(ExecuteReferences, rows_that_name_each_other_come_at_once_on_mariadb) {
  expect_rows_for(kPairs, "mariadb");
}

TEST(ExecuteReferences, rows_of_two_tables_may_name_each_other) {
  expect_rows_for(R"(
CREATE TABLE team (id int PRIMARY KEY, captain int NOT NULL);
CREATE TABLE player (id int PRIMARY KEY, team int NOT NULL REFERENCES team (id), n int NOT NULL);
ALTER TABLE team ADD FOREIGN KEY (captain) REFERENCES player (id);
CREATE PROCEDURE bump(t int) LANGUAGE plpgsql AS $$
DECLARE v int; c int;
BEGIN
  SELECT captain INTO c FROM team WHERE id = t;
  SELECT n INTO v FROM player WHERE id = c AND team = t;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE player SET n = v + 1 WHERE id = c;
END $$;
)");
}

// The store makes the key, the client gets it, and others know it.
TEST(ExecuteReferences, a_key_that_an_insert_returns_is_that_of_its_row) {
  const Result<Program> program = parse_program({{"p.sql", R"(
CREATE TABLE orders (id serial PRIMARY KEY, total int NOT NULL);
CREATE TABLE payment (id int PRIMARY KEY, amount int NOT NULL);
CREATE PROCEDURE place(amount int) LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  INSERT INTO orders (total) VALUES (0) RETURNING id INTO v;
  COMMIT;
  UPDATE orders SET total = amount WHERE id = v;
END $$;
CREATE PROCEDURE pay(o int) LANGUAGE plpgsql AS $$
DECLARE t int;
BEGIN
  SELECT total INTO t FROM orders WHERE id = o;
  IF t IS NULL THEN RETURN; END IF;
  INSERT INTO payment (id, amount) VALUES (o, t);
END $$;
)"}});
  ASSERT_TRUE(program) << to_string(program.error());
  FindOptions options;
  options.level = find_isolation_level("postgres:serializable");
  Result<FindReport> report = find_anomalies(*program, options);
  ExecuteOptions execution;
  execution.on.texts = {"postgres"};
  ASSERT_TRUE(execute_findings(*program, options, execution, *report));
  // Somebody pays what is not known yet.
  EXPECT_TRUE(std::ranges::any_of(report->causes, [](const FoundCause& cause) {
    return cause.execution->finding && cause.execution->finding->effect == Effect::internal;
  }));
}

// Who reads a cart's lines, then the cart, sees one without the other.
TEST(ExecuteReferences, what_goes_with_a_row_is_deleted) {
  constexpr std::string_view kCarts = R"(
CREATE TABLE cart (id int PRIMARY KEY, total int NOT NULL);
CREATE TABLE line (cart int NOT NULL REFERENCES cart ON DELETE CASCADE, n int, price int NOT NULL,
                   PRIMARY KEY (cart, n));
CREATE PROCEDURE remove(c int) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM cart WHERE id = c;
END $$;
CREATE FUNCTION show(c int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE t int; p int;
BEGIN
  SELECT price INTO p FROM line WHERE cart = c AND n = 1;
  SELECT total INTO t FROM cart WHERE id = c;
  RETURN t - p;
END $$;
)";
  expect_rows_for(kCarts);
  expect_rows_for(kCarts, "mariadb");
}

}  // namespace

}  // namespace heddle
