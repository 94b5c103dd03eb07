#include "frontend/marks/sql_marks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle::marks {
namespace {

std::string marks(const std::string& text) {
  static constexpr const char* kKinds[] = {"routine", "trigger", "inheritance", "table",
                                           "statement"};
  std::string found;
  for (const SqlMark& one : sql_marks(scan(text, *language_of("a.sql")))) {
    found +=
        fmt::format("{}{} {} {}-{}", found.empty() ? "" : ", ",
                    kKinds[static_cast<std::size_t>(one.kind)], one.name, one.first_line, one.line);
  }
  return found;
}

TEST(SqlMarks, routines_of_several_dialects) {
  EXPECT_EQ("routine f 1-2", marks("-- f\nCREATE OR REPLACE FUNCTION shop.F(a int) RETURNS int AS "
                                   "$$ SELECT 1; $$ LANGUAGE sql;"));
  EXPECT_EQ(
      "routine p 1-1, table t 3-3",
      marks(
          "CREATE PROCEDURE p() LANGUAGE sql BEGIN ATOMIC DELETE FROM a;\n"
          "UPDATE b SET x = CASE WHEN y THEN 1 END; END;\nCREATE TABLE IF NOT EXISTS t (a int);"));
  EXPECT_EQ("routine pay 1-1, statement update 4-4",
            marks("CREATE DEFINER=`root`@`localhost` PROCEDURE `pay`(a int)\nBEGIN IF a > 0 THEN "
                  "DELETE FROM t; END IF;\n"
                  "WHILE a > 1 DO UPDATE t SET a = 1; END WHILE; END;\nUPDATE t SET a = 2;"));
  EXPECT_EQ("trigger g 1-1",
            marks("CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f();"));
  EXPECT_EQ("trigger g 1-1, table u 2-2", marks("CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW "
                                                "BEGIN SET NEW.a = 1; UPDATE t SET b = 2; END;\n"
                                                "create unlogged table \"u\" (a int);"));
}

TEST(SqlMarks, tables_that_inherit) {
  EXPECT_EQ("table u 1-1, inheritance u 1-1, table v 2-2, table inherits 3-3",
            marks("CREATE TABLE u (a int) INHERITS (t);\nCREATE TABLE v (inherits int);\n"
                  "CREATE TABLE inherits (a int DEFAULT 1);"));
  EXPECT_EQ("inheritance e 1-1",
            marks("ALTER TABLE ONLY shop.e INHERIT t; ALTER TABLE e NO INHERIT t;"
                  "ALTER TABLE e ADD inherits int;"));
}

TEST(SqlMarks, statements_outside_of_routines) {
  EXPECT_EQ("statement update 2-2, statement select 3-3",
            marks("BEGIN;\nUPDATE t SET a = 1;\nSELECT a FROM t FOR UPDATE;\nCOMMIT;"));
  EXPECT_EQ("",
            marks("INSERT INTO t VALUES (1); SELECT pg_catalog.setval('s', (SELECT max(a) FROM t));"
                  "SET search_path = x; SELECT 1;"));
  EXPECT_EQ("", marks("-- UPDATE t SET a = 1;\n/* DELETE FROM t; */ INSERT INTO t VALUES ('; "
                      "DELETE FROM t');"));
}

TEST(SqlMarks, no_text_is_too_strange) {
  for (const char* text :
       {"", ";", "CREATE", "CREATE FUNCTION", "CREATE PROCEDURE p BEGIN", "BEGIN;",
        "CREATE DEFINER", "CREATE TRIGGER t BEGIN END END END;", "\\copy t", "'"}) {
    EXPECT_LE(marks(text).size(), 40U) << text;
  }
}

}  // namespace
}  // namespace heddle::marks
