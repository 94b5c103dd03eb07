#include "frontend/marks/sql_words.h"

#include <gtest/gtest.h>

namespace heddle::marks {
namespace {

TEST(SqlWords, statements_are_told_from_words_for_people) {
  for (const char* text : {"SELECT balance FROM account WHERE id = ?",
                           "select a, b from t",
                           "select * from t",
                           "select count(*) from t where x = :x",
                           "  UPDATE account SET balance = balance - %s",
                           "update account set balance = $1",
                           "INSERT INTO t VALUES (?)",
                           "insert into t (a) values (1)",
                           "DELETE FROM t",
                           "delete from cart where id = ?",
                           "WITH x AS (SELECT 1) SELECT * FROM x",
                           "{call pay(?, ?)}",
                           "CALL pay(?)",
                           "SELECT next_number(?)",
                           "MERGE INTO t USING s ON a = b",
                           "select o from Order o where o.id = :id",
                           "from Order o where o.id = 1",
                           "SELECT  ?  FROM t",
                           "select t.a x, t.b y from t",
                           "REPLACE INTO t VALUES (1)",
                           "TRUNCATE TABLE t",
                           "/* hint */ SELECT 1 FROM dual",
                           "SELECT * FROM {0} WHERE x"}) {
    EXPECT_EQ(SqlKind::data, sql_kind(text)) << text;
  }
  for (const char* text :
       {"Select an item from the list", "select an item from the list", "update the settings",
        "delete from favourites now please", "insert coins", "Delete from cart", "from here on",
        "selected", "with love", "call me maybe", "", "SELECT", "update", "please select one from",
        "execute order", "insert into the database"}) {
    EXPECT_EQ(SqlKind::none, sql_kind(text)) << text;
  }
  for (const char* text : {"CREATE TABLE t (a int)", "DROP TABLE t", "create index i on t (a)",
                           "SET search_path = x", "ALTER TABLE t ADD a int"}) {
    EXPECT_EQ(SqlKind::definition, sql_kind(text)) << text;
  }
}

}  // namespace
}  // namespace heddle::marks
