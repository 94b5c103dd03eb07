// Canaries of the comparison with brute force: a search that is not told everything of the programs
// is told from one that is.
#include <cstdint>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "find/execute/coverage_testing.h"

namespace heddle::coverage {
namespace {

// That a search which leaves something out is told from one that does not.
void expect_noticed(const Kind& kind) {
  const Server server(kind);
  ASSERT_FALSE(server.levels().empty());
  Tally tally;
  constexpr std::uint64_t kSeeds = 100;
  std::uint64_t seed = kind.first_seed;
  for (; seed < kind.first_seed + kSeeds && tally.missed.empty(); ++seed) {
    compare(seed, kind, server.levels()[0], server.address(), tally);
  }
  fmt::print("noticed by program {}\n", seed - 1);
  EXPECT_GT(tally.missed.size(), 0U);
}

TEST(Coverage, a_search_that_leaves_errors_out_is_noticed) {
  expect_noticed({.errors = RandomPrograms::Errors::many, .left_out = {"*"}});
}

TEST(Coverage, a_search_that_takes_inner_queries_for_constants_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::guarded, .misread = with_constants_for_queries});
}

// A sum over no rows is there, a group of no rows is not.
TEST(Coverage, a_search_that_knows_no_groups_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::grouped,
                  .forgotten = {RandomPrograms::kGroups, RandomPrograms::kHaving}});
}

TEST(Coverage, a_search_that_takes_inner_writes_for_reads_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::inner, .misread = with_reads_for_inner_writes});
}

TEST(Coverage, a_search_that_takes_who_passes_over_for_who_waits_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::queued, .forgotten = {" SKIP LOCKED"}});
}

TEST(Coverage, a_search_that_takes_gaps_for_locked_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::locked,
                  .on_mariadb = true,
                  .searched_at = IsolationLevel::mariadb_repeatable_read});
}

TEST(Coverage, a_search_that_knows_no_unique_keys_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::changed,
                  .forgotten = {RandomPrograms::kUnique, RandomPrograms::kCheck}});
}

TEST(Coverage, a_search_that_leaves_subqueries_out_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::absent,
                  .forgotten = {RandomPrograms::kNoOther, RandomPrograms::kNoneLikeIt,
                                RandomPrograms::kNotAmong}});
}

TEST(Coverage, a_search_that_knows_no_foreign_keys_is_noticed) {
  expect_noticed(
      {.keys = RandomPrograms::Keys::foreign,
       .forgotten = {RandomPrograms::kRefers, RandomPrograms::kSetNull, RandomPrograms::kRename}});
}

TEST(Coverage, a_search_that_knows_no_references_is_noticed) {
  expect_noticed(
      {.keys = RandomPrograms::Keys::cascade, .forgotten = {RandomPrograms::kReference}});
}

TEST(Coverage, a_search_that_makes_no_earlier_calls_is_noticed) {
  expect_noticed({.calls_before = 0});
}

TEST(Coverage, a_search_that_is_told_of_other_arguments_is_noticed) {
  expect_noticed({.differ = true, .required = "a > b AND a < b"});
}

// What an attempt has committed stays when the next one begins.
TEST(Coverage, a_search_that_takes_all_of_an_attempt_to_be_undone_is_noticed) {
  expect_noticed({.forgotten = {"\n    COMMIT;"},
                  .first_seed = 83,
                  .borders = RandomPrograms::Borders::retried});
}

TEST(Coverage, a_search_that_does_not_see_where_values_go_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::flowing,
                  .forgotten = {" INTO v0", " INTO v1", " INTO v2"},
                  .internal = true});
}

// At the weakest level one transaction may see as much as several: it is searched at a strong one.
TEST(Coverage, a_search_that_takes_statements_for_one_transaction_is_noticed) {
  expect_noticed({.forgotten = {RandomPrograms::kBorder},
                  .searched_at = IsolationLevel::postgres_serializable,
                  .borders = RandomPrograms::Borders::each});
}

}  // namespace
}  // namespace heddle::coverage
