// Whatever goes wrong when small programs are run in every order on a real PostgreSQL, the search
// has found: brute force over arguments, rows and interleavings is the oracle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/execute/coverage_testing.h"

namespace heddle::coverage {
namespace {

using testing::IsEmpty;

TEST(Coverage, what_goes_wrong_was_found) {
  const Tally tally = compare_all({});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Procedures raise errors because of what they have read.
TEST(Coverage, what_ends_in_errors_was_found) {
  const Tally tally = compare_all({.errors = RandomPrograms::Errors::many});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.with_errors > 0 || has_one_seed());
}

// INSERTs do nothing where a row is in their way, by the primary key or by another one.
TEST(Coverage, what_goes_wrong_where_rows_have_two_keys_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::two});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Rows go with those that they refer to.
TEST(Coverage, what_goes_wrong_by_cascades_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::cascade});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Rows have to be there for those that refer to them, and change with them.
TEST(Coverage, what_goes_wrong_by_foreign_keys_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::foreign});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.with_errors > 0 || has_one_seed());
}

// Rows have to be there, or must not, in subqueries.
TEST(Coverage, what_goes_wrong_by_subqueries_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::absent, .first_seed = 8});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Rows have to be there, or must not, for a query to have a result.
TEST(Coverage, what_goes_wrong_by_values_of_inner_queries_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::guarded});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, what_goes_wrong_by_groups_and_outer_joins_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::grouped});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Statements change rows within WITH.
TEST(Coverage, what_goes_wrong_by_inner_writes_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::inner, .seeds = 12});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Queries lock rows, and at some levels the places where others would be.
TEST(Coverage, what_goes_wrong_in_spite_of_locks_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::locked});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, what_goes_wrong_in_spite_of_locks_of_mariadb_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::locked, .on_mariadb = true});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Of a queue the first row is taken that nobody has locked.
TEST(Coverage, what_goes_wrong_with_queues_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::queued});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Rows get keys that others have, and values that a check refuses.
TEST(Coverage, what_goes_wrong_by_keys_that_change_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::changed});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.with_errors > 0 || has_one_seed());
}

// The rows are there because of earlier calls.
TEST(Coverage, what_goes_wrong_behind_earlier_calls_was_found) {
  const Tally tally = compare_all({.calls_before = 1});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Two delete what both have read.
TEST(Coverage, what_goes_wrong_by_deletions_behind_earlier_calls_was_found) {
  const Tally tally =
      compare_all({.keys = RandomPrograms::Keys::taken, .calls_before = 1, .seeds = 6});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Rows are named by a unique key that is not the primary one.
TEST(Coverage, what_goes_wrong_where_another_key_names_rows_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::named});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, what_goes_wrong_with_arguments_that_differ_was_found) {
  const Tally tally =
      compare_all({.differ = true, .required = "a <> b AND a > 0 AND b BETWEEN 1 AND 2"});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Attempts that come to nothing are left out of what is searched, and of the outcomes of runs.
TEST(Coverage, what_goes_wrong_with_retries_was_found) {
  const Tally tally =
      compare_all({.first_seed = 3, .borders = RandomPrograms::Borders::retried, .seeds = 3});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Queries whose rows go nowhere are left out.
TEST(Coverage, what_leaves_other_rows_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::flowing, .internal = true});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, what_goes_wrong_where_ways_end_transactions_apart_was_found) {
  const Tally tally = compare_all({.borders = RandomPrograms::Borders::apart});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, what_goes_wrong_where_each_statement_commits_was_found) {
  const Tally tally = compare_all({.borders = RandomPrograms::Borders::each});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

}  // namespace
}  // namespace heddle::coverage
