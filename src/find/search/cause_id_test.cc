// Ids of causes last when a program is edited elsewhere, and tell causes apart.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/find.h"

namespace heddle::find {
namespace {

constexpr const char* kTables =
    "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n";
constexpr const char* kWithdrawRoutine = R"(
CREATE PROCEDURE withdraw(acc int, amount int) LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO b FROM account WHERE id = acc;
  UPDATE account SET balance = b - amount WHERE id = acc;
END $$;)";
constexpr const char* kDeposit = R"(
CREATE PROCEDURE deposit(acc int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + amount WHERE id = acc;
END $$;)";

std::vector<std::string> ids(const std::string& sql) {
  const Result<Program> program = parse_program({{"bank.sql", sql}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  const Result<FindReport> report = find_anomalies(*program, FindOptions{});
  EXPECT_TRUE(report);
  std::vector<std::string> ids;
  for (const FoundCause& cause : report->causes) ids.push_back(cause.id);
  std::ranges::sort(ids);
  return ids;
}

TEST(CauseIds, are_twelve_digits_and_differ) {
  const std::vector<std::string> all = ids(std::string(kTables) + kWithdrawRoutine + kDeposit);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  for (const std::string& id : all) {
    EXPECT_EQ(id.size(), 12U);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  }
}

TEST(CauseIds, stay_when_lines_move_and_functionalities_change_places) {
  const auto before = ids(std::string(kTables) + kWithdrawRoutine + kDeposit);
  EXPECT_EQ(before, ids(std::string(kTables) + kDeposit + "\n\n-- a comment\n" + kWithdrawRoutine));
  std::string spaced = kWithdrawRoutine;
  spaced.replace(spaced.find("FROM account"), 12, "FROM /* all */\n\n   account");
  EXPECT_EQ(before, ids(kTables + spaced + kDeposit));
}

TEST(CauseIds, change_with_the_statements) {
  const auto before = ids(std::string(kTables) + kWithdrawRoutine);
  std::string other = kWithdrawRoutine;
  other.replace(other.find("b - amount"), 10, "b + amount");
  EXPECT_NE(before, ids(kTables + other));
}

// The statements of both loops say the same.
TEST(CauseIds, of_the_same_text_are_told_apart_by_their_order) {
  const std::string body =
      "  SELECT balance INTO b FROM account WHERE id = acc;\n"
      "  UPDATE account SET balance = b - amount WHERE id = acc;\n";
  const auto all = ids(std::string(kTables) +
                       "CREATE PROCEDURE twice(acc int, amount int) LANGUAGE plpgsql AS $$\n"
                       "DECLARE b int;\nBEGIN\n" +
                       body + "  COMMIT;\n" + body + "END $$;");
  EXPECT_GT(all.size(), 1U);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

TEST(CauseIds, come_with_how_far_was_looked) {
  const Result<Program> program =
      parse_program({{"bank.sql", std::string(kTables) + kWithdrawRoutine}});
  FindOptions options;
  options.max_instances = 2;
  EXPECT_EQ(find_anomalies(*program, options)->max_instances, 2U);
  EXPECT_EQ(explain_removed(*program, options)->max_instances, 2U);
}

}  // namespace
}  // namespace heddle::find
