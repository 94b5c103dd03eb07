#include "find/realize/ring_placement.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::find {
namespace {

using testing::ElementsAre;

RunStep ring_writes(std::size_t transaction, std::size_t number,
                    std::vector<std::size_t> sees = {}) {
  return {.transaction = transaction, .number = number, .writes = true, .sees = std::move(sees)};
}

RunStep ring_reads(std::size_t transaction, std::size_t number,
                   std::vector<std::size_t> sees = {}) {
  return {.transaction = transaction, .number = number, .sees = std::move(sees)};
}

RunStep ring_ends(std::size_t transaction) { return {.transaction = transaction, .ends = true}; }

std::vector<std::string> commands(const std::vector<RunStep>& steps, std::size_t count) {
  std::vector<PlacedTransaction> sessions(count);
  for (std::size_t i = 0; i < count; ++i)
    sessions[i] = {.session = std::string(1, static_cast<char>('a' + i)), .at_commit = true};
  const auto placement = place_on_ring(steps, sessions);
  return placement ? placement->before : std::vector<std::string>{"nowhere"};
}

TEST(RingPlacement, leaves_everybody_at_one_server_where_everything_is_seen) {
  EXPECT_THAT(commands({ring_writes(0, 1), ring_ends(0), ring_reads(1, 1, {0}), ring_ends(1)}, 2),
              ElementsAre("", "", "", ""));
}

// Neither sees what the other does, from beginning to end.
TEST(RingPlacement, keeps_apart_who_must_not_see_each_other) {
  EXPECT_THAT(commands({ring_reads(0, 1), ring_writes(0, 2), ring_ends(0), ring_reads(1, 1),
                        ring_writes(1, 2), ring_ends(1)},
                       2),
              ElementsAre("MOVE SESSION a TO r2;", "", "", "", "", ""));
}

TEST(RingPlacement, delivers_what_is_seen) {
  EXPECT_THAT(commands({ring_writes(0, 1), ring_writes(1, 1), ring_ends(0), ring_ends(1),
                        ring_reads(2, 1, {0}), ring_reads(2, 2, {0, 1}), ring_ends(2)},
                       3),
              ElementsAre("", "MOVE SESSION b TO r2;", "", "", "", "DELIVER b.1 TO r1;", ""));
}

TEST(RingPlacement, knows_what_two_servers_do_not_do) {
  // The second of a server's transactions without the first, at three places that differ.
  EXPECT_THAT(
      commands({ring_writes(0, 1), ring_ends(0), ring_writes(1, 1), ring_ends(1), ring_writes(2, 1),
                ring_ends(2), ring_reads(3, 1, {0}), ring_reads(4, 1, {1}), ring_reads(5, 1, {2}),
                ring_ends(3), ring_ends(4), ring_ends(5)},
               6),
      ElementsAre("nowhere"));
  // A transaction that is open is not seen.
  EXPECT_THAT(commands({ring_writes(0, 1), ring_reads(1, 1, {0}), ring_ends(0), ring_ends(1)}, 2),
              ElementsAre("nowhere"));
}

}  // namespace
}  // namespace heddle::find
