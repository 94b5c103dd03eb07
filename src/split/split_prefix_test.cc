// Calls before a cycle across a cut: what the program makes possible from the rows that are there
// at first.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/cut_search.h"
#include "split/split_testing.h"

namespace heddle {
namespace {

using split_testing::behind_calls;
using split_testing::cut_of;
using split_testing::kBank;
using split_testing::kOne;
using split_testing::kOpen;
using split_testing::kTwo;
using split_testing::parse;
using split_testing::routine;
using testing::IsEmpty;

using testing::UnorderedElementsAre;

// The calls before each cycle of these functionalities.
std::set<std::string> calls_before(const std::string& text, const std::set<std::string>& of,
                                   const SplitOptions& options) {
  std::set<std::string> all;
  const Program program = parse(text);
  const Result<SplitReport> report = split_program(program, cut_of(kTwo), options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  if (!report) return all;
  EXPECT_EQ(report->bound, "");
  for (const SplitCause& cause : report->causes) {
    for (const FoundCycle& cycle : cause.cycles) {
      std::set<std::string> names;
      for (const FoundNode& node : cycle.nodes) {
        names.insert(program.functionalities[node.functionality].name);
      }
      if (names != of) continue;
      std::string calls;
      for (const std::size_t call : cycle.prefix) calls += program.functionalities[call].name + " ";
      all.insert(calls);
    }
  }
  return all;
}

TEST(SplitPrefix, makes_the_rows_that_are_not_there_at_first) {
  const std::string text = kBank + kOpen;
  const std::set<std::string> pair = {"total", "transfer"};
  EXPECT_THAT(calls_before(text, pair, behind_calls(0)), IsEmpty());
  EXPECT_THAT(calls_before(text, pair, behind_calls(1)), UnorderedElementsAre("open_account "));
  // Where any rows may be there, nobody has to make them.
  EXPECT_THAT(calls_before(text, pair, SplitOptions{}), UnorderedElementsAre(""));
}

TEST(SplitPrefix, is_of_use_only_where_the_program_makes_the_rows) {
  const std::string half =
      routine("open_account(cid int, amount int)",
              "BEGIN\nINSERT INTO account VALUES (cid, amount) ON CONFLICT DO NOTHING;\nEND");
  EXPECT_THAT(calls_before(kBank + half, {"total", "transfer"}, behind_calls(2)), IsEmpty());
  EXPECT_THAT(calls_before(kBank, {"total", "transfer"}, behind_calls(2)), IsEmpty());
}

// Each of them is cut, too, and runs before all others all the same.
TEST(SplitPrefix, may_be_several_calls_in_an_order) {
  const std::string text =
      kBank +
      routine("open_account(cid int)",
              "BEGIN\nINSERT INTO account VALUES (cid, 1) ON CONFLICT DO NOTHING;\nEND") +
      routine("open_wallet(cid int)",
              "DECLARE b int;\nBEGIN\nSELECT balance INTO b FROM account WHERE id = cid;\n"
              "IF b = 1 THEN\nINSERT INTO wallet VALUES (cid, b) ON CONFLICT DO NOTHING;\n"
              "END IF;\nEND");
  EXPECT_THAT(calls_before(text, {"total", "transfer"}, behind_calls(1)), IsEmpty());
  EXPECT_THAT(calls_before(text, {"total", "transfer"}, behind_calls(2)),
              UnorderedElementsAre("open_account open_wallet "));
}

// What the whole program allows behind calls is not the cut's.
TEST(SplitPrefix, counts_only_what_the_cut_adds) {
  const Program program = parse(kBank + kOpen);
  const Result<SplitReport> report = split_program(program, cut_of(kOne), behind_calls(1));
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(report->causes, IsEmpty());
  EXPECT_EQ(report->max_prefix, 1U);
}

TEST(SplitPrefix, is_weighed_alike_where_cuts_are_compared) {
  const Program program = parse(kBank + kOpen);
  const Cut cut = cut_of(kTwo);
  for (const std::size_t calls : {0U, 1U}) {
    const SplitOptions options = behind_calls(calls);
    const Result<SplitReport> alone = split_program(program, cut, options);
    const Result<CutComparison> compared = compare_cuts(program, {cut}, options);
    ASSERT_TRUE(alone && compared);
    EXPECT_EQ(compared->cuts[0].score.causes, alone->causes.size()) << calls;
    EXPECT_EQ(compared->max_prefix, calls);
  }
}

}  // namespace
}  // namespace heddle
