// Which statements are the same.
#include "wire/postgres/statement_essence.h"

#include <string>

#include <gtest/gtest.h>

namespace heddle::postgres {
namespace {

using Values = std::vector<std::optional<std::string>>;

std::string essence(const std::string& text, const Values& values = {}) {
  return statement_essence(text, values);
}

TEST(StatementEssence, words_count_and_not_how_they_are_written) {
  EXPECT_EQ(essence("SELECT  a,b\n FROM \"t\" -- all\n WHERE x=$1 ;", {"7"}),
            essence("select a, b from t where x = 7"));
  EXPECT_NE(essence("SELECT a FROM t"), essence("SELECT a FROM \"T\""));
  EXPECT_NE(essence("SELECT 'A'"), essence("SELECT 'a'"));
}

TEST(StatementEssence, values_count_and_not_how_they_are_written) {
  EXPECT_EQ(essence("a = $1", {"1.50"}), essence("a = $1", {"1.5"}));
  EXPECT_EQ(essence("a = $1", {"151.0"}), essence("a = $1", {"151"}));
  EXPECT_EQ(essence("a = $1", {"-3"}), essence("a = -3"));
  EXPECT_EQ(essence("a = $1", {"2026-01-31 00:00:00+00"}), essence("a = $1", {"2026-01-31"}));
  EXPECT_EQ(essence("a = $1", {"2026-01-31 10:20:30.500 +00"}),
            essence("a = $1", {"2026-01-31T10:20:30.5"}));
  EXPECT_EQ(essence("a = $1", {std::nullopt}), essence("a = NULL"));
  EXPECT_NE(essence("a = $1", {"1"}), essence("a = $1", {"2"}));
  EXPECT_NE(essence("a = $1", {"it's"}), essence("a = $1", {"its"}));
  EXPECT_EQ(essence("a = $1", {"it's"}), essence("a = 'it''s'"));
  EXPECT_EQ(essence("a = $1", {"a   "}), essence("a = $1", {"a"}));
  EXPECT_NE(essence("a = $1", {"2026-01-31 10:20:30+01"}),
            essence("a = $1", {"2026-01-31 10:20:30"}));
}

TEST(StatementEssence, a_value_does_not_become_words) {
  EXPECT_NE(essence("SELECT $1", {"1; DELETE FROM t"}), essence("SELECT 1; DELETE FROM t"));
  EXPECT_NE(essence("SELECT $1", {"null"}), essence("SELECT NULL"));
}

TEST(StatementEssence, a_list_may_be_one_value) {
  EXPECT_EQ(essence("id = ANY($1)", {"{1,2}"}), essence("id IN ($1, $2)", {"1", "2"}));
  EXPECT_EQ(essence("id = ANY($1)", {"{\"1\", \"2\"}"}), essence("id IN (1, 2)"));
  EXPECT_NE(essence("id = ANY($1)", {"{1,2}"}), essence("id IN ($1, $2)", {"1", "3"}));
}

TEST(StatementEssence, kinds_are_told_by_their_first_words) {
  EXPECT_TRUE(is_begin(essence("BEGIN READ ONLY")));
  EXPECT_TRUE(is_begin(essence("start  transaction")));
  EXPECT_FALSE(is_begin(essence("SELECT 1")));
  EXPECT_TRUE(is_end(essence("COMMIT;")));
  EXPECT_TRUE(is_end(essence("ROLLBACK")));
  EXPECT_FALSE(is_end(essence("ROLLBACK TO SAVEPOINT s")));
  EXPECT_TRUE(is_of_driver(essence("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")));
  EXPECT_TRUE(is_of_driver(essence("SELECT t.oid FROM pg_catalog.pg_type t")));
  EXPECT_FALSE(is_of_driver(essence("SELECT a FROM settings")));
}

TEST(StatementEssence, what_prepares_a_connection_reads_nothing_of_the_applications) {
  for (const char* text :
       {"SET TIME ZONE 'UTC'", "SHOW server_version", "SELECT 1", "", "DISCARD ALL",
        "select current_schema()", "SELECT oid FROM pg_type",
        "SELECT typname FROM pg_type WHERE oid = 5",
        "SELECT column_name FROM information_schema.columns WHERE table_name = 'a'"}) {
    EXPECT_TRUE(prepares_connection(statement_template(text))) << text;
  }
  for (const char* text :
       {"SELECT 1 FROM a", "SELECT nextval('pg_type')", "SELECT pg_advisory_lock(1)",
        "SELECT settle()", "UPDATE pg_type_of_mine SET a = 1", "SELECT * FROM pg_type_of_mine"}) {
    EXPECT_FALSE(prepares_connection(statement_template(text))) << text;
  }
}

TEST(StatementEssence, truth_values_are_the_same_in_the_text_and_as_values) {
  EXPECT_EQ(statement_essence("UPDATE t SET a = TRUE WHERE b = false", {}),
            statement_essence("UPDATE t SET a = $1 WHERE b = $2", {"true", "false"}));
  EXPECT_NE(statement_essence("UPDATE t SET a = TRUE", {}),
            statement_essence("UPDATE t SET a = $1", {"false"}));
}

TEST(StatementEssence, never_ends_within_a_string) {
  for (const char* text :
       {"'", "\"", "$a", "$$x", "/*", "--", "$0", "$99999999999999999999", "'''"}) {
    essence(text);
  }
}

TEST(StatementEssence, templates_have_no_values) {
  EXPECT_EQ(statement_template("SELECT * FROM t WHERE id = 7 AND name = 'it''s' -- why\n;"),
            "select * from t where id = ? and name = ?");
  EXPECT_EQ(statement_template("SELECT 1 FROM t WHERE id IN ($1, $2, $3) AND x = -4"),
            statement_template("SELECT 9 FROM t WHERE id IN ($1) AND x = 4"));
  EXPECT_NE(statement_template("SELECT a - 1 FROM t"), statement_template("SELECT a, 1 FROM t"));
  EXPECT_EQ(statement_template("SELECT $$a b$$, E'x'"), "select ? , e ?");
  EXPECT_EQ(statement_template(""), "");
}

}  // namespace
}  // namespace heddle::postgres
