// What cuts are compared by is what each of them adds alone: with foreign keys between services,
// with levels of single services, and with guarantees across services.
#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "heddle/cut_search.h"
#include "split/random_program_testing.h"
#include "split/search/partition.h"
#include "split/split_testing.h"

namespace heddle {
namespace {

using chopping::Partition;
using split_testing::kBank;
using split_testing::parse;
using testing::HasSubstr;

std::string counts(const CutScore& score) {
  return fmt::format("{} cores of {} causes", score.cores, score.causes);
}

std::string counts_alone(const Program& program, const Cut& cut, const SplitOptions& options) {
  const Result<SplitReport> report = split_program(program, cut, options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  if (!report) return "";
  CutScore score{.causes = report->causes.size()};
  for (const SplitCause& cause : report->causes) score.cores += cause.is_core ? 1 : 0;
  return counts(score);
}

// Tables that refer to each other, and functionalities that make and delete their rows.
std::string program_with_keys(std::mt19937& random) {
  std::string sql =
      "CREATE TABLE t0 (id int PRIMARY KEY, n int NOT NULL);\n"
      "CREATE TABLE t1 (id int PRIMARY KEY, up int REFERENCES t0 (id));\n";
  sql +=
      fmt::format("CREATE TABLE t2 (id int PRIMARY KEY, up int NOT NULL REFERENCES t{} (id){});\n",
                  random() % 2, random() % 2 == 0 ? " ON DELETE CASCADE" : "");
  static constexpr const char* kStatements[] = {
      "DELETE FROM t0 WHERE id = a;\n",          "DELETE FROM t1 WHERE id = a;\n",
      "INSERT INTO t1 VALUES (b, a);\n",         "INSERT INTO t2 VALUES (b, a);\n",
      "UPDATE t1 SET up = a WHERE id = b;\n",    "UPDATE t0 SET n = b WHERE id = a;\n",
      "SELECT up INTO v FROM t2 WHERE id = b;\n"};
  for (std::size_t i = 0; i < 3; ++i) {
    std::string body;
    for (std::size_t j = 0; j < 1 + random() % 2; ++j) body += kStatements[random() % 7];
    sql += fmt::format(
        "CREATE PROCEDURE f{}(a int, b int) LANGUAGE plpgsql AS $$\nDECLARE v int;\nBEGIN\n{}END\n"
        "$$;\n",
        i, body);
  }
  return sql;
}

TEST(ComparedAlike, with_foreign_keys_between_services) {
  for (unsigned seed = 0; seed < test_rounds(3); ++seed) {
    std::mt19937 random(seed);
    const std::string sql = program_with_keys(random);
    const Program program = parse(sql);
    const SplitOptions options{.find = {.max_instances = 2}};
    std::vector<Cut> cuts;
    chopping::for_each_partition(3, 3, [&](const Partition& partition) {
      cuts.push_back(chopping::cut_of(partition, program.schema));
      return true;
    });
    const Result<CutComparison> compared = compare_cuts(program, cuts, options);
    ASSERT_TRUE(compared) << to_string(compared.error());
    for (const ScoredCut& scored : compared->cuts) {
      EXPECT_EQ(counts(scored.score), counts_alone(program, scored.cut, options)) << sql;
    }
  }
}

const std::string kNotes =
    "CREATE TABLE person (id int PRIMARY KEY);\n"
    "CREATE TABLE note (id int PRIMARY KEY, person int NOT NULL REFERENCES person (id));\n"
    "CREATE PROCEDURE leave(p int) LANGUAGE plpgsql AS $$ BEGIN\n"
    "DELETE FROM person WHERE id = p;\nEND $$;\n"
    "CREATE PROCEDURE add(p int, n int) LANGUAGE plpgsql AS $$ BEGIN\n"
    "INSERT INTO note (id, person) VALUES (n, p);\nEND $$;\n";

// A canary: nobody would notice above if neither knew of keys.
TEST(ComparedAlike, orphans_are_causes_of_a_cut_and_gone_where_it_is_undone) {
  const Program program = parse(kNotes);
  const Cut apart = chopping::cut_of({0, 1}, program.schema);
  const Cut whole = chopping::cut_of({0, 0}, program.schema);
  const Result<CutComparison> compared = compare_cuts(program, {apart, whole}, {});
  ASSERT_TRUE(compared) << to_string(compared.error());
  EXPECT_GT(compared->cuts[0].score.cores, 0U);
  EXPECT_EQ(compared->cuts[1].score.causes, 0U);
  std::string free = kNotes;
  free.erase(free.find(" REFERENCES person (id)"), 23);
  const Result<CutComparison> without = compare_cuts(parse(free), {apart}, {});
  ASSERT_TRUE(without);
  EXPECT_EQ(without->cuts[0].score.causes, 0U);
  Result<SplitReport> report = split_program(program, apart, {});
  ASSERT_TRUE(report);
  weigh_merges(program, {}, *report);
  ASSERT_EQ(report->merges.size(), 1U);
  EXPECT_EQ(report->merges[0].causes, report->causes.size());
}

TEST(ComparedAlike, with_levels_of_single_services_and_guarantees_across) {
  for (unsigned seed = 40; seed < 40 + test_rounds(2); ++seed) {
    std::mt19937 random(seed);
    const std::string sql = chopping::random_program(random, 3, 2);
    const Program program = parse(sql);
    SplitOptions options{.find = {.max_instances = 2}};
    options.levels = {{"S1", IsolationLevel::read_committed}, {"S2", IsolationLevel::snapshot}};
    std::vector<Cut> cuts;
    for (const Partition& partition :
         {Partition{0, 0, 1}, Partition{0, 1, 2}, Partition{0, 1, 1}}) {
      cuts.push_back(chopping::cut_of(partition, program.schema));
    }
    for (const bool is_causal : {false, true}) {
      if (is_causal) options.find.across = IsolationLevel::causal;
      const Result<CutComparison> compared = compare_cuts(program, cuts, options);
      ASSERT_TRUE(compared) << to_string(compared.error());
      EXPECT_EQ(compared->across, options.find.across);
      for (const ScoredCut& scored : compared->cuts) {
        EXPECT_EQ(counts(scored.score), counts_alone(program, scored.cut, options)) << sql;
      }
    }
  }
}

// A canary: the level of a service changes what a cut adds.
TEST(ComparedAlike, levels_of_services_matter) {
  const Program program = parse(kBank);
  const Cut cut = split_testing::cut_of(split_testing::kOne);
  SplitOptions options;
  options.levels = {{"M", IsolationLevel::eventual}};
  const Result<CutComparison> weak = compare_cuts(program, {cut}, options);
  ASSERT_TRUE(weak) << to_string(weak.error());
  EXPECT_GT(weak->cuts[0].score.cores, 0U);
  EXPECT_EQ(weak->cuts[0].levels, options.levels);
  EXPECT_EQ(counts(weak->cuts[0].score), counts_alone(program, cut, options));
  options.levels = {{"N", IsolationLevel::eventual}};
  EXPECT_THAT(to_string(compare_cuts(program, {cut}, options).error()),
              HasSubstr("no cut has a service \"N\", which is to run at eventual"));
}

// Services that are looked for have no names: a table's service runs at its level.
TEST(ComparedAlike, searched_cuts_have_the_levels_of_their_tables) {
  const Program program = parse(kBank);
  CutSearchOptions search;
  search.split.levels = {{"wallet", IsolationLevel::read_committed}};
  const Result<CutSearchReport> report = search_cuts(program, search);
  ASSERT_TRUE(report) << to_string(report.error());
  ASSERT_FALSE(report->front.empty());
  for (const ScoredCut& scored : report->front) {
    SplitOptions options;
    options.levels = scored.levels;
    EXPECT_EQ(scored.levels.size(), 1U);
    EXPECT_EQ(counts(scored.score), counts_alone(program, scored.cut, options));
  }
  search.split.levels = {{"wallet", IsolationLevel::read_committed},
                         {"account", IsolationLevel::snapshot}};
  const Result<CutSearchReport> apart = search_cuts(program, search);
  ASSERT_TRUE(apart) << to_string(apart.error());
  for (const ScoredCut& scored : apart->front) EXPECT_EQ(scored.score.services, 2U);
  search.split.levels = {{"walet", IsolationLevel::read_committed}};
  EXPECT_THAT(to_string(search_cuts(program, search).error()),
              HasSubstr("there is no table \"walet\", whose service is to run at read-committed"));
}

}  // namespace
}  // namespace heddle
