// Which texts are the same statement of MariaDB.
#include "wire/mariadb/statement_essence.h"

#include <string>

#include <gtest/gtest.h>

namespace heddle::mariadb {
namespace {

TEST(MariadbEssence, leaves_out_what_does_not_matter) {
  for (const char* text :
       {"SELECT a FROM t WHERE b = 1", "select `a`\nfrom t  where `b`=1;",
        "SELECT a -- why\nFROM t # how\nWHERE b = '1'", "SELECT a FROM/* now */t WHERE b = 1.0",
        "SELECT a FROM t WHERE b = TRUE"}) {
    EXPECT_EQ(statement_essence(text), "select a from t where b = 1") << text;
  }
}

TEST(MariadbEssence, knows_what_quotes_hold) {
  EXPECT_EQ(statement_essence(R"(SELECT 'it\'s', "a ""b""", 'x\\y')"),
            statement_essence(R"(SELECT 'it''s', 'a "b"', 'x\\y')"));
  EXPECT_EQ(statement_essence("SELECT 'a -- b', 'c # d', '/* e */'"),
            "select 'a -- b' , 'c # d' , '/* e */'");
  EXPECT_EQ(statement_essence("SELECT `a b`, `c`"), "select \"a b\" , c");
  EXPECT_NE(statement_essence("SELECT 'a'"), statement_essence("SELECT `a`"));
  EXPECT_NE(statement_essence(R"(SELECT 'a\'b')"), statement_essence(R"(SELECT 'a', 'b')"));
}

TEST(MariadbEssence, knows_numbers_and_points_in_time) {
  EXPECT_EQ(statement_essence("SELECT 2E-3 - 1"), statement_essence("SELECT 0.002 - '1.00'"));
  // Two hyphens without a blank are no comment.
  EXPECT_EQ(statement_essence("SELECT 5--1"), "select 5 - - 1");
  EXPECT_EQ(statement_essence("SELECT '2026-01-31 10:20:30.500000'"),
            "select '2026-01-31 10:20:30.5'");
}

TEST(MariadbEssence, does_without_the_drivers_limit_of_time) {
  EXPECT_EQ(statement_essence("SET STATEMENT max_statement_time=5 FOR SELECT a FROM t FOR UPDATE"),
            "select a from t for update");
}

TEST(MariadbEssence, never_stops_early) {
  for (const char* text : {"'", "`", "\"", "/*", "'\\", "--", "-", "#", "``", "1e-"}) {
    EXPECT_FALSE(statement_essence(std::string("SELECT ") + text).empty()) << text;
  }
}

TEST(MariadbEssence, tells_what_ends_and_what_is_a_drivers) {
  for (const char* text : {"COMMIT", "ROLLBACK", "rollback work"}) {
    EXPECT_TRUE(is_end(statement_essence(text))) << text;
  }
  for (const char* text : {"ROLLBACK TO SAVEPOINT a", "ROLLBACK WORK TO a", "SELECT 1"}) {
    EXPECT_FALSE(is_end(statement_essence(text))) << text;
  }
  for (const char* text : {"set autocommit=0", "SELECT @@tx_isolation", "SHOW WARNINGS",
                           "SELECT * FROM information_schema.PARAMETERS"}) {
    EXPECT_TRUE(is_of_driver(statement_essence(text))) << text;
  }
  for (const char* text : {"SELECT setting FROM t", "SELECT @a", "UPDATE t SET a = 1",
                           "SET STATEMENT max_statement_time=5 FOR UPDATE t SET a = 1",
                           "SET STATEMENT sort_buffer_size = 1 FOR DELETE FROM t"}) {
    EXPECT_FALSE(is_of_driver(statement_essence(text))) << text;
  }
}

}  // namespace
}  // namespace heddle::mariadb
