// How functionalities are chopped, and what a cut has to say of the tables.
#include "split/chop.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/split.h"
#include "split/split_testing.h"

namespace heddle {
namespace {

using namespace split_testing;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The bodies of the chopped functionality, a line for each statement.
std::string chopped(const std::string& body, const std::string& cut = kTwo) {
  const Program program = parse(std::string(kTables) + routine("f(a int)", body));
  const Result<Cut> matched = match_cut(cut_of(cut), program.schema);
  EXPECT_TRUE(matched);
  const Result<ChoppedProgram> result = chop_program(program, *matched);
  EXPECT_TRUE(result);
  std::string text = print_program(result->program);
  text = text.substr(text.find("BEGIN\n") + 6);
  return text.substr(0, text.find("END $$"));
}

TEST(Chopping, commits_where_a_service_hands_over) {
  EXPECT_EQ(chopped("BEGIN\nDELETE FROM account WHERE id = a;\nDELETE FROM account;\n"
                    "DELETE FROM wallet;\nDELETE FROM account;\nEND"),
            "  DELETE FROM account WHERE id = a;\n  DELETE FROM account;\n  COMMIT;\n"
            "  DELETE FROM wallet;\n  COMMIT;\n  DELETE FROM account;\n");
}

TEST(Chopping, ends_the_arms_of_a_branch_that_are_open) {
  EXPECT_EQ(chopped("BEGIN\nDELETE FROM wallet;\nIF a > 1 THEN DELETE FROM account; END IF;\n"
                    "DELETE FROM wallet;\nEND"),
            "  DELETE FROM wallet;\n  IF a > 1 THEN\n    COMMIT;\n    DELETE FROM account;\n"
            "    COMMIT;\n  END IF;\n  DELETE FROM wallet;\n");
}

TEST(Chopping, hands_over_at_the_end_of_each_round) {
  EXPECT_EQ(
      chopped("BEGIN\nFOR i IN 1..a LOOP\nDELETE FROM account;\nDELETE FROM wallet;\n"
              "END LOOP;\nEND"),
      "  FOR i IN 1 .. a LOOP\n    DELETE FROM account;\n    COMMIT;\n    DELETE FROM wallet;\n"
      "    COMMIT;\n  END LOOP;\n");
}

// The rounds are one transaction.
TEST(Chopping, hands_over_to_a_loop_before_its_first_round) {
  EXPECT_EQ(chopped("BEGIN\nDELETE FROM wallet;\nFOR i IN 1..a LOOP\nIF a > i THEN\nDELETE FROM "
                    "account;\nEND IF;\nEND LOOP;\nDELETE FROM account;\nEND"),
            "  DELETE FROM wallet;\n  COMMIT;\n  FOR i IN 1 .. a LOOP\n    IF a > i THEN\n"
            "      DELETE FROM account;\n    END IF;\n  END LOOP;\n  DELETE FROM account;\n");
}

TEST(Chopping, hands_over_in_a_loop_that_goes_on_with_what_is_open) {
  EXPECT_EQ(chopped("BEGIN\nDELETE FROM wallet;\nFOR i IN 1..a LOOP\nDELETE FROM wallet;\nDELETE "
                    "FROM account;\nEND LOOP;\nEND"),
            "  DELETE FROM wallet;\n  FOR i IN 1 .. a LOOP\n    DELETE FROM wallet;\n    COMMIT;\n"
            "    DELETE FROM account;\n    COMMIT;\n  END LOOP;\n");
}

// Whoever leaves the loop before the wallet is written has the account open.
TEST(Chopping, ends_what_is_open_where_a_loop_is_left) {
  EXPECT_EQ(chopped("BEGIN\nLOOP\nDELETE FROM account;\nEXIT WHEN a > 1;\nDELETE FROM wallet;\n"
                    "END LOOP;\nDELETE FROM wallet;\nEND"),
            "  LOOP\n    COMMIT;\n    DELETE FROM account;\n    IF a > 1 THEN\n      EXIT;\n"
            "    END IF;\n    COMMIT;\n    DELETE FROM wallet;\n    COMMIT;\n  END LOOP;\n"
            "  COMMIT;\n  DELETE FROM wallet;\n");
}

TEST(Chopping, leaves_one_service_alone) {
  const std::string body = "BEGIN\nDELETE FROM account;\nDELETE FROM wallet;\nEND";
  EXPECT_EQ(chopped(body, kOne), "  DELETE FROM account;\n  DELETE FROM wallet;\n");
}

TEST(Chopping, a_join_becomes_a_read_in_each_service) {
  const Program program =
      parse(std::string(kTables) +
            "CREATE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS $$\nDECLARE v int;\nBEGIN\n"
            "SELECT account.balance + wallet.balance INTO v FROM account JOIN wallet ON "
            "wallet.id = account.id WHERE account.id = a;\nRETURN v;\nEND\n$$;\n");
  const Result<Cut> matched = match_cut(cut_of(kTwo), program.schema);
  const Result<ChoppedProgram> result = chop_program(program, *matched);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->notes.size(), 1U);
  EXPECT_THAT(result->notes[0].what_to_do, HasSubstr("the caller joins"));
  ASSERT_EQ(result->sub_transactions[0].size(), 2U);
  EXPECT_EQ(result->sub_transactions[0][0].service, 0U);
  EXPECT_EQ(result->sub_transactions[0][1].service, 1U);
  const std::string text = print_program(result->program);
  EXPECT_THAT(text, HasSubstr("SELECT balance, id INTO account_row FROM account WHERE id = a;"));
  EXPECT_THAT(text, HasSubstr("SELECT balance INTO wallet_row FROM wallet WHERE "
                              "id = account_row.id;"));
}

// "line (a, b) -> orders (x, y), M2 to M1" for each.
std::vector<std::string> torn_keys(const std::string& tables, const std::string& cut) {
  const Program program = parse(tables);
  const Result<SplitReport> report = split_program(program, cut_of(cut), {});
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  std::vector<std::string> texts;
  for (const TornKey& key : report->torn_keys) {
    const auto& services = report->cut.services;
    texts.push_back(fmt::format("{} ({}) -> {} ({}), {} to {}", key.table,
                                fmt::join(key.columns, ", "), key.referenced_table,
                                fmt::join(key.referenced_columns, ", "), services[key.service].name,
                                services[key.referenced_service].name));
  }
  return texts;
}

TEST(TornKeys, are_those_between_services) {
  const std::string tables =
      "CREATE TABLE orders (x int, y int, parent int, PRIMARY KEY (x, y), UNIQUE (x));\n"
      "CREATE TABLE line (a int, b int REFERENCES orders (x), FOREIGN KEY (a, b) REFERENCES "
      "orders);\n"
      "ALTER TABLE orders ADD FOREIGN KEY (parent) REFERENCES orders (x);\n"
      "CREATE TABLE note (a int REFERENCES Orders (x));\n";
  EXPECT_THAT(torn_keys(tables, R"({"M1": ["orders", "note"], "M2": ["line"]})"),
              UnorderedElementsAre("line (b) -> orders (x), M2 to M1",
                                   "line (a, b) -> orders (x, y), M2 to M1"));
  EXPECT_THAT(torn_keys(tables, R"({"M": ["orders", "note", "line"]})"), IsEmpty());
}

std::string trouble(const std::string& cut) {
  const Program program = parse(kBank);
  const Result<Cut> read = parse_cut(cut, "cut.json");
  if (!read) return to_string(read.error());
  const Result<Cut> matched = match_cut(*read, program.schema);
  return matched ? "" : to_string(matched.error());
}

TEST(Cuts, are_held_against_the_tables) {
  EXPECT_EQ(trouble(kTwo), "");
  EXPECT_EQ(trouble(R"({"M1": ["Account"], "M2": ["WALLET"]})"), "");
  EXPECT_THAT(trouble(R"({"M1": ["acount", "wallet"]})"),
              HasSubstr("cut.json:1:9: the program has no table \"acount\", did you mean "
                        "\"account\"?"));
  EXPECT_THAT(trouble(R"({"M1": ["account"]})"), HasSubstr("no service owns \"wallet\""));
  EXPECT_THAT(trouble(R"({"M1": ["account", "wallet"], "M2": ["account"]})"),
              HasSubstr("cut.json:1:38: the table \"account\" is there twice"));
}

}  // namespace
}  // namespace heddle
