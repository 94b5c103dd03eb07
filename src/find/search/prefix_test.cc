// Calls before a cycle: what the program makes possible from the rows that are there at first.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/search/find_testing.h"
#include "heddle/constraints.h"
#include "heddle/find.h"

namespace heddle::find {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

FindOptions from(std::string_view facts, std::optional<std::size_t> prefix) {
  FindOptions options;
  options.level = IsolationLevel::postgres_read_committed;
  Result<Constraints> read = parse_constraints(facts, "c.txt");
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  if (read) options.constraints = *std::move(read);
  options.max_prefix = prefix;
  return options;
}

constexpr const char* kEmpty = "initially \"no accounts\" { SELECT id <> id FROM account }";

const std::string kOpen =
    routine("open_account(acc int, amount int)",
            "BEGIN\nINSERT INTO account VALUES (acc, amount) ON CONFLICT DO NOTHING;\nEND");

// The calls before each smallest cycle, by name.
std::vector<std::string> prefixes(const Program& program, const FindOptions& options) {
  std::vector<std::string> all;
  const Result<FindReport> report = find_anomalies(program, options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  if (!report) return all;
  EXPECT_EQ(report->bound, "");
  for (const FoundCause& cause : report->causes) {
    for (const FoundCycle& cycle : cause.cores) {
      std::string names;
      for (const std::size_t called : cycle.prefix) {
        names += program.functionalities[called].name + " ";
      }
      all.push_back(names);
    }
  }
  return all;
}

// Without an account nothing is lost, and only open_account() makes one.
TEST(Prefix, makes_the_rows_that_are_not_there_at_first) {
  const Program program = parse(kWithdraw + kOpen);
  FindOptions options = from(kEmpty, 0);
  options.max_instances = 2;
  EXPECT_THAT(prefixes(program, options), Not(Contains("open_account ")));
  options.max_prefix = 1;
  EXPECT_THAT(causes(program, options),
              Contains(HasSubstr("lost update: withdraw withdraw on account")));
  EXPECT_THAT(prefixes(program, options), Contains("open_account "));
}

TEST(Prefix, is_of_use_only_where_the_program_makes_the_rows) {
  EXPECT_THAT(causes(parse(kWithdraw), from(kEmpty, 3)), IsEmpty());
  // What is known of the amounts stays known.
  const Program closed =
      parse(kWithdraw +
            routine("open_account(acc int)",
                    "BEGIN\nINSERT INTO account VALUES (acc, 0) ON CONFLICT DO NOTHING;\nEND") +
            routine("spend(acc int)",
                    "DECLARE b int;\nBEGIN\n"
                    "SELECT balance INTO b FROM account WHERE id = acc;\n"
                    "IF b > 100 THEN\n"
                    "UPDATE account SET balance = b - 1 WHERE id = acc;\nEND IF;\nEND"));
  FindOptions options = from(kEmpty, 1);
  options.max_instances = 2;
  options.only = {"spend"};
  EXPECT_THAT(causes(closed, options), Each(Not(HasSubstr("lost update: spend spend"))));
  // What takes part in its place is found: the search has not simply looked at nothing.
  options.only = {"withdraw"};
  EXPECT_THAT(causes(closed, options), Contains(HasSubstr("lost update: withdraw withdraw")));
}

// The second call changes what the first one made.
TEST(Prefix, may_be_several_calls_in_an_order) {
  const Program program =
      parse(std::string(kAccount) +
            routine("open_account(acc int)",
                    "BEGIN\nINSERT INTO account VALUES (acc, 1) ON CONFLICT DO NOTHING;\nEND") +
            routine("approve(acc int)",
                    "BEGIN\nUPDATE account SET balance = 7 WHERE id = acc AND balance "
                    "= 1;\nEND") +
            routine("spend(acc int)",
                    "DECLARE b int;\nBEGIN\n"
                    "SELECT balance INTO b FROM account WHERE id = acc;\n"
                    "IF b = 7 THEN\n"
                    "UPDATE account SET balance = b - 2 WHERE id = acc;\nEND IF;\nEND"));
  FindOptions options = from(kEmpty, 1);
  options.max_instances = 2;
  options.only = {"spend"};
  const auto has_lost_update = [&] {
    const std::vector<std::string> found = causes(program, options);
    return std::ranges::find(found, "lost update: spend spend on account") != found.end();
  };
  EXPECT_FALSE(has_lost_update());
  options.max_prefix = 2;
  EXPECT_TRUE(has_lost_update());
  EXPECT_THAT(prefixes(program, options), Contains("open_account approve "));
}

// Everything that was done before is seen, at weak levels, too.
TEST(Prefix, has_come_to_everybody) {
  const Program program = parse(std::string(kAccount) + kOpen +
                                routine("check_twice(acc int)",
                                        "DECLARE a int; b int;\nBEGIN\n"
                                        "SELECT balance INTO a FROM account WHERE id = acc;\n"
                                        "SELECT balance INTO b FROM account WHERE id = acc;\nEND"));
  FindOptions options = from(kEmpty, 2);
  options.level = IsolationLevel::eventual;
  options.max_instances = 2;
  const std::vector<std::string> calls = prefixes(program, options);
  EXPECT_THAT(calls, Not(IsEmpty()));
  EXPECT_THAT(calls, Each(""));
}

TEST(Prefix, says_nothing_without_facts) {
  const Program program = parse(kWithdraw + kOpen);
  const FindOptions options = from("", 2);
  const std::vector<std::string> calls = prefixes(program, options);
  EXPECT_THAT(calls, Not(IsEmpty()));
  EXPECT_THAT(calls, Each(""));
  const Result<FindReport> report = find_anomalies(program, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->max_prefix, 0U);
}

}  // namespace
}  // namespace heddle::find
