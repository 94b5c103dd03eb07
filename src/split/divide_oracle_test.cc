// A program and what became of it in services leave the same rows: PostgreSQL runs both, and the
// interpreter the latter.
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/interpret.h"
#include "heddle/split.h"
#include "split/routine_testing.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Not;

using namespace routines;

std::string interpreted(const Program& program, const std::string& rows, int argument) {
  reset(rows);
  const auto run =
      interpret(program, program.functionalities[0], {std::to_string(argument)}, session());
  if (!run) return to_string(run.error());
  return (run->error ? run->error->message : "") + table_rows();
}

ChoppedProgram chop(const std::string& body) {
  const auto program = parse_program({{"p.sql", kRoutineTables + procedure(body)}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  const auto cut = match_cut(*parse_cut(kCut, "cut.json"), program->schema);
  auto chopped = chop_program(*program, *cut);
  EXPECT_TRUE(chopped);
  return std::move(*chopped);
}

struct Case {
  std::string name;
  std::string body;
};

class Divided : public testing::TestWithParam<Case> {};

TEST_P(Divided, leaves_the_same_rows) {
  const std::string& body = GetParam().body;
  const ChoppedProgram chopped = chop(body);
  const std::string text = only_routine(chopped.program);
  EXPECT_THAT(text, Not(HasSubstr("heddle_unknown"))) << text;
  for (const Diagnostic& note : chopped.notes) {
    EXPECT_THAT(note.what_to_do, Not(HasSubstr("not followed")));
  }
  for (unsigned seed = 0; seed < 25; ++seed) {
    const std::string rows = random_rows(seed);
    const int argument = static_cast<int>(seed % 4U) + 1;
    const std::string expected = called(procedure(body), rows, argument);
    ASSERT_EQ(called(text, rows, argument), expected) << "seed " << seed << "\n" << rows << text;
    ASSERT_EQ(interpreted(chopped.program, rows, argument), expected) << "seed " << seed << "\n"
                                                                      << rows << text;
  }
}

// What is printed reads as the same program.
TEST_P(Divided, is_read_back) {
  const std::string text = print_program(chop(GetParam().body).program);
  const auto again = parse_program({{"p.sql", text}});
  ASSERT_TRUE(again) << to_string(again.error()) << text;
  EXPECT_EQ(print_program(*again), text);
}

const std::string kTell = "INSERT INTO told (v) VALUES (v::text);\n";
const std::string kTellRow = "INSERT INTO told (v) VALUES (r.x || ' ' || coalesce(r.y, 0));\n";

std::string with_value(const std::string& statement) {
  return "DECLARE v text := 'before';\nBEGIN\n" + statement +
         "\nIF NOT found THEN INSERT INTO told (v) VALUES ('none'); END IF;\n" + kTell + "END";
}
std::string with_count(const std::string& statement) {
  return "DECLARE v int;\nBEGIN\n" + statement + "\nGET DIAGNOSTICS v = ROW_COUNT;\n" + kTell +
         "END";
}
std::string with_rows(const std::string& query, const std::string& body) {
  return "DECLARE r record;\nBEGIN\nFOR r IN " + query + " LOOP\n" + body + "END LOOP;\nEND";
}

const std::vector<Case> kCases = {
    {"pinned", with_value("SELECT a.x + b.y INTO v FROM a, b WHERE b.id = a.k AND a.id = p;")},
    {"pinned_by_constants", with_value("SELECT a.x + b.id INTO v FROM a, b WHERE a.id = p AND "
                                       "b.id = 2;")},
    {"strict", with_value("SELECT a.x INTO STRICT v FROM a JOIN b ON b.id = a.k WHERE a.id = p;")},
    {"strict_of_many", with_value("SELECT a.x INTO STRICT v FROM a JOIN b ON b.y = a.k;")},
    {"first_in_order", with_value("SELECT a.id || ' ' || b.id INTO v FROM a JOIN b ON b.id = a.k "
                                  "WHERE b.y > p OR a.x = 3 ORDER BY a.id DESC;")},
    {"first_of_limit", with_value("SELECT a.id INTO v FROM b, a WHERE b.id = a.k ORDER BY a.id "
                                  "LIMIT 1;")},
    {"other_alias", with_value("SELECT m.x + n.y INTO v FROM a AS m, b n WHERE n.id = m.k AND "
                               "m.id = p;")},
    {"twice_the_same_table", with_value("SELECT m.x + n.x + b.id INTO v FROM a m, a n, b WHERE "
                                        "m.k = n.id AND b.id = n.k AND m.id = p;")},
    {"perform", with_value("PERFORM 1 FROM a, b WHERE a.k = b.y AND a.x > p;")},
    {"row_of_several",
     "DECLARE r record;\nBEGIN\nSELECT a.x, b.y INTO r FROM a, b WHERE b.id = a.k AND a.id = p;\n"
     "IF NOT found THEN INSERT INTO told (v) VALUES ('none'); END IF;\n"
     "INSERT INTO told (v) VALUES (coalesce(r.x + r.y, 7)::text);\nEND"},
    {"values_that_hang_together",
     "DECLARE v int := 1; u int := 2;\nBEGIN\nSELECT u + a.x, v + b.id INTO v, u FROM a, b WHERE "
     "b.id = a.k AND a.id = p;\nINSERT INTO told (v) VALUES (v || ' ' || u);\nEND"},
    {"loop", with_rows("SELECT a.x, b.y FROM a, b WHERE b.id = a.k ORDER BY a.id", kTellRow)},
    {"nested_loops", with_rows("SELECT a.x, b.y FROM a, b WHERE b.y = a.k AND a.id = p",
                               "INSERT INTO told (v) SELECT 'x' || r.x * r.y;\n")},
    {"left_join", with_rows("SELECT a.x, b.y FROM a LEFT JOIN b ON b.id = a.k AND b.y > 2 "
                            "ORDER BY a.id",
                            kTellRow)},
    {"left_join_with_condition",
     with_rows("SELECT a.x, b.y FROM a LEFT JOIN b ON b.id = a.k WHERE b.y IS NULL OR b.y > p "
               "ORDER BY a.id DESC",
               kTellRow)},
    {"three_tables", with_rows("SELECT a.x, c.w AS y FROM a JOIN b ON b.id = a.k JOIN c ON c.w = "
                               "b.y ORDER BY a.id",
                               kTellRow)},
    {"left", with_rows("SELECT a.x, b.y FROM a, b WHERE b.id <= 2 AND a.id = p ORDER BY b.id",
                       "EXIT WHEN r.y = 3;\nIF r.x = 2 THEN CONTINUE; END IF;\n" + kTellRow)},
    {"left_from_nested_loops",
     "DECLARE r record; n int := 0;\nBEGIN\n<<rows>>\nFOR r IN SELECT a.id, b.y FROM a, b WHERE "
     "b.y >= a.k AND b.id <= 2 ORDER BY a.id LOOP\nEXIT rows WHEN r.id = 4;\nn := n + 1;\nFOR i "
     "IN 1 .. 3 LOOP\nCONTINUE rows WHEN r.y = 3;\nEXIT WHEN i = 2;\nn := n + 10;\nEND LOOP;\n"
     "n := n + 100;\nEND LOOP;\nINSERT INTO told (v) VALUES (n::text);\nEND"},
    {"limit",
     "DECLARE r record; n int := 0;\nBEGIN\nFOR r IN SELECT a.x, b.y FROM a, b WHERE b.y >= a.k "
     "LIMIT 2 LOOP\nn := n + 1;\nEND LOOP;\nINSERT INTO told (v) VALUES (n::text);\nIF found THEN "
     "INSERT INTO told (v) VALUES ('some'); END IF;\nEND"},
    {"limit_of_client",
     "DECLARE r record; n int := p;\nBEGIN\nFOR r IN SELECT a.x, b.y FROM a, b WHERE b.id = a.k "
     "ORDER BY a.id LIMIT n LOOP\nn := n + 1;\n" +
         kTellRow +
         "END LOOP;\nIF found THEN "
         "INSERT INTO told (v) VALUES ('some'); END IF;\nEND"},
    {"limit_of_none",
     "DECLARE r record; n int := p - 1;\nBEGIN\nFOR r IN SELECT a.x, b.y FROM a, b WHERE b.y >= "
     "a.k ORDER BY a.id LIMIT n LOOP\n" +
         kTellRow +
         "END LOOP;\nIF found THEN "
         "INSERT INTO told (v) VALUES ('some'); END IF;\nEND"},
    {"limit_of_null",
     "DECLARE r record; n int;\nBEGIN\nFOR r IN SELECT a.x, b.y FROM a, b WHERE b.id = a.k "
     "ORDER BY a.id LIMIT n LOOP\n" +
         kTellRow + "END LOOP;\nEND"},
    {"limit_below_zero",
     "DECLARE r record; n int := -p;\nBEGIN\nFOR r IN SELECT a.x, b.y FROM a, b WHERE b.id = a.k "
     "ORDER BY a.id LIMIT n LOOP\n" +
         kTellRow + "END LOOP;\nEND"},
    {"aggregates",
     "DECLARE n int; t text; m text; l text; g text; d int; e int;\nBEGIN\n"
     "SELECT count(*), coalesce(sum(a.x * b.y), -1), avg(z), min(b.y), max(s), count(DISTINCT b.y),"
     " count(z) INTO n, t, m, l, g, d, e FROM a, b WHERE a.k = b.y;\n"
     "INSERT INTO told (v) VALUES (concat_ws(' ', n, t, m, l, g, d, e));\nEND"},
    {"distinct_count", with_value("SELECT count(DISTINCT b.id) INTO v FROM a, b WHERE a.k = b.id "
                                  "AND b.y < p;")},
    {"distinct_count_of_others", with_value("SELECT count(DISTINCT a.x) INTO v FROM a, b WHERE "
                                            "a.k = b.id AND b.y < p;")},
    {"aggregate_row",
     "DECLARE r record;\nBEGIN\nSELECT count(*) AS n INTO r FROM a, b WHERE a.k = b.id;\n"
     "INSERT INTO told (v) VALUES (r.n::text);\nEND"},
    {"update_from", with_count("UPDATE a SET x = x + b.y FROM b WHERE b.id = a.k AND b.y > p;")},
    {"update_pinned", with_count("UPDATE a SET x = b.y + 1 FROM b WHERE b.id = p AND a.k > 1 AND "
                                 "b.y IS NOT NULL;")},
    {"delete_using", with_count("DELETE FROM a USING b WHERE a.k = b.y;")},
    {"insert_select", with_count("INSERT INTO c (id, w) SELECT a.id + 10, b.id + 10 FROM a JOIN b "
                                 "ON a.id = b.id AND b.y < p;")},
    {"insert_select_from_one", with_count("INSERT INTO c (id, w) SELECT id + 10, x * 10 + id FROM "
                                          "a WHERE a.x > p;")},
    {"insert_or_nothing", with_count("INSERT INTO c (id, w) SELECT a.id, a.id + 20 FROM a ON "
                                     "CONFLICT (id) DO NOTHING;")},
    {"insert_aggregate", with_count("INSERT INTO c (id, w) SELECT 20, count(*) + 30 FROM a JOIN b "
                                    "ON a.k = b.id;")},
    {"delete_in", with_count("DELETE FROM a WHERE k IN (SELECT y FROM b WHERE id < p) AND x > 1;")},
    {"update_in", with_count("UPDATE a SET x = x + 1 WHERE k IN (SELECT y FROM b);")},
    {"update_value", with_count("UPDATE a SET k = (SELECT max(y) FROM b WHERE id > p) WHERE x > "
                                "(SELECT min(w) FROM c);")},
    {"select_in",
     with_rows("SELECT a.x, a.k AS y FROM a WHERE k IN (SELECT y FROM b) ORDER BY id", kTellRow)},
    {"count_in", with_value("SELECT count(*) INTO v FROM a WHERE k IN (SELECT y FROM b WHERE z IS "
                            "NOT NULL);")},
};

INSTANTIATE_TEST_SUITE_P(Joins, Divided, testing::ValuesIn(kCases),
                         [](const auto& shown) { return shown.param.name; });

// The comparison notices a caller that joins on another column.
TEST(DividedCanary, a_wrong_join_shows) {
  const std::string body = kCases[0].body;
  std::string text = only_routine(chop(body).program);
  const std::size_t at = text.find("= a_row.k");
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, 9, "= a_row.x");
  bool differs = false;
  for (unsigned seed = 0; seed < 25; ++seed) {
    const std::string rows = random_rows(seed);
    const int argument = static_cast<int>(seed % 4U) + 1;
    differs = differs || called(text, rows, argument) != called(procedure(body), rows, argument);
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace heddle
