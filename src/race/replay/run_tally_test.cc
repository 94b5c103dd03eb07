#include "race/replay/run_tally.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

const Turns kOverlap = {{.party = Party::first, .until = SwitchPoint{.shape = {0, "UPDATE a"}}},
                        {.party = Party::second},
                        {.party = Party::first}};

JudgedRun overlap(RaceVerdictKind kind, const std::string& why = "") {
  JudgedRun run{.turns = kOverlap};
  run.verdict = {.kind = kind, .why = why};
  return run;
}

RaceResult result_of(const std::vector<JudgedRun>& runs, const RaceVerdict& orders = {}) {
  RunTally tally;
  for (const JudgedRun& run : runs) tally.add(run);
  return tally.settle(orders).result;
}

TEST(RunTally, SettlesByTheWorstRun) {
  RunTally tally;
  EXPECT_FALSE(tally.add(overlap(RaceVerdictKind::nothing)));
  EXPECT_FALSE(tally.add(overlap(RaceVerdictKind::refused, "B was refused")));
  EXPECT_TRUE(tally.add(overlap(RaceVerdictKind::confirmed, "the rows are those of no order")));
  const RaceSettlement settled = tally.settle({});
  EXPECT_EQ(settled.result, RaceResult::confirmed);
  EXPECT_EQ(settled.why, "the rows are those of no order");
  ASSERT_TRUE(settled.shown);
  EXPECT_EQ(settled.shown->turns, kOverlap);
  EXPECT_EQ(tally.runs(), 3);
}

TEST(RunTally, TellsAStaleReadFromAnOverlap) {
  JudgedRun run = overlap(RaceVerdictKind::confirmed);
  run.order = RaceOrder::after_answer;
  run.verdict.is_stale_read = true;
  EXPECT_EQ(result_of({run}), RaceResult::stale_read);
}

TEST(RunTally, KnowsNothingWhereARunIsUndecided) {
  EXPECT_EQ(result_of({overlap(RaceVerdictKind::nothing), overlap(RaceVerdictKind::inconclusive)}),
            RaceResult::inconclusive);
  EXPECT_EQ(result_of({overlap(RaceVerdictKind::nothing)},
                      {.kind = RaceVerdictKind::inconclusive, .why = "chance"}),
            RaceResult::inconclusive);
}

TEST(RunTally, IsNotFeasibleWhereEachOverlapWaits) {
  JudgedRun waiting = overlap(RaceVerdictKind::nothing);
  waiting.record.waits.push_back({.party = Party::second, .is_in_database = true});
  RunTally tally;
  tally.add(waiting);
  EXPECT_EQ(tally.settle({}).result, RaceResult::not_feasible);
  EXPECT_EQ(tally.settle({}).why, "B waits for A in the database");
  tally.add(overlap(RaceVerdictKind::nothing));
  EXPECT_EQ(tally.settle({}).result, RaceResult::nothing);
}

TEST(RunTally, CountsNoOverlapThatWentAnotherWay) {
  JudgedRun drifted = overlap(RaceVerdictKind::nothing);
  drifted.drift = "it never came to the statement";
  EXPECT_EQ(result_of({drifted}), RaceResult::inconclusive);
  EXPECT_EQ(result_of({}), RaceResult::inconclusive);
}

TEST(RunTally, SaysThatTheOrdersDifferWhereNothingElseIsSeen) {
  EXPECT_EQ(result_of({overlap(RaceVerdictKind::nothing)},
                      {.kind = RaceVerdictKind::order_dependent, .why = "the rows differ"}),
            RaceResult::order_dependent);
}

}  // namespace
}  // namespace heddle
