// Programs of tests/programs about which the truth is known.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/find_testing.h"
#include "heddle/constraints.h"
#include "heddle/java_program.h"

namespace heddle::find {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

SourceText read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return {.file = path.filename().string(), .text = text.str()};
}

std::filesystem::path programs() {
  std::filesystem::path folder = std::filesystem::absolute(__FILE__).parent_path();
  while (!std::filesystem::exists(folder / "tests" / "programs")) folder = folder.parent_path();
  return folder / "tests" / "programs";
}

// A program in its first shape, of which only these functionalities are left; none: all.
Program known_program(const std::string& name, const std::set<std::string>& kept = {}) {
  const std::filesystem::path folder = programs() / name;
  Result<Program> program = parse_program({read_file(folder / "schema.sql")});
  EXPECT_TRUE(program);
  std::vector<SourceText> java;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "class")) {
    java.push_back(read_file(entry.path()));
  }
  EXPECT_TRUE(read_java_program(java, {}, *program));
  std::erase_if(program->functionalities, [&](const Functionality& functionality) {
    return !kept.empty() && !kept.contains(functionality.name);
  });
  return std::move(*program);
}

FindOptions at(IsolationLevel level) {
  FindOptions options;
  options.level = level;
  return options;
}

FindOptions pairs_at(IsolationLevel level) {
  FindOptions options = at(level);
  options.max_instances = 2;
  options.max_length = 4;
  return options;
}

// Alomari, Cahill, Fekete and Röhm (2008): the only dangerous structure of SmallBank.
TEST(KnownPrograms, smallbank_is_not_serializable_under_snapshot_isolation) {
  const Program program = known_program("smallbank", {"balance", "transactSavings", "writeCheck"});
  const Result<FindReport> report = find_anomalies(program, at(IsolationLevel::snapshot));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->max_length, 6U);
  ASSERT_FALSE(report->causes.empty());
  for (const FoundCause& cause : report->causes) {
    std::set<std::string> names;
    for (const FoundNode& node : cause.cores.front().nodes) {
      names.insert(program.functionalities[node.functionality].name);
    }
    EXPECT_EQ(names, (std::set<std::string>{"balance", "transactSavings", "writeCheck"}));
    EXPECT_EQ(cause.cores.front().nodes.size(), 5U);
  }
  EXPECT_THAT(causes(known_program("smallbank"), pairs_at(IsolationLevel::snapshot)), IsEmpty());
}

// Fekete, Liarokapis, O'Neil, O'Neil and Shasha (2005), who argue with the numbers of orders, too.
TEST(KnownPrograms, tpcc_is_serializable_under_snapshot_isolation) {
  const Program program = known_program("tpcc");
  FindOptions options = at(IsolationLevel::snapshot);
  const SourceText facts = read_file(programs() / "tpcc" / "constraints.txt");
  Result<Constraints> constraints = parse_constraints(facts.text, facts.file);
  ASSERT_TRUE(constraints);
  options.constraints = *std::move(constraints);
  const Result<FindReport> report = find_anomalies(program, options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->max_length, 6U);
  EXPECT_EQ(report->bound, "");
  EXPECT_TRUE(report->causes.empty());
  // Without the numbers an order may be open before it is made.
  options.constraints = {};
  EXPECT_THAT(causes(program, options), Contains(HasSubstr("delivery newOrder orderStatus")));
}

// What each level leaves of the one before it.
TEST(KnownPrograms, levels_leave_less_and_less_of_tpcc) {
  const Program program = known_program("tpcc");
  const auto eventual = causes(program, pairs_at(IsolationLevel::eventual));
  const auto committed = causes(program, pairs_at(IsolationLevel::postgres_read_committed));
  EXPECT_GT(eventual.size(), committed.size());
  EXPECT_THAT(committed, Contains("lost update: newOrder newOrder on district"));
  EXPECT_THAT(committed, Contains("lost update: newOrder newOrder on stock"));
  EXPECT_THAT(committed, Contains("lost update: payment payment on customer"));
  EXPECT_THAT(causes(program, pairs_at(IsolationLevel::postgres_repeatable_read)), IsEmpty());
  EXPECT_THAT(causes(program, at(IsolationLevel::serializable)), IsEmpty());
}

TEST(KnownPrograms, voters_may_outvote_the_limit) {
  const Program program = known_program("voter");
  for (const IsolationLevel level :
       {IsolationLevel::eventual, IsolationLevel::postgres_read_committed, IsolationLevel::snapshot,
        IsolationLevel::mariadb_repeatable_read}) {
    EXPECT_THAT(causes(program, at(level)), Contains("phantom: vote vote on votes"));
  }
  EXPECT_THAT(causes(program, at(IsolationLevel::serializable)), IsEmpty());
}

// Two blind writes; and two calls that both report to have deleted the one row there was, where
// they do not see each other.
TEST(KnownPrograms, tatp_mixes_writes_only_where_transactions_are_not_kept_together) {
  const Program program = known_program("tatp");
  EXPECT_THAT(
      causes(program, at(IsolationLevel::eventual)),
      UnorderedElementsAre(
          "dirty write: updateSubscriberData updateSubscriberData on special_facility subscriber",
          "lost update: deleteCallForwarding deleteCallForwarding on call_forwarding"));
  EXPECT_THAT(causes(program, at(IsolationLevel::read_committed)),
              UnorderedElementsAre(
                  "lost update: deleteCallForwarding deleteCallForwarding on call_forwarding"));
  EXPECT_THAT(causes(program, at(IsolationLevel::postgres_read_committed)), IsEmpty());
}

// Nobody reads what it writes.
TEST(KnownPrograms, twitter_has_none) {
  EXPECT_THAT(causes(known_program("twitter"), at(IsolationLevel::eventual)), IsEmpty());
}

}  // namespace
}  // namespace heddle::find
