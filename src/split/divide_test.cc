// What becomes of statements on tables of several services, as text.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/split.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kDividedTables =
    "CREATE TABLE a (id int PRIMARY KEY, x int NOT NULL, k int);\n"
    "CREATE TABLE b (id int PRIMARY KEY, y int);\n";

ChoppedProgram chop_body(const std::string& body) {
  const std::string routine =
      "CREATE FUNCTION f(p int) RETURNS int LANGUAGE plpgsql AS $$\n" + body + "\n$$;\n";
  const Result<Program> program = parse_program({{"p.sql", kDividedTables + routine}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  const Result<Cut> cut =
      match_cut(*parse_cut(R"({"A": ["a"], "B": ["b"]})", "cut.json"), program->schema);
  Result<ChoppedProgram> chopped = chop_program(*program, *cut);
  EXPECT_TRUE(chopped);
  return std::move(*chopped);
}

// Its body.
std::string divided(const std::string& body) {
  const std::string text = print_program(chop_body(body).program);
  const std::size_t begin = text.find("BEGIN\n") + 6;
  return text.substr(begin, text.find("END $$") - begin);
}

// Why the statement is not followed.
std::string reason(const std::string& statement) {
  const ChoppedProgram chopped =
      chop_body("DECLARE v int; r record;\nBEGIN\n" + statement + "\nRETURN v;\nEND");
  if (chopped.notes.empty()) return "no note";
  const std::string& note = chopped.notes[0].what_to_do;
  const std::string begin = "which is not followed, as ";
  const std::size_t at = note.find(begin);
  if (at == std::string::npos) return "";
  const std::size_t from = at + begin.size();
  return note.substr(from, note.find(": ", from) - from);
}

TEST(Divide, reads_one_row_after_the_other) {
  EXPECT_EQ(divided("DECLARE v int;\nBEGIN\nSELECT a.x + b.y INTO v FROM b, a WHERE b.id = a.k AND "
                    "a.id = p;\nRETURN v;\nEND"),
            "  SELECT k, x INTO a_row FROM a WHERE id = p;\n"
            "  IF found THEN\n"
            "    COMMIT;\n"
            "    SELECT y INTO b_row FROM b WHERE id = a_row.k;\n"
            "  END IF;\n"
            "  IF found THEN\n"
            "    v := a_row.x + b_row.y;\n"
            "  ELSE\n"
            "    v := null;\n"
            "  END IF;\n"
            "  RETURN v;\n");
}

TEST(Divide, goes_through_the_rows_that_no_key_names) {
  EXPECT_EQ(divided("DECLARE r record; n int := 0;\nBEGIN\nFOR r IN SELECT b.y FROM a, b WHERE b.y "
                    "= a.k LOOP\nEXIT WHEN r.y = 2;\nn := n + 1;\nEND LOOP;\nRETURN n;\nEND"),
            "  n := 0;\n"
            "  <<joined>>\n"
            "  FOR a_row IN SELECT k FROM a LOOP\n"
            "    COMMIT;\n"
            "    <<joined_row>>\n"
            "    FOR b_row IN SELECT y FROM b WHERE y = a_row.k LOOP\n"
            "      SELECT b_row.y AS y INTO r;\n"
            "      IF r.y = 2 THEN\n"
            "        EXIT joined;\n"
            "      END IF;\n"
            "      n := n + 1;\n"
            "    END LOOP;\n"
            "  END LOOP;\n"
            "  RETURN n;\n");
}

// Each value that is counted comes once: the keys are read without repetition.
TEST(Divide, counts_keys) {
  EXPECT_EQ(divided("DECLARE v int;\nBEGIN\nSELECT count(DISTINCT b.id) INTO v FROM a, b WHERE "
                    "b.id = a.k AND b.y < p;\nRETURN v;\nEND"),
            "  aggregate := 0;\n"
            "  FOR a_row IN SELECT DISTINCT k FROM a LOOP\n"
            "    COMMIT;\n"
            "    SELECT id INTO b_row FROM b WHERE id = a_row.k AND y < p;\n"
            "    IF found THEN\n"
            "      aggregate := aggregate + 1;\n"
            "    END IF;\n"
            "  END LOOP;\n"
            "  v := aggregate;\n"
            "  RETURN v;\n");
}

TEST(Divide, writes_what_it_has_read) {
  EXPECT_EQ(divided("BEGIN\nUPDATE a SET x = x + b.y FROM b WHERE b.id = a.k AND b.y > p;\n"
                    "RETURN 1;\nEND"),
            "  FOR b_row IN SELECT id, y FROM b WHERE y > p LOOP\n"
            "    COMMIT;\n"
            "    UPDATE a SET x = x + b_row.y WHERE b_row.id = k;\n"
            "  END LOOP;\n"
            "  RETURN 1;\n");
}

TEST(Divide, asks_subqueries_before) {
  EXPECT_EQ(divided("BEGIN\nUPDATE a SET x = (SELECT max(y) FROM b) WHERE id = p;\nRETURN 1;\nEND"),
            "  SELECT max(y) INTO b_value FROM b;\n"
            "  COMMIT;\n"
            "  UPDATE a SET x = b_value.max WHERE id = p;\n"
            "  RETURN 1;\n");
}

TEST(Divide, takes_no_name_of_the_program) {
  const ChoppedProgram chopped = chop_body(
      "DECLARE a_row int; joined int; v int;\nBEGIN\nSELECT a.x INTO v FROM a, b WHERE b.y = "
      "a.k;\nRETURN v;\nEND");
  const std::string text = print_program(chopped.program);
  EXPECT_THAT(text, HasSubstr("FOR a_row_2 IN SELECT"));
  EXPECT_THAT(text, HasSubstr("EXIT joined_2;"));
}

TEST(Divide, tells_which_statement_each_was) {
  const ChoppedProgram chopped = chop_body(
      "DECLARE r record; v int;\nBEGIN\nPERFORM x FROM a WHERE id = p;\nFOR r IN SELECT a.id, "
      "b.y FROM a, b WHERE b.id = a.k LOOP\nUPDATE b SET y = 1 WHERE id = r.y;\nEND LOOP;\n"
      "SELECT b.y INTO v FROM a, b WHERE a.id = p AND b.id = a.x;\nDELETE FROM b;\n"
      "RETURN v;\nEND");
  std::vector<std::size_t> origins;
  const std::vector<ListedStatement> listed = list_statements(chopped.program.functionalities[0]);
  ASSERT_EQ(listed.size(), chopped.origins[0].size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const bool is_commit = listed[i].statement->statement.kind == StatementKind::commit;
    EXPECT_EQ(is_commit, !chopped.origins[0][i].has_value());
    if (chopped.origins[0][i]) origins.push_back(*chopped.origins[0][i]);
  }
  EXPECT_THAT(origins, ElementsAre(0, 1, 1, 1, 2, 3, 3, 4));
}

TEST(Divide, says_why_a_statement_is_not_followed) {
  EXPECT_EQ(reason("SELECT count(*) INTO v FROM a, b WHERE a.k = b.y GROUP BY a.x;"),
            "it has GROUP BY");
  EXPECT_EQ(reason("SELECT a.x INTO v FROM a FULL JOIN b ON a.k = b.y;"), "it has FULL JOIN");
  EXPECT_EQ(reason("SELECT DISTINCT a.x INTO v FROM a, b WHERE a.k = b.y;"), "it has DISTINCT");
  EXPECT_EQ(reason("SELECT a.x INTO v FROM a LEFT JOIN b ON a.k = b.y;"),
            "its LEFT JOIN may find several rows");
  EXPECT_EQ(reason("SELECT a.x INTO v FROM a, b WHERE a.k = b.y ORDER BY a.x + b.y;"),
            "its ORDER BY is not that of one table");
  EXPECT_EQ(reason("UPDATE a SET x = b.id FROM b WHERE b.y = a.k;"),
            "it may change a row for several others");
  EXPECT_EQ(reason("UPDATE a SET k = b.y FROM b WHERE b.id = a.k;"), "it changes what it joins on");
  EXPECT_EQ(reason("SELECT x INTO v FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.id = a.k);"),
            "it asks for rows of a subquery in another way than IN or for one value");
  EXPECT_EQ(reason("SELECT x INTO v FROM a WHERE k NOT IN (SELECT y FROM b);"),
            "it has NOT IN with a subquery");
  EXPECT_EQ(reason("SELECT x INTO v FROM a WHERE id = p OR k IN (SELECT y FROM b);"),
            "its IN is part of another condition");
  EXPECT_EQ(reason("PERFORM x FROM a, b WHERE a.k = b.y;\nGET DIAGNOSTICS v = ROW_COUNT;"),
            "its rows are counted");
  EXPECT_EQ(reason("SELECT x INTO v FROM a WHERE x > (SELECT max(y) FROM b WHERE b.id = a.k);"),
            "its subquery cannot be asked alone");
}

}  // namespace
}  // namespace heddle
