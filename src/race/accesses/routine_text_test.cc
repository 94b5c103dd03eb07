#include "race/accesses/routine_text.h"

#include <string>

#include <gtest/gtest.h>

#include "base/text.h"

namespace heddle::race {
namespace {

// The statements, one a line; what stands for values of the row; what else is known.
std::string shown_body(std::string_view body, bool is_trigger = true) {
  const RoutineText text = read_plpgsql(body, is_trigger);
  std::string all = join(text.statements, "\n");
  for (std::size_t i = 0; i < text.values.size(); ++i) {
    all += (all.empty() ? "$" : "\n$") + std::to_string(i + 1) +
           (text.values[i].is_new ? " new " : " old ") + text.values[i].column;
  }
  if (!text.changed.empty())
    all += "\nchanged " + join({text.changed.begin(), text.changed.end()}, ",");
  if (!text.is_whole) all += "\nand more";
  return all;
}

TEST(RoutineText, HasEachStatementWhateverSteersIt) {
  EXPECT_EQ(shown_body("BEGIN\n"
                       "  IF NEW.paid AND EXISTS (SELECT 1 FROM bills WHERE id = NEW.bill) THEN\n"
                       "    UPDATE bills SET open = open - 1 WHERE id = NEW.bill;\n"
                       "  ELSIF OLD.paid THEN DELETE FROM bills;\n"
                       "  ELSE INSERT INTO log VALUES (1); END IF;\n"
                       "  RETURN NEW;\nEND"),
            "SELECT $1 AND EXISTS (SELECT 1 FROM bills WHERE id = $2)\n"
            "UPDATE bills SET open = open - 1 WHERE id = $2\n"
            "SELECT $3\n"
            "DELETE FROM bills\n"
            "INSERT INTO log VALUES (1)\n"
            "$1 new paid\n$2 new bill\n$3 old paid");
}

TEST(RoutineText, LeavesTargetsOut) {
  EXPECT_EQ(shown_body("DECLARE n int := (SELECT count(*) FROM a); r record;\n"
                       "  c CURSOR (k int) FOR SELECT id FROM b WHERE id > k;\n"
                       "BEGIN\n"
                       "  SELECT x, y INTO STRICT n, r.y FROM c WHERE id = 1;\n"
                       "  INSERT INTO d (x) VALUES (n) RETURNING id INTO NEW.id;\n"
                       "  SELECT INTO n max(id) FROM e;\n"
                       "  n := n + (SELECT 1 FROM f);\n"
                       "  NEW.total = 5;\n"
                       "  PERFORM settle(n) FROM g FOR UPDATE;\n"
                       "END;"),
            "SELECT (SELECT count(*) FROM a)\n"
            "SELECT id FROM b WHERE id > k\n"
            "SELECT x, y FROM c WHERE id = 1\n"
            "INSERT INTO d (x) VALUES (n) RETURNING id\n"
            "SELECT max(id) FROM e\n"
            "SELECT n + (SELECT 1 FROM f)\n"
            "SELECT 5\n"
            "SELECT settle(n) FROM g FOR UPDATE\n"
            "changed id,total");
}

TEST(RoutineText, HasWhatLoopsGoThrough) {
  EXPECT_EQ(
      shown_body("<<outer>>\nFOR i IN REVERSE 9..(SELECT 1 FROM a) BY 2 LOOP EXIT outer WHEN i > "
                 "(SELECT 2 FROM b); END LOOP;\n"
                 "FOR r IN SELECT * FROM c WHERE x IN (1, 2) LOOP NULL; END LOOP;\n"
                 "FOREACH x SLICE 1 IN ARRAY (SELECT y FROM d) LOOP CONTINUE; END LOOP;\n"
                 "WHILE CASE WHEN i > 1 THEN true ELSE false END LOOP i := i - 1; END LOOP;\n"
                 "CASE i WHEN 1, 2 THEN DELETE FROM e; ELSE NULL; END CASE;\n"
                 "RETURN QUERY SELECT * FROM f;"),
      "SELECT 9\nSELECT (SELECT 1 FROM a)\nSELECT 2\nSELECT i > (SELECT 2 FROM b)\n"
      "SELECT * FROM c WHERE x IN (1, 2)\nSELECT (SELECT y FROM d)\n"
      "SELECT CASE WHEN i > 1 THEN true ELSE false END\nSELECT i - 1\nSELECT i\n"
      "SELECT 1, 2\nDELETE FROM e\nSELECT * FROM f");
}

TEST(RoutineText, HasWhatMessagesAsk) {
  EXPECT_EQ(shown_body("BEGIN RAISE EXCEPTION 'no % of %', NEW.id, (SELECT 1 FROM a) USING "
                       "ERRCODE = '23514';\n"
                       "ASSERT NOT EXISTS (SELECT FROM b), 'there';\n"
                       "EXCEPTION WHEN unique_violation OR SQLSTATE '23505' THEN RETURN NULL; END"),
            "SELECT $1\nSELECT (SELECT 1 FROM a)\nSELECT '23514'\n"
            "SELECT NOT EXISTS (SELECT FROM b)\nSELECT 'there'\n"
            "SELECT unique_violation OR SQLSTATE '23505'\n$1 new id");
}

TEST(RoutineText, TellsWhatItDoesNotKnow) {
  for (const char* body :
       {"BEGIN EXECUTE 'DELETE FROM ' || x; END",
        "BEGIN FOR r IN EXECUTE q LOOP NULL; END LOOP; END", "BEGIN RETURN QUERY EXECUTE q; END",
        "BEGIN OPEN c FOR EXECUTE q; END"}) {
    EXPECT_TRUE(shown_body(body).ends_with("\nand more")) << body;
  }
}

TEST(RoutineText, SeesNoRowOutsideOfTriggers) {
  EXPECT_EQ(shown_body("BEGIN new.id := old.id; END", false), "SELECT old.id");
  EXPECT_EQ(shown_body("BEGIN SELECT t.new.id FROM t; END"), "SELECT t.new.id FROM t");
}

TEST(RoutineText, EndsOnAnything) {
  const std::string body =
      "<<l>> DECLARE a int = 1; BEGIN IF a THEN x := 1; FOR i IN 1..2 LOOP RAISE '%', 1 USING "
      "hint = 'x'; RETURN NEXT a; OPEN c FOR SELECT 1 INTO a[1], b FROM t; END LOOP; CASE WHEN 1";
  for (std::size_t size = 0; size <= body.size(); ++size) {
    read_plpgsql(std::string_view(body).substr(0, size), true);
    read_plpgsql(std::string_view(body).substr(size), true);
  }
}

}  // namespace
}  // namespace heddle::race
