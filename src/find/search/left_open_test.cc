// Which statements and bodies nothing is proved of, and what is said of them.
#include "find/search/left_open.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/search/find_testing.h"

namespace heddle::find {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string kOpenTables =
    "CREATE TABLE seat (id int PRIMARY KEY, event int NOT NULL, who text, price numeric(8, 2),\n"
    "                   code char(4), at timestamp, weight real);\n"
    "CREATE TABLE event (id int PRIMARY KEY, name text NOT NULL);\n";

std::string open_in(const std::string& body) {
  const Program program =
      parse(kOpenTables +
            routine("book(e int, w text, n numeric)",
                    "DECLARE v int; b boolean; t text; r record;\nBEGIN\n" + body + "\nEND"));
  if (program.functionalities.empty()) return "not read";
  const FindOptions options;
  const FunctionalityLevel level{.level = IsolationLevel::postgres_read_committed,
                                 .origin = LevelOrigin::given};
  return left_open(prepare_search(program, options, {level}), 0);
}

TEST(LeftOpen, statements_on_named_rows_of_one_table_are_said_exactly) {
  EXPECT_THAT(open_in("SELECT event INTO v FROM seat WHERE id = e;\n"
                      "IF v = 3 THEN\n"
                      "UPDATE seat SET who = w WHERE id = e AND event = v;\n"
                      "ELSE\nDELETE FROM seat WHERE event = e AND who IS NULL;\nEND IF;\n"
                      "INSERT INTO seat (id, event, who) VALUES (e, 1, w);\n"),
              IsEmpty());
  EXPECT_THAT(open_in("SELECT event INTO v FROM seat WHERE id = e FOR UPDATE;\n"), IsEmpty());
  EXPECT_THAT(open_in("SELECT event INTO v FROM seat WHERE id IN (1, 2) OR who = 'x';\n"),
              IsEmpty());
}

TEST(LeftOpen, what_means_other_rows_is_left_open) {
  EXPECT_THAT(open_in("IF EXISTS (SELECT 1 FROM seat WHERE event = e) THEN RETURN; END IF;\n"),
              HasSubstr("EXISTS"));
  EXPECT_THAT(open_in("SELECT EXISTS (SELECT 1 FROM seat WHERE event = e) INTO b;\n"),
              HasSubstr("EXISTS"));
  EXPECT_THAT(open_in("SELECT s.event INTO v FROM seat s JOIN event o ON o.id = s.event;\n"),
              HasSubstr("a join (p.sql:"));
  EXPECT_THAT(open_in("SELECT s.event INTO v FROM seat s, event o WHERE o.id = s.event;\n"),
              HasSubstr("several tables"));
  EXPECT_THAT(open_in("UPDATE seat SET who = w WHERE event = (SELECT id FROM event LIMIT 1);\n"),
              testing::Not(IsEmpty()));
  EXPECT_THAT(open_in("DELETE FROM seat WHERE event IN (SELECT id FROM event);\n"),
              HasSubstr("several tables"));
  EXPECT_THAT(open_in("SELECT count(*) INTO v FROM seat WHERE event = e;\n"),
              HasSubstr("aggregate"));
  EXPECT_THAT(open_in("SELECT event INTO v FROM seat GROUP BY event;\n"), HasSubstr("GROUP BY"));
  EXPECT_THAT(open_in("SELECT event INTO v FROM seat ORDER BY id LIMIT 1;\n"), HasSubstr("LIMIT"));
  EXPECT_THAT(open_in("SELECT id INTO v FROM seat WHERE event = e FOR UPDATE SKIP LOCKED;\n"),
              HasSubstr("SKIP LOCKED"));
  EXPECT_THAT(open_in("INSERT INTO seat (id, event) SELECT id, 1 FROM event;\n"),
              testing::Not(IsEmpty()));
  EXPECT_THAT(open_in("INSERT INTO seat (id, event) VALUES (e, 1) ON CONFLICT DO NOTHING;\n"),
              HasSubstr("ON CONFLICT"));
  EXPECT_THAT(open_in("INSERT INTO seat (id, event) VALUES ((SELECT max(id) FROM seat), 1)\n"
                      "ON CONFLICT DO NOTHING;\n"),
              HasSubstr("not read exactly"));
  EXPECT_THAT(open_in("INSERT INTO seat (id, event) VALUES (e, 1), (2, 2);\n"),
              testing::Not(IsEmpty()));
}

TEST(LeftOpen, what_is_computed_or_not_known_is_left_open) {
  EXPECT_THAT(open_in("SELECT id INTO v FROM seat WHERE code = w;\n"),
              HasSubstr("how the values of seat.code compare"));
  EXPECT_THAT(open_in("SELECT id INTO v FROM seat WHERE weight = 1;\n"), HasSubstr("seat.weight"));
  EXPECT_THAT(open_in("SELECT id INTO v FROM missing WHERE id = e;\n"),
              HasSubstr("a table that no file defines"));
  EXPECT_THAT(open_in("EXECUTE 'UPDATE seat SET who = ' || w;\n"), testing::Not(IsEmpty()));
  EXPECT_THAT(open_in("PERFORM anything(e);\n"), HasSubstr("code that nobody knows"));
  EXPECT_THAT(open_in("UPDATE seat SET who = w WHERE id = e RETURNING event INTO v;\n"),
              HasSubstr("RETURNING"));
  EXPECT_THAT(open_in("SELECT id INTO v FROM seat WHERE id = any (ARRAY[1, e]);\n"),
              testing::Not(IsEmpty()));
}

TEST(LeftOpen, bodies_that_go_round_or_recover_are_left_open) {
  EXPECT_THAT(open_in("FOR i IN 1..3 LOOP\nUPDATE seat SET who = w WHERE id = i;\nEND LOOP;\n"),
              HasSubstr("a loop, which may have more rounds"));
  EXPECT_THAT(open_in("IF e = 1 THEN\nFOR r IN SELECT id FROM seat LOOP\nDELETE FROM event WHERE "
                      "id = r.id;\nEND LOOP;\nEND IF;\n"),
              HasSubstr("a loop"));
  EXPECT_THAT(open_in("BEGIN\nINSERT INTO seat (id, event) VALUES (e, 1);\n"
                      "EXCEPTION WHEN unique_violation THEN\nRETURN;\nEND;\n"),
              HasSubstr("recovery from errors in book"));
}

}  // namespace
}  // namespace heddle::find
