// What a store with copies has to be told, step by step.
#include "find/realize/placement.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::find {
namespace {

using testing::ElementsAre;

RunStep writes(std::size_t transaction, std::size_t number, std::vector<std::size_t> sees = {}) {
  return {.transaction = transaction, .number = number, .writes = true, .sees = std::move(sees)};
}

RunStep reads(std::size_t transaction, std::size_t number, std::vector<std::size_t> sees = {}) {
  return {.transaction = transaction, .number = number, .sees = std::move(sees)};
}

RunStep ends(std::size_t transaction) { return {.transaction = transaction, .ends = true}; }

std::vector<PlacedTransaction> sessions(std::size_t count, const PlacedTransaction& like = {}) {
  std::vector<PlacedTransaction> all(count, like);
  for (std::size_t i = 0; i < count; ++i)
    all[i].session = std::string(1, static_cast<char>('a' + i));
  return all;
}

TEST(Placement, needs_no_second_copy_where_everything_is_seen) {
  const Placement placement =
      place_statements({writes(0, 1), reads(1, 1, {0}), ends(0), ends(1)}, sessions(2));
  EXPECT_EQ(placement.replicas, 1U);
  EXPECT_THAT(placement.before, ElementsAre("", "", "", ""));
}

TEST(Placement, moves_who_must_not_see_what_is_there) {
  const Placement placement = place_statements({writes(0, 1), writes(1, 1)}, sessions(2));
  EXPECT_EQ(placement.replicas, 2U);
  EXPECT_THAT(placement.before, ElementsAre("", "MOVE SESSION b TO r2;"));
}

TEST(Placement, delivers_what_is_seen_later) {
  const Placement placement =
      place_statements({writes(0, 1), writes(1, 1), reads(1, 2, {0, 1})}, sessions(2));
  EXPECT_THAT(placement.before, ElementsAre("", "MOVE SESSION b TO r2;", "DELIVER a.1 TO r2;"));
}

TEST(Placement, delivers_everything_for_who_sees_all) {
  const RunStep last{.transaction = 2, .number = 1, .sees_all = true};
  EXPECT_THAT(place_statements({writes(0, 1), writes(1, 1), last}, sessions(3)).before,
              ElementsAre("", "MOVE SESSION b TO r2;", "DELIVER ALL;"));
  EXPECT_THAT(place_statements({writes(0, 1), last}, sessions(3)).before, ElementsAre("", ""));
}

TEST(Placement, moves_a_session_that_no_longer_sees_what_it_did) {
  const Placement placement = place_statements({writes(0, 1), reads(0, 2)}, sessions(1));
  EXPECT_THAT(placement.before, ElementsAre("", "MOVE SESSION a TO r2;"));
}

TEST(Placement, lets_transactions_work_side_by_side_until_they_commit) {
  const auto committed = sessions(2, {.session = "", .at_commit = true});
  const Placement placement = place_statements(
      {writes(0, 1), reads(1, 1), ends(0), reads(1, 2), reads(1, 3, {0})}, committed);
  EXPECT_THAT(placement.before,
              ElementsAre("", "", "", "MOVE SESSION b TO r2;", "DELIVER a.1 TO r2;"));
}

TEST(Placement, leaves_alone_what_a_transaction_keeps_seeing) {
  const auto keeping = sessions(2, {.session = "", .at_commit = true, .keeps_view = true});
  const Placement placement =
      place_statements({writes(0, 1), reads(1, 1), ends(0), reads(1, 2)}, keeping);
  EXPECT_THAT(placement.before, ElementsAre("", "", "", ""));
}

}  // namespace
}  // namespace heddle::find
