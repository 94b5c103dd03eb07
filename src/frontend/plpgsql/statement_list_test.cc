// Under which conditions statements run.
#include <string>

#include <gtest/gtest.h>

#include "heddle/program.h"

namespace heddle {
namespace {

// A line per statement: its kind and table, its guards, and how many loops are around it.
std::string listed(const std::string& body) {
  const auto program = parse_program(
      {{"p.sql",
        "CREATE FUNCTION f(a integer, b integer) RETURNS integer LANGUAGE plpgsql AS $$\n"
        "DECLARE r record;\nBEGIN\n" +
            body + "\nEND $$;"}});
  if (!program) return to_string(program.error());
  std::string text;
  for (const ListedStatement& one : list_statements(program->functionalities.at(0))) {
    const Statement& statement = one.statement->statement;
    text += to_string(statement.kind);
    if (!statement.tables.empty()) text += " " + statement.tables[0].table;
    for (const Guard& guard : one.guards) {
      text += std::string(guard.holds ? " if " : " unless ") + print_expression(guard.condition);
    }
    if (one.loops > 0) text += " loops " + std::to_string(one.loops);
    text += "\n";
  }
  return text;
}

TEST(StatementList, has_the_conditions_of_branches) {
  EXPECT_EQ(listed("IF a < 1 THEN DELETE FROM t; ELSIF NOT b = 2 THEN DELETE FROM u; "
                   "ELSE DELETE FROM v; END IF; DELETE FROM w;"),
            "delete t if a < 1\n"
            "delete u unless a < 1 unless b = 2\n"
            "delete v unless a < 1 if b = 2\n"
            "delete w\n");
}

TEST(StatementList, has_the_conditions_of_early_returns) {
  EXPECT_EQ(listed("DELETE FROM s; IF a <= 1 THEN RETURN 1; END IF; DELETE FROM t;"
                   "IF b < 1 THEN DELETE FROM u; ELSE RAISE EXCEPTION 'x'; END IF; DELETE FROM v;"),
            "delete s\n"
            "delete t unless a <= 1\n"
            "delete u unless a <= 1 if b < 1\n"
            "delete v unless a <= 1 if b < 1\n");
}

TEST(StatementList, has_the_conditions_of_nested_returns) {
  EXPECT_EQ(listed("IF a = 1 THEN IF b = 2 THEN RETURN 1; END IF; DELETE FROM s; END IF;"
                   "DELETE FROM t;"),
            "delete s if a = 1 unless b = 2\n"
            "delete t unless a = 1 AND b = 2\n");
}

TEST(StatementList, counts_loops_and_what_leaves_them) {
  EXPECT_EQ(listed("FOR r IN SELECT x FROM s LOOP CONTINUE WHEN r.x = a;"
                   "WHILE b < 3 LOOP DELETE FROM t; END LOOP; END LOOP; DELETE FROM u;"),
            "select s\n"
            "delete t unless r.x = a if b < 3 loops 2\n"
            "delete u\n");
}

TEST(StatementList, has_handlers) {
  EXPECT_EQ(listed("BEGIN DELETE FROM t; EXCEPTION WHEN unique_violation THEN DELETE FROM u; END;"),
            "delete t\n"
            "delete u if heddle_unknown('error unique_violation')\n");
}

TEST(StatementList, knows_what_states_boundaries) {
  const auto program = parse_program(
      {{"p.sql",
        "CREATE PROCEDURE a() LANGUAGE plpgsql AS $$ BEGIN DELETE FROM t; COMMIT; END $$;"
        "CREATE PROCEDURE b() LANGUAGE sql AS 'DELETE FROM t';"}});
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_TRUE(program->functionalities.at(0).states_boundaries);
  EXPECT_FALSE(program->functionalities.at(1).states_boundaries);
}

}  // namespace
}  // namespace heddle
