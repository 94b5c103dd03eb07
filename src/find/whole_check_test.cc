// Cycles that need rows which a table cannot hold, and the same ones where it can.
#include "find/whole_check.h"

#include <string>

#include <gtest/gtest.h>

#include "find/find_testing.h"

namespace heddle::find {
namespace {

// Both updates name one code, and different rows.
std::string program_with(const std::string& constraint) {
  return "CREATE TABLE item (id int PRIMARY KEY, code int NOT NULL, price int NOT NULL" +
         constraint + ");\n" +
         routine("change(a int, b int, c int)",
                 "BEGIN\nIF a = b THEN RETURN; END IF;\n"
                 "UPDATE item SET price = 1 WHERE id = a AND code = c;\n"
                 "UPDATE item SET price = 2 WHERE id = b AND code = c;\nEND");
}

// How many of the smallest cycles at `eventual` are impossible, and of how many.
std::pair<std::size_t, std::size_t> impossible_in(const std::string& sql) {
  const Program program = parse(sql);
  FindOptions options;
  options.level = IsolationLevel::eventual;
  options.max_instances = 2;
  const Result<FindReport> report = find_anomalies(program, options);
  EXPECT_TRUE(report);
  const SearchInput input = prepare_search(program, options, report->levels);
  std::size_t impossible = 0;
  std::size_t all = 0;
  for (const FoundCause& cause : report->causes) {
    for (const FoundCycle& cycle : cause.cores) {
      impossible += is_impossible_in_whole(input, cycle) ? 1 : 0;
      ++all;
    }
  }
  return {impossible, all};
}

TEST(WholeCheck, rows_that_a_unique_key_forbids_make_no_cycle) {
  const auto [impossible, all] = impossible_in(program_with(", UNIQUE (code)"));
  EXPECT_GT(all, 0U);
  EXPECT_EQ(impossible, all);
}

TEST(WholeCheck, what_the_rows_allow_stays_possible) {
  const auto [impossible, all] = impossible_in(program_with(""));
  EXPECT_GT(all, 0U);
  EXPECT_EQ(impossible, 0U);
  EXPECT_EQ(impossible_in(kWithdraw).first, 0U);
}

}  // namespace
}  // namespace heddle::find
