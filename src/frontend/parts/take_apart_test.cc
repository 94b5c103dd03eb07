#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/program.h"

namespace heddle {
namespace {

using testing::ElementsAre;

// The statements of a procedure with that body, as "kind table table", a part in brackets.
std::vector<std::string> statements_of(const std::string& body) {
  const auto program = parse_program(
      {{"p.sql",
        "CREATE TABLE t (id int PRIMARY KEY, x int); CREATE TABLE u (id int PRIMARY KEY, x int);"
        "CREATE PROCEDURE f(a int) LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN\n" +
            body + ";\nEND $$;"}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  std::vector<std::string> listed;
  if (!program) return listed;
  for (const ListedStatement& one : list_statements(program->functionalities[0])) {
    std::string text(to_string(one.statement->statement.kind));
    for (const TableUse& use : one.statement->statement.tables) {
      text += (use.written ? " " : " from ") + use.table;
    }
    for (const PartNeed& need : one.statement->needs) {
      text += fmt::format(" {} {}", need.has_rows ? "if" : "unless", need.back);
    }
    for (const PartValue& value : one.statement->part_values) {
      text += fmt::format(" of {}", value.back);
    }
    listed.push_back(one.statement->is_part ? "(" + text + ")" : text);
  }
  return listed;
}

TEST(TakeApart, a_query_for_the_row_that_is_changed_comes_first) {
  const std::string first = "(SELECT id FROM t WHERE x = a ORDER BY id LIMIT 1)";
  EXPECT_THAT(statements_of("UPDATE t SET x = 2 WHERE id = " + first),
              ElementsAre("(select from t)", "update t of 1"));
  EXPECT_THAT(statements_of("DELETE FROM t WHERE x > 1 AND id IN " + first),
              ElementsAre("(select from t)", "delete t of 1"));
  EXPECT_THAT(statements_of("WITH n AS " + first + " UPDATE u SET x = 2 FROM n WHERE u.id = n.id"),
              ElementsAre("(select from t)", "update u if 1 of 1"));
  EXPECT_THAT(
      statements_of("WITH n AS " + first + " INSERT INTO u (id, x) SELECT m.id, 3 FROM n m"),
      ElementsAre("(select from t)", "insert u if 1 of 1"));
}

TEST(TakeApart, other_queries_stay_where_they_are) {
  // Of several rows, of the row around it, or not compared.
  EXPECT_THAT(statements_of("UPDATE t SET x = 2 WHERE id IN (SELECT id FROM u WHERE x = a)"),
              ElementsAre("update t from u"));
  EXPECT_THAT(statements_of("UPDATE t SET x = 2 WHERE id = "
                            "(SELECT id FROM u WHERE u.x = t.x LIMIT 1)"),
              ElementsAre("update t from u"));
  EXPECT_THAT(statements_of("UPDATE t SET x = 2 WHERE id NOT IN (SELECT id FROM u LIMIT 1)"),
              ElementsAre("update t from u"));
  EXPECT_THAT(statements_of("WITH n AS (SELECT id FROM t LIMIT 1), m AS (SELECT id FROM u) "
                            "UPDATE u SET x = 2 FROM n, m WHERE u.id = n.id"),
              testing::SizeIs(1));
}

TEST(TakeApart, what_changes_within_with_comes_first) {
  EXPECT_THAT(statements_of("WITH d AS (DELETE FROM t WHERE id = a RETURNING id, x) "
                            "INSERT INTO u (id, x) SELECT id, x FROM d"),
              ElementsAre("(delete t)", "insert u if 1"));
}

TEST(TakeApart, several_parts_may_need_each_other) {
  EXPECT_THAT(statements_of("WITH d AS (DELETE FROM t WHERE id = a RETURNING id), "
                            "q AS (SELECT id FROM u), "
                            "c AS (UPDATE u SET x = 1 FROM d WHERE u.id = d.id RETURNING u.id) "
                            "INSERT INTO t (id, x) SELECT a, 2 WHERE NOT EXISTS (SELECT 1 FROM c) "
                            "AND EXISTS (SELECT FROM d)"),
              ElementsAre("(delete t)", "(update u if 1)", "insert from u t unless 1 if 2"));
}

TEST(TakeApart, rows_that_are_only_given_are_those_of_the_part) {
  EXPECT_THAT(statements_of("WITH d AS (DELETE FROM t WHERE id = a RETURNING id, x AS y) "
                            "SELECT y INTO v FROM d"),
              ElementsAre("delete t"));
  EXPECT_THAT(statements_of("WITH d AS (DELETE FROM t WHERE id = a RETURNING *) "
                            "SELECT x INTO v FROM d ORDER BY x"),
              ElementsAre("delete t"));
  EXPECT_THAT(statements_of("WITH d AS (DELETE FROM t WHERE id = a RETURNING id, x) "
                            "SELECT x INTO v FROM d WHERE x > 1"),
              ElementsAre("(delete t)", "select if 1"));
}

// A count is there although there are no rows, and a side of an outer join may have none.
TEST(TakeApart, what_does_something_without_rows_needs_none) {
  EXPECT_THAT(statements_of("WITH d AS (DELETE FROM t WHERE id = a RETURNING id) "
                            "INSERT INTO u (id) SELECT count(*) FROM d"),
              ElementsAre("(delete t)", "insert u"));
  EXPECT_THAT(statements_of("WITH d AS (DELETE FROM t WHERE id = a RETURNING id) "
                            "UPDATE u SET x = 1 FROM t LEFT JOIN d ON true WHERE u.id = t.id"),
              ElementsAre("(delete t)", "update u from t"));
  EXPECT_THAT(statements_of("WITH d AS (DELETE FROM t WHERE id = a RETURNING id) "
                            "DELETE FROM u WHERE EXISTS (SELECT count(*) FROM d)"),
              ElementsAre("(delete t)", "delete u"));
  EXPECT_THAT(statements_of("WITH d AS (DELETE FROM t WHERE id = a RETURNING id) "
                            "DELETE FROM u WHERE id = a OR EXISTS (SELECT 1 FROM d)"),
              ElementsAre("(delete t)", "delete u"));
}

TEST(TakeApart, a_query_alone_stays_one_statement) {
  EXPECT_THAT(statements_of("WITH q AS (SELECT id FROM t) DELETE FROM u WHERE id IN "
                            "(SELECT id FROM q)"),
              ElementsAre("delete u from t"));
}

TEST(TakeApart, a_part_has_its_own_text) {
  const auto program = parse_program(
      {{"p.sql",
        "CREATE TABLE t (id int PRIMARY KEY); CREATE PROCEDURE f(a int) LANGUAGE plpgsql AS $$ "
        "BEGIN WITH \"as\" (k) AS MATERIALIZED (DELETE FROM t WHERE (id = a) RETURNING id) "
        "INSERT INTO t SELECT k + 1 FROM \"as\"; END $$;"}});
  ASSERT_TRUE(program) << to_string(program.error());
  const auto listed = list_statements(program->functionalities[0]);
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].statement->statement.text, "DELETE FROM t WHERE (id = $1) RETURNING id");
  EXPECT_EQ(listed[1].statement->statement.text.substr(0, 9), "WITH \"as\"");
  EXPECT_EQ(print_program(*program).find("DELETE"), print_program(*program).rfind("DELETE"));
}

}  // namespace
}  // namespace heddle
