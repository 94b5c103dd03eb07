// Calls of one request that may overlap: which are candidates, and what tells that they are
// ordered.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "heddle/race.h"
#include "race/pairs/candidates_testing.h"

namespace heddle::race {
namespace {

std::string fee(const std::string& times, const std::string& path) {
  return "  " + times + " POST orders/" + path +
         "\n    orders-db: SELECT price FROM orders WHERE id = 7 -> orders.price=1\n"
         "    orders-db: UPDATE orders SET price = 2 WHERE id = 7\n";
}

TEST(Branches, ThatHaveOverlappedRace) {
  EXPECT_EQ(shown("1-90 POST shop/x\n" + fee("10-30", "one") + fee("20-40", "two")),
            "lost update: POST shop/x, branches\n"
            "  orders(id=7) price rw\n  orders(id=7) price wr\n  orders(id=7) price ww\n");
}

TEST(Branches, OneAfterTheOtherAreOrdered) {
  const RaceCandidates found =
      found_in("1-90 POST shop/x\n" + fee("10-20", "one") + fee("30-40", "two"));
  EXPECT_EQ(shown(found), "");
  ASSERT_EQ(found.left_out.size(), 1U);
  EXPECT_EQ(found.left_out[0].why,
            "in one flow the second begins when the first is over; seen once in this order");
}

TEST(Branches, AreOverruledByTheTeam) {
  EXPECT_EQ(found_in("1-90 POST shop/x\n" + fee("10-20", "one") + fee("30-40", "two"),
                     {.async = {"POST /one"}})
                .candidates.size(),
            1U);
}

TEST(Branches, WithDifferentParentsRace) {
  EXPECT_EQ(found_in("1-90 POST shop/x\n" + fee("10-20", "one ^1111111111111111") +
                     fee("30-40", "two ^2222222222222222"))
                .candidates.size(),
            1U);
  EXPECT_EQ(found_in("1-90 POST shop/x\n" + fee("10-20", "one ^1111111111111111") +
                     fee("30-40", "two ^1111111111111111"))
                .candidates.size(),
            0U);
}

// Libraries that open a span for each call give each its own parent.
TEST(Branches, AreNotToldByParentsWhereEachCallHasOne) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    const std::string base = std::to_string(i * 100 + 1);
    const auto at = [&](int begin) {
      return std::to_string(i * 100 + begin) + "-" + std::to_string(i * 100 + begin + 10);
    };
    text += base + "-" + std::to_string(i * 100 + 90) + " POST shop/x\n" +
            fee(at(10), "one ^1111111111111111") + fee(at(30), "two ^2222222222222222");
  }
  for (const RaceCandidate& each : found_in(text).candidates) {
    EXPECT_FALSE(each.is_between_branches);
  }
}

TEST(Branches, ThatGoOnAfterTheAnswerRace) {
  EXPECT_TRUE(found_in("1-25 POST shop/x\n" + fee("10-30", "one") + fee("40-50", "two"))
                  .candidates.front()
                  .is_between_branches);
}

TEST(Branches, ThatComeInBothOrdersRace) {
  bool are_there = false;
  for (const RaceCandidate& each :
       found_in("1-90 POST shop/x\n" + fee("10-20", "one") + fee("30-40", "two") +
                "101-190 POST shop/x\n" + fee("110-120", "two") + fee("130-140", "one"))
           .candidates) {
    are_there = are_there || each.is_between_branches;
  }
  EXPECT_TRUE(are_there);
}

TEST(Branches, ThatComeInAnotherOrderInAnotherRecordingRace) {
  const auto trace = [](const std::string& text) { return trace_of(std::string(kTables) + text); };
  const Trace here = trace("1-90 POST shop/x\n" + fee("10-20", "one") + fee("30-40", "two"));
  const auto are_there = [&](const std::string& other) {
    return std::ranges::any_of(find_race_candidates(here, {}, 1, {trace(other)}).candidates,
                               &RaceCandidate::is_between_branches);
  };
  EXPECT_TRUE(are_there("1-90 POST shop/x\n" + fee("10-20", "two") + fee("30-40", "one")));
  EXPECT_TRUE(are_there("1-90 POST shop/x\n" + fee("10-30", "one") + fee("20-40", "two")));
  // In the same order, and at another endpoint.
  EXPECT_FALSE(are_there("1-90 POST shop/x\n" + fee("10-20", "one") + fee("30-40", "two")));
  EXPECT_FALSE(are_there("1-90 POST shop/y\n" + fee("10-20", "two") + fee("30-40", "one")));
  EXPECT_EQ(
      find_race_candidates(
          here, {}, 1, {trace("1-90 POST shop/x\n" + fee("10-20", "one") + fee("30-40", "two"))})
          .left_out[0]
          .why,
      "in one flow the second begins when the first is over; seen 2 times in this order");
}

// The service goes on with a third thing while the first one runs, and does not wait for it.
TEST(Branches, ThatAreLeftRunningRaceWithWhatComesLater) {
  EXPECT_TRUE(found_in("1-90 POST shop/x\n" + fee("10-30", "one") +
                       "  11-15 GET seats/a\n  16-20 GET seats/b\n  31-35 GET seats/c\n" +
                       fee("40-50", "two"))
                  .candidates.front()
                  .is_between_branches);
}

TEST(Branches, ThatWereWaitedForSeveralTimesAreJoined) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    const auto at = [&](int begin, int end) {
      return std::to_string(i * 100 + begin) + "-" + std::to_string(i * 100 + end);
    };
    text += at(1, 90) + " POST shop/x\n" + fee(at(10, 30), "one") + "  " + at(11, 15) +
            " GET seats/a\n" + fee(at(40, 50), "two");
  }
  for (const RaceCandidate& each : found_in(text).candidates) {
    EXPECT_FALSE(each.is_between_branches);
  }
}

}  // namespace
}  // namespace heddle::race
