#include "record/transaction_levels.h"

#include <string>

#include <gtest/gtest.h>

#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

// Behind these statements, each in a transaction that is still open.
std::string level_behind(std::initializer_list<const char*> statements) {
  TransactionLevels levels;
  for (const char* text : statements) levels.statement(postgres::statement_essence(text, {}));
  return levels.level();
}

TEST(TransactionLevels, are_those_that_the_transaction_names) {
  EXPECT_EQ(level_behind({"BEGIN"}), "");
  EXPECT_EQ(level_behind({"BEGIN ISOLATION LEVEL SERIALIZABLE"}), "serializable");
  EXPECT_EQ(level_behind({"START TRANSACTION READ ONLY, ISOLATION LEVEL REPEATABLE  READ"}),
            "repeatable-read");
  EXPECT_EQ(level_behind({"BEGIN", "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED"}),
            "read-uncommitted");
  EXPECT_EQ(level_behind({"SET LOCAL transaction_isolation = 'read committed'"}), "read-committed");
  EXPECT_EQ(level_behind({"SELECT isolation FROM rooms"}), "");
}

TEST(TransactionLevels, end_with_their_transaction) {
  TransactionLevels levels;
  levels.statement(postgres::statement_essence("BEGIN ISOLATION LEVEL SERIALIZABLE", {}));
  levels.end();
  EXPECT_EQ(levels.level(), "");
}

TEST(TransactionLevels, of_the_session_stay) {
  for (const char* text :
       {"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "SET default_transaction_isolation TO 'repeatable read'",
        "SET SESSION default_transaction_isolation = \"repeatable read\""}) {
    TransactionLevels levels;
    levels.statement(postgres::statement_essence(text, {}));
    levels.end();
    EXPECT_EQ(levels.level(), "repeatable-read") << text;
    levels.statement(
        postgres::statement_essence("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", {}));
    EXPECT_EQ(levels.level(), "serializable");
    levels.end();
    EXPECT_EQ(levels.level(), "repeatable-read");
  }
}

TEST(TransactionLevels, may_be_said_when_the_client_connects) {
  TransactionLevels levels;
  levels.begin("-c search_path=a -c default_transaction_isolation=serializable");
  EXPECT_EQ(levels.level(), "serializable");
  // A backslash stands before a blank within a value.
  levels.begin("-c default_transaction_isolation=repeatable\\ read -c a=b");
  EXPECT_EQ(levels.level(), "repeatable-read");
  levels.begin("--default-transaction-isolation=read\\ committed");
  EXPECT_EQ(levels.level(), "read-committed");
}

TEST(TransactionLevels, are_given_up_for_those_of_the_connection) {
  for (const char* text : {"RESET default_transaction_isolation", "RESET ALL", "DISCARD ALL",
                           "SET default_transaction_isolation TO DEFAULT"}) {
    TransactionLevels levels;
    levels.begin("-c default_transaction_isolation=serializable");
    levels.statement(
        postgres::statement_essence("SET default_transaction_isolation = 'read committed'", {}));
    EXPECT_EQ(levels.level(), "read-committed");
    EXPECT_TRUE(TransactionLevels::may_concern(text)) << text;
    levels.statement(postgres::statement_essence(text, {}));
    EXPECT_EQ(levels.level(), "serializable") << text;
  }
}

}  // namespace
}  // namespace heddle
