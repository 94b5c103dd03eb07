#include "program/deciding_reads.h"

#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::program {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Program program_of(const std::string& variables, const std::string& body) {
  const std::string text = fmt::format(
      "CREATE TABLE t (id int PRIMARY KEY, n int);\nCREATE TABLE u (id int PRIMARY KEY, n int);\n"
      "CREATE PROCEDURE run(a int) LANGUAGE plpgsql AS $$ DECLARE {} BEGIN\n{}\nEND $$;\n",
      variables, body);
  Result<Program> program = parse_program({{"p.sql", text}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  return program ? *std::move(program) : Program{};
}

// The lines of the body, from 1, of the queries that have a say.
std::vector<std::size_t> deciding_lines(const Program& program) {
  std::vector<std::size_t> lines;
  for (const Functionality& functionality : program.functionalities) {
    const auto deciding = deciding_reads(functionality, [](const ProgramStatement& statement) {
      return statement.statement.kind == StatementKind::select;
    });
    for (const ListedStatement& listed : list_statements(functionality)) {
      if (!deciding.contains(listed.statement)) continue;
      lines.push_back(listed.statement->source.position.line - 3);
    }
  }
  return lines;
}

std::vector<std::size_t> deciding_lines(const std::string& variables, const std::string& body) {
  return deciding_lines(program_of(variables, body));
}

TEST(DecidingReads, are_those_whose_values_are_written) {
  EXPECT_THAT(deciding_lines("m int; k int;",
                             "SELECT n INTO m FROM t WHERE id = a;\n"
                             "SELECT n INTO k FROM u WHERE id = a;\n"
                             "m := m + 1;\n"
                             "UPDATE t SET n = m WHERE id = a;"),
              ElementsAre(1));
  EXPECT_THAT(deciding_lines("r record;",
                             "SELECT n, id INTO r FROM t WHERE id = a;\n"
                             "DELETE FROM u WHERE id = r.n;"),
              ElementsAre(1));
  EXPECT_THAT(deciding_lines("m int;",
                             "SELECT n INTO m FROM t WHERE id = a;\n"
                             "UPDATE t SET n = a WHERE id = a;"),
              IsEmpty());
}

TEST(DecidingReads, are_those_that_lead_to_them) {
  EXPECT_THAT(deciding_lines("m int; k int;",
                             "SELECT n INTO m FROM t WHERE id = a;\n"
                             "SELECT n INTO k FROM u WHERE id = m;\n"
                             "INSERT INTO u VALUES (a, k);"),
              ElementsAre(1, 2));
}

TEST(DecidingReads, decide_by_conditions_and_what_leaves) {
  for (const char* const body :
       {"IF m > 0 THEN DELETE FROM t WHERE id = a; END IF;",
        "IF m > 0 THEN RETURN; END IF; DELETE FROM t WHERE id = a;",
        "IF NOT FOUND THEN RETURN; END IF; DELETE FROM t WHERE id = a;",
        "DELETE FROM t WHERE id = a; IF m > 0 THEN ROLLBACK; END IF;",
        "DELETE FROM t WHERE id = a; IF m > 0 THEN RAISE 'no'; END IF;",
        "LOOP EXIT WHEN m > 0; DELETE FROM t WHERE id = a; END LOOP;",
        "WHILE m > 0 LOOP DELETE FROM t WHERE id = a; END LOOP;",
        "FOR i IN 1 .. m LOOP DELETE FROM t WHERE id = i; END LOOP;",
        "a := 5 / m; DELETE FROM t WHERE id = 1;", "DELETE FROM t WHERE id = 1; a := 5 / m;",
        "BEGIN IF m > 0 THEN RAISE 'no'; END IF; EXCEPTION WHEN OTHERS "
        "THEN DELETE FROM t WHERE id = a; END;"}) {
    EXPECT_THAT(
        deciding_lines("m int;", std::string("SELECT n INTO m FROM t WHERE id = a;\n") + body),
        ElementsAre(1))
        << body;
  }
  EXPECT_THAT(deciding_lines("m int;",
                             "SELECT n INTO m FROM t WHERE id = a;\n"
                             "DELETE FROM t WHERE id = a;\n"
                             "IF m > 0 THEN RETURN; END IF;"),
              IsEmpty());
}

TEST(DecidingReads, are_queries_of_rows_that_are_gone_through) {
  EXPECT_THAT(deciding_lines("r record;",
                             "FOR r IN SELECT n FROM t LOOP\n"
                             "INSERT INTO u VALUES (a, 1); END LOOP;"),
              ElementsAre(1));
  EXPECT_THAT(deciding_lines("c CURSOR FOR SELECT n FROM t; m int;",
                             "OPEN c;\nFETCH c INTO m;\nUPDATE u SET n = m WHERE id = a;"),
              testing::SizeIs(1));
  EXPECT_THAT(deciding_lines("ids int[] := '{}'; r record; i int;",
                             "FOR r IN SELECT id FROM t LOOP ids := array_append(ids, r.id); "
                             "END LOOP;\n"
                             "FOREACH i IN ARRAY ids LOOP DELETE FROM u WHERE id = i; END LOOP;"),
              ElementsAre(1));
}

TEST(DecidingReads, may_be_all_where_a_value_is_not_understood) {
  Program program =
      program_of("m int; k int;",
                 "SELECT n INTO m FROM t WHERE id = a;\nk := 1;\nUPDATE u SET n = k WHERE id = a;");
  EXPECT_THAT(deciding_lines(program), IsEmpty());
  for (Action& action : program.functionalities[0].body) {
    if (auto* const assign = std::get_if<Assign>(&action.what)) {
      assign->value = {.kind = ExpressionKind::unknown, .text = "what()", .operands = {}};
    }
  }
  EXPECT_THAT(deciding_lines(program), ElementsAre(1));
}

TEST(DecidingReads, may_end_in_an_error_by_themselves) {
  for (const char* const query :
       {"SELECT 7 / n INTO m FROM t WHERE id = a;", "SELECT n INTO STRICT m FROM t WHERE id = a;",
        "SELECT n::smallint INTO m FROM t WHERE id = a;",
        "SELECT 7 / n AS \"what's left\" INTO m FROM t WHERE id = a;"}) {
    EXPECT_THAT(deciding_lines("m int;", std::string(query) + "\nDELETE FROM u WHERE id = a;"),
                ElementsAre(1))
        << query;
    EXPECT_THAT(deciding_lines("m int;", query), IsEmpty()) << query;
  }
  EXPECT_THAT(deciding_lines("m int;",
                             "SELECT n INTO m FROM t WHERE '/' = '%' /* a cast */;\n"
                             "DELETE FROM u WHERE id = a;"),
              IsEmpty());
}

}  // namespace
}  // namespace heddle::program
