// Users who make several calls, each of which a cut divides: what they see later must not be older.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "split/split_testing.h"

namespace heddle {
namespace {

using split_testing::cut_of;
using split_testing::kOne;
using split_testing::kTwo;
using split_testing::parse;
using split_testing::routine;
using testing::IsEmpty;

const std::string kDeposits =
    std::string(split_testing::kTables) +
    "CREATE FUNCTION total(cid int) RETURNS int LANGUAGE plpgsql AS $$\n"
    "DECLARE a int; w int;\nBEGIN\n"
    "SELECT balance INTO a FROM account WHERE id = cid;\n"
    "SELECT balance INTO w FROM wallet WHERE id = cid;\nRETURN a + w;\nEND\n$$;\n" +
    routine("pay_in(cid int, amount int)",
            "BEGIN\nUPDATE account SET balance = balance + amount WHERE id = cid;\nEND") +
    routine("fill(cid int, amount int)",
            "BEGIN\nIF amount < 0 THEN\nRETURN;\nEND IF;\n"
            "UPDATE wallet SET balance = balance + amount WHERE id = cid;\nEND");

SplitReport with_calls(std::size_t calls, const std::string& cut, const std::string& text) {
  SplitOptions options;
  options.max_calls = calls;
  Result<SplitReport> report = split_program(parse(text), cut_of(cut), options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  return report ? std::move(*report) : SplitReport{};
}

// total() may see what was done second and not what was done first.
TEST(SplitSessions, find_what_one_user_sees_in_another_order) {
  const SplitReport report = with_calls(2, kTwo, kDeposits);
  ASSERT_FALSE(report.causes.empty());
  EXPECT_EQ(report.chopped.sessions.size(), 9U);
  EXPECT_EQ(report.chopped.single_calls(), 3U);
  for (const SplitCause& cause : report.causes) {
    EXPECT_EQ(cause.kind, AnomalyKind::session_cycle);
    for (const FoundCycle& cycle : cause.cycles) {
      EXPECT_TRUE(std::ranges::any_of(
          cycle.nodes, [](const FoundNode& node) { return node.functionality >= 3; }));
    }
  }
  // Nobody makes two calls, or nothing is cut.
  EXPECT_THAT(with_calls(1, kTwo, kDeposits).causes, IsEmpty());
  EXPECT_THAT(with_calls(2, kOne, kDeposits).causes, IsEmpty());
}

// Each call is chopped as it is alone, also one that returns in the middle.
TEST(SplitSessions, have_the_sub_transactions_of_their_calls) {
  const SplitReport report = with_calls(2, kTwo, kDeposits);
  const ChoppedProgram& chopped = report.chopped;
  for (std::size_t i = 0; i < chopped.sessions.size(); ++i) {
    std::size_t expected = 0;
    for (const std::size_t called : chopped.sessions[i]) {
      expected += chopped.sub_transactions[called].size();
    }
    const std::size_t session = chopped.single_calls() + i;
    EXPECT_EQ(chopped.sub_transactions[session].size(), expected);
    for (const SubTransaction& sub : chopped.sub_transactions[session]) {
      EXPECT_EQ(sub.statements.size(), 1U);
    }
    EXPECT_EQ(chopped.origins[session].size(),
              list_statements(chopped.program.functionalities[session]).size());
  }
}

TEST(SplitSessions, may_be_named_by_the_constraints) {
  SplitOptions options;
  Result<Constraints> read =
      parse_constraints("session both { pay_in(who, 1); fill(who, 1) }\n", "c.txt");
  ASSERT_TRUE(read) << to_string(read.error());
  options.find.constraints = *std::move(read);
  const Result<SplitReport> report = split_program(parse(kDeposits), cut_of(kTwo), options);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->chopped.sessions.size(), 1U);
  ASSERT_EQ(report->causes.size(), 1U);
  EXPECT_EQ(report->causes[0].kind, AnomalyKind::session_cycle);
}

}  // namespace
}  // namespace heddle
