// Views and derived tables, by the texts and the tables that they become.
#include "frontend/views/see_through.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/views/common_tables.h"
#include "frontend/views/pull_up.h"
#include "heddle/program.h"

namespace heddle::views {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE owner (id int PRIMARY KEY, name text NOT NULL, vip boolean NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, owner_id int, balance int NOT NULL, active boolean);
CREATE VIEW open_account AS SELECT id, balance FROM account WHERE active;
CREATE VIEW "Vip" (number, total) AS
  SELECT a.id, a.balance AS b FROM account a JOIN owner o ON o.id = a.owner_id WHERE o.vip
  WITH LOCAL CHECK OPTION;
CREATE VIEW vip_rest AS SELECT number AS n, total + 1 AS rest FROM "Vip";
CREATE VIEW renamed (nr, amount) AS
  SELECT id, balance FROM account WHERE account.active AND balance >= 0;
CREATE VIEW of_view AS SELECT * FROM open_account;
CREATE VIEW totals AS SELECT owner_id, sum(balance) AS total FROM account GROUP BY owner_id;
CREATE VIEW gone AS SELECT id FROM owner;
DROP VIEW gone;
)";

const Schema& schema() {
  static const Schema read = parse_schema(kTables, Dialect::postgres).schema;
  return read;
}

Statement seen(const std::string& text) {
  auto read = parse_statements(text, Dialect::postgres);
  if (!read || read->size() != 1) {
    ADD_FAILURE() << text;
    return {};
  }
  Statement statement = std::move(read->front());
  see_through(statement, schema());
  return statement;
}

std::string text_of(const std::string& text) { return seen(text).text; }

TEST(Views, are_known_by_their_queries) {
  ASSERT_EQ(schema().views.size(), 6U);
  EXPECT_EQ(schema().views[1].name, "Vip");
  EXPECT_EQ(schema().views[1].columns, (std::vector<std::string>{"number", "total"}));
  EXPECT_TRUE(schema().views[1].query.ends_with("WHERE o.vip"));
  EXPECT_EQ(find_view(schema(), "gone"), nullptr);
  EXPECT_EQ(find_view(schema(), "account"), nullptr);
}

TEST(Views, are_read_as_derived_tables) {
  EXPECT_EQ(text_of("SELECT balance FROM open_account WHERE id = $1"),
            "SELECT balance FROM (SELECT id, balance FROM account WHERE active) AS open_account "
            "WHERE id = $1");
  EXPECT_EQ(text_of("SELECT x.total FROM \"Vip\" x"),
            "SELECT x.total FROM (SELECT a.id AS number, a.balance AS total FROM account a JOIN "
            "owner o ON o.id = a.owner_id WHERE o.vip) x");
  EXPECT_EQ(text_of("SELECT id FROM of_view"),
            "SELECT id FROM (SELECT * FROM (SELECT id, balance FROM account WHERE active) AS "
            "open_account) AS of_view");
}

TEST(Views, are_hidden_by_common_tables_and_tables) {
  for (const std::string text :
       {"WITH open_account AS (SELECT 1 AS id) SELECT id FROM open_account",
        "SELECT id FROM account", "SELECT open_account FROM account"}) {
    EXPECT_EQ(text_of(text), text);
  }
}

TEST(Views, are_changed_as_the_tables_behind_them) {
  EXPECT_EQ(text_of("UPDATE open_account SET balance = 1 WHERE id = $1 OR id = 2"),
            "UPDATE account AS open_account SET balance = 1 WHERE (open_account.active) AND "
            "(id = $1 OR id = 2)");
  EXPECT_EQ(text_of("DELETE FROM of_view WHERE id = 1 RETURNING balance"),
            "DELETE FROM account AS of_view WHERE (of_view.active) AND (id = 1) RETURNING balance");
  EXPECT_EQ(text_of("UPDATE renamed AS w SET amount = w.amount - 1 WHERE w.nr = 1"),
            "UPDATE account AS w SET balance = w.balance - 1 WHERE "
            "(w.active AND w.balance >= 0) AND (w.id = 1)");
  EXPECT_EQ(text_of("INSERT INTO renamed VALUES (1, 2)"),
            "INSERT INTO account (id, balance) VALUES (1, 2)");
  EXPECT_EQ(
      text_of("WITH x AS (UPDATE open_account SET balance = 3 RETURNING id) SELECT id FROM x"),
      "WITH x AS (UPDATE account AS open_account SET balance = 3 WHERE open_account.active "
      "RETURNING id) SELECT id FROM x");
  EXPECT_EQ(text_of("LOCK TABLE vip_rest IN EXCLUSIVE MODE"),
            "LOCK TABLE account, owner IN EXCLUSIVE MODE");
}

TEST(Views, of_queries_in_parentheses_are_read) {
  const Schema odd = parse_schema(
                         "CREATE TABLE t (id int); CREATE VIEW v (i) AS ((SELECT id FROM t));"
                         "CREATE VIEW w (i) AS VALUES (1); CREATE VIEW x (i) AS TABLE t",
                         Dialect::postgres)
                         .schema;
  for (const std::string view : {"v", "w", "x"}) {
    auto read = parse_statements("SELECT i FROM " + view + " WHERE i > 1", Dialect::postgres);
    ASSERT_TRUE(read);
    see_through(read->front(), odd);
    EXPECT_NE(read->front().text.find(") AS named(i)) AS " + view), std::string::npos)
        << read->front().text;
  }
}

TEST(Views, that_cannot_be_followed_are_said_to_be_so) {
  for (const std::string text : {"UPDATE totals SET total = 1", "DELETE FROM \"Vip\"",
                                 "UPDATE renamed SET amount = 1 FROM owner WHERE nr = owner.id"}) {
    EXPECT_EQ(seen(text).over_approximated.size(), 1U) << text;
  }
}

struct PulledUp {
  std::string text;
  std::string pulled;  // empty: it stays
};

TEST(DerivedTables, become_tables_and_conditions) {
  const std::string joined =
      "(SELECT a.id, a.balance + 1 AS more FROM account a, owner WHERE "
      "owner_id = owner.id AND vip) AS x";
  const std::vector<PulledUp> cases = {
      {"SELECT x.b FROM (SELECT id, balance AS b FROM account WHERE active) AS x WHERE x.id = 1",
       "SELECT x.balance AS b FROM account AS x WHERE (x.active) AND (x.id = 1)"},
      {"SELECT more FROM " + joined + " ORDER BY id LIMIT 1",
       "SELECT (a.balance + 1) AS more FROM (account AS a CROSS JOIN owner AS owner) WHERE "
       "a.owner_id = owner.id AND owner.vip ORDER BY a.id LIMIT 1"},
      {"SELECT * FROM (SELECT a.* FROM account a) y FOR UPDATE",
       "SELECT y.id, y.owner_id, y.balance, y.active FROM account AS y FOR UPDATE"},
      {"SELECT o.name FROM owner o JOIN (SELECT owner_id AS oid FROM account WHERE active) t ON "
       "t.oid = o.id WHERE o.vip",
       "SELECT o.name FROM owner o JOIN account AS t ON t.owner_id = o.id WHERE (t.active) AND "
       "(o.vip)"},
      {"SELECT b FROM (SELECT balance AS b FROM (SELECT * FROM account WHERE active) i WHERE id = "
       "1) AS x",
       "SELECT x.balance AS b FROM account AS x WHERE (x.active) AND (x.id = 1)"},
      {"UPDATE account SET balance = d.k FROM (SELECT id AS k FROM owner WHERE vip) d WHERE "
       "account.id = d.k RETURNING balance",
       "UPDATE account SET balance = d.id FROM owner AS d WHERE (d.vip) AND (account.id = d.id) "
       "RETURNING balance"},
      {"SELECT o.id FROM owner o JOIN (SELECT o.id AS k FROM owner o JOIN account a ON a.id = "
       "o.id) x ON x.k = o.id",
       "SELECT o.id FROM owner o JOIN (owner AS x_o JOIN account AS a ON a.id = x_o.id) ON x_o.id "
       "= o.id"},
      {"SELECT x.id FROM (SELECT id FROM account GROUP BY id) x", ""},
      {"SELECT x.n FROM (SELECT count(*) AS n FROM account) x", ""},
      {"SELECT x.id FROM (SELECT id FROM account LIMIT 1) x", ""},
      {"SELECT x.id FROM (SELECT id FROM account UNION SELECT id FROM owner) x", ""},
      {"SELECT o.id, x.id FROM owner o LEFT JOIN (SELECT id FROM account WHERE active) x ON true",
       ""},
      {"SELECT x FROM (SELECT id FROM account) x", ""},
      {"SELECT x.id FROM ((SELECT id FROM account)) x WHERE x.id = 1", ""},
      {"SELECT x.id FROM (SELECT id FROM account) x WHERE EXISTS (SELECT 1 FROM owner)", ""},
  };
  for (const PulledUp& one : cases) {
    EXPECT_EQ(with_queries_pulled_up(one.text, schema()).value_or(""), one.pulled) << one.text;
  }
}

TEST(CommonTables, that_are_asked_once_are_derived_tables) {
  const std::vector<PulledUp> cases = {
      {"WITH x AS (SELECT id FROM account) SELECT id FROM x WHERE id = 1",
       " SELECT id FROM (SELECT id FROM account) AS x WHERE id = 1"},
      {"WITH x AS (SELECT balance FROM account), y AS MATERIALIZED (SELECT balance - 1 AS n FROM x "
       "k) UPDATE account SET balance = y.n FROM y WHERE id = 1",
       " UPDATE account SET balance = y.n FROM (SELECT balance - 1 AS n FROM (SELECT balance FROM "
       "account) k) AS y WHERE id = 1"},
      {"WITH x AS (SELECT id FROM account), y AS (DELETE FROM owner RETURNING id) SELECT x.id FROM "
       "x, y",
       "WITH  y AS (DELETE FROM owner RETURNING id) SELECT x.id FROM (SELECT id FROM account) AS "
       "x, y"},
      {"WITH x AS (SELECT id FROM account) SELECT a.id FROM x a, x b", ""},
      {"WITH RECURSIVE x AS (SELECT 1 AS n UNION SELECT n + 1 FROM x) SELECT n FROM x", ""},
      {"WITH x (k) AS (SELECT id FROM account) SELECT k FROM x", ""},
      {"WITH x AS (SELECT id FROM account) SELECT id FROM x FOR UPDATE", ""},
      {"WITH x AS (SELECT 1 AS id) SELECT q.id FROM (WITH x AS (SELECT id FROM account) SELECT id "
       "FROM x) q",
       ""},
  };
  for (const PulledUp& one : cases) {
    EXPECT_EQ(with_common_tables_inlined(one.text).value_or(""), one.pulled) << one.text;
  }
  const Statement statement = seen(
      "WITH x AS (SELECT id, balance FROM account WHERE active) SELECT x.balance FROM x WHERE "
      "x.id = $1");
  EXPECT_EQ(statement.predicate, "(x.active) AND (x.id = $1)");
  EXPECT_TRUE(statement.text.starts_with("WITH x AS"));
}

TEST(DerivedTables, leave_the_text_as_it_is) {
  const std::string text =
      "SELECT x.b FROM (SELECT id, balance AS b FROM account) AS x WHERE x.id = 1";
  const Statement statement = seen(text);
  EXPECT_EQ(statement.text, text);
  ASSERT_EQ(statement.tables.size(), 1U);
  EXPECT_EQ(statement.tables[0].alias, "x");
  EXPECT_EQ(statement.predicate, "x.id = 1");
}

}  // namespace
}  // namespace heddle::views
