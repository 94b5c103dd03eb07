// Cuts compared and looked for: what is shared between cuts gives what each cut alone gives, and
// local search finds what looking at all cuts finds.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/search/find_testing.h"
#include "heddle/cut_search.h"
#include "split/random_program_testing.h"
#include "split/search/cut_costs.h"
#include "split/search/explore_cuts.h"
#include "split/search/front.h"
#include "split/split_testing.h"

namespace heddle {
namespace {

using chopping::Partition;
using chopping::random_program;
using split_testing::kBank;
using split_testing::parse;
using testing::HasSubstr;

constexpr std::string_view kTables =
    "CREATE TABLE a (id int PRIMARY KEY);\nCREATE TABLE b (id int PRIMARY KEY);\n"
    "CREATE TABLE c (id int PRIMARY KEY);\nCREATE TABLE d (id int PRIMARY KEY);\n";

CutScore alone(const Program& program, const Partition& partition, const SplitOptions& options) {
  const Result<SplitReport> report =
      split_program(program, chopping::cut_of(partition, program.schema), options);
  EXPECT_TRUE(report) << to_string(report.error());
  CutScore score{.services = chopping::services_of(partition)};
  for (const SplitCause& cause : report->causes) {
    score.cores += cause.is_core ? 1 : 0;
    ++score.causes;
    ++score.kinds[cause.kind];
  }
  return score;
}

// How cuts are scored, in the three ways there are.
class Scores {
 public:
  explicit Scores(const Program& program, std::size_t max_instances = 3)
      : search_(program, find_options(max_instances), {.within = level()}, {}, false),
        costs_(program, search_, max_instances, 2) {}

  CutScore estimate(const Partition& partition) { return costs_.estimate(partition); }
  CutScore search(const Partition& partition) { return costs_.search(partition); }

  CutSearchReport explore(const Program& program, const CutSearchOptions& options) {
    const Result<chopping::Units> units = chopping::make_units(options.rules, program.schema);
    EXPECT_TRUE(units) << (units ? "" : to_string(units.error()));
    Result<CutSearchReport> report =
        chopping::explore_cuts(program, options, *units, search_, costs_);
    EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
    return std::move(*report);
  }

 private:
  static IsolationLevel level() { return IsolationLevel::serializable; }
  static FindOptions find_options(std::size_t max_instances) {
    FindOptions options;
    options.max_instances = max_instances;
    options.level = level();
    options.max_length = 4;
    return options;
  }

  chopping::GroupCauseSearch search_;
  chopping::CutCosts costs_;
};

std::string counts_of(const CutScore& score) {
  return fmt::format("{} cores, {} causes", score.cores, score.causes);
}

std::string text_of_cuts(const CutScore& score) {
  std::string text = counts_of(score);
  for (const auto& [kind, count] : score.kinds) {
    text += fmt::format(", {} {}", count, definition(kind).name);
  }
  return text;
}

TEST(CutScores, what_is_shared_is_what_each_cut_alone_gives) {
  for (unsigned seed = 0; seed < test_rounds(3); ++seed) {
    std::mt19937 random(seed);
    const std::string sql = random_program(random, 4, 3);
    const Program program = parse(sql);
    Scores scores(program);
    // What is possible where every table is a service of its own, first.
    scores.estimate({0, 1, 2, 3});
    std::size_t cuts = 0;
    chopping::for_each_partition(4, 4, [&](const Partition& partition) {
      if (cuts++ % 4 != seed % 4) return true;
      const CutScore expected = alone(program, partition, {});
      EXPECT_EQ(text_of_cuts(scores.search(partition)), text_of_cuts(expected))
          << sql << testing::PrintToString(partition);
      // The rounds of loops that a cycle goes through are those that come first where it is
      // possible, in the finest cut others than in this one, and half of a transaction is seen by
      // them or not. What is shown is searched.
      const auto text = sql.find("LOOP") == std::string::npos ? text_of_cuts : counts_of;
      EXPECT_EQ(text(scores.estimate(partition)), text(expected))
          << sql << testing::PrintToString(partition);
      return true;
    });
  }
}

// A canary: the comparison above sees a cut of another score.
TEST(CutScores, differ_from_cut_to_cut) {
  const Program program = parse(kBank);
  Scores scores(program);
  EXPECT_NE(text_of_cuts(scores.search({0, 1})), text_of_cuts(alone(program, {0, 0}, {})));
  EXPECT_EQ(text_of_cuts(scores.search({0, 1})), text_of_cuts(alone(program, {0, 1}, {})));
}

// "services cores calls" of each cut in the front.
std::vector<std::string> front_of(const CutSearchReport& report) {
  std::vector<std::string> front;
  for (const ScoredCut& cut : report.front) {
    front.push_back(fmt::format("{} {} {}", cut.score.services, cut.score.cores, cut.score.calls));
  }
  return front;
}

TEST(CutSearch, local_search_finds_the_best_of_all_cuts) {
  for (unsigned seed = 0; seed < test_rounds(2); ++seed) {
    std::mt19937 random(seed);
    const std::string sql = random_program(random, 6, 4);
    const Program program = parse(sql);
    Scores scores(program);
    CutSearchOptions options{.most_services = 4, .exploration = CutExploration::exhaustive};
    const CutSearchReport all = scores.explore(program, options);
    EXPECT_EQ(all.possible, 187U);  // S(6, 1) + S(6, 2) + S(6, 3) + S(6, 4)
    options.exploration = CutExploration::local;
    EXPECT_EQ(front_of(scores.explore(program, options)), front_of(all)) << sql;
  }
}

// All choices of eight of the tables, shuffled: of each the other tables' numbers.
std::vector<std::vector<std::size_t>> left_out_of_eight(std::size_t tables) {
  std::vector<std::vector<std::size_t>> choices;
  std::vector<bool> is_left_out(tables);
  std::fill(is_left_out.begin() + 8, is_left_out.end(), true);
  do {
    std::vector<std::size_t>& choice = choices.emplace_back();
    for (std::size_t i = 0; i < tables; ++i) {
      if (is_left_out[i]) choice.push_back(i);
    }
  } while (std::next_permutation(is_left_out.begin(), is_left_out.end()));
  std::mt19937 random(1);
  std::ranges::shuffle(choices, random);
  return choices;
}

// Of a program's tables eight are to be divided; the others are a service, or part of one. With
// time enough all choices of eight are looked at, and sets of three functionalities.
void expect_local_finds_the_best_of_eight_tables(const Program& program) {
  Scores scores(program, test_rounds(1) > 1 ? 3 : 2);
  std::size_t rounds = test_rounds(2);
  for (const std::vector<std::size_t>& choice : left_out_of_eight(program.schema.tables.size())) {
    if (rounds-- == 0) return;
    std::vector<std::string> others;
    for (const std::size_t table : choice) others.push_back(program.schema.tables[table].name);
    CutSearchOptions options{.most_services = 3, .exploration = CutExploration::exhaustive};
    options.rules.together = {others};
    const std::vector<std::string> all = front_of(scores.explore(program, options));
    options.exploration = CutExploration::local;
    EXPECT_EQ(front_of(scores.explore(program, options)), all) << testing::PrintToString(others);
  }
}

TEST(CutSearch, local_search_finds_the_best_of_all_cuts_of_eight_tables_of_the_shop) {
  const Program program = find::known_program("shop");
  ASSERT_EQ(left_out_of_eight(program.schema.tables.size()).size(), 1'287U);
  expect_local_finds_the_best_of_eight_tables(program);
}

TEST(CutSearch, local_search_finds_the_best_of_all_cuts_of_eight_tables_of_tpcc) {
  const Program program = find::known_program("tpcc");
  ASSERT_EQ(left_out_of_eight(program.schema.tables.size()).size(), 9U);
  expect_local_finds_the_best_of_eight_tables(program);
}

TEST(CutSearch, keeps_to_the_rules) {
  const Program program = parse(std::string(kTables));
  CutSearchOptions options{.most_services = 4, .exploration = CutExploration::exhaustive};
  options.rules.together = {{"a", "B"}};
  options.rules.apart = {{"a", "c"}, {"c", "d"}};
  options.rules.least_tables = 1;
  Result<CutSearchReport> report = search_cuts(program, options);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->possible, 2U);  // ab, c, d and abd, c
  options.rules.least_tables = 2;
  EXPECT_THAT(to_string(search_cuts(program, options).error()),
              HasSubstr("no cut into at most 4 services keeps to the rules"));
  options.rules.apart = {{"a", "b"}};
  EXPECT_THAT(to_string(search_cuts(program, options).error()),
              HasSubstr("\"a\" and \"b\" must be apart and together"));
  options.rules.apart = {{"a", "e"}};
  EXPECT_THAT(to_string(search_cuts(program, options).error()),
              HasSubstr("the program has no table \"e\""));
}

TEST(CutSearch, compares_cuts_by_what_each_adds) {
  const Program program = parse(kBank);
  const std::vector<Cut> cuts = {chopping::cut_of({0, 0}, program.schema),
                                 chopping::cut_of({0, 1}, program.schema)};
  const Result<CutComparison> comparison = compare_cuts(program, cuts, {});
  ASSERT_TRUE(comparison);
  ASSERT_EQ(comparison->cuts.size(), 2U);
  EXPECT_EQ(text_of_cuts(comparison->cuts[0].score), "0 cores, 0 causes");
  EXPECT_EQ(comparison->cuts[0].score.calls, 0U);
  EXPECT_EQ(text_of_cuts(comparison->cuts[1].score),
            "2 cores, 2 causes, 1 dirty write, 1 read skew");
  EXPECT_EQ(comparison->cuts[1].score.calls, 2U);
}

TEST(CutScores, say_which_tables_would_be_better_together) {
  const Program program = parse(kBank + std::string(kTables));
  const Cut cut = chopping::cut_of({0, 1, 2, 3, 3, 4}, program.schema);
  Result<SplitReport> report = split_program(program, cut, {});
  ASSERT_TRUE(report);
  weigh_merges(program, {}, *report);
  ASSERT_EQ(report->merges.size(), 1U);
  EXPECT_EQ(report->merges[0].table, "account");
  EXPECT_EQ(report->merges[0].service, 1U);
  EXPECT_EQ(report->merges[0].cores, 2U);
  EXPECT_EQ(report->merges[0].causes, 2U);
}

// Of a join that a cut divides, each part counts where its own table is.
TEST(CutScores, a_merge_joins_the_parts_of_its_tables) {
  const Program program = parse(R"(
CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE c (id int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE store(k int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE a SET n = 1 WHERE id = k;
  UPDATE c SET n = 0 WHERE id = k;
END $$;
CREATE PROCEDURE look(k int) LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  UPDATE a SET n = k WHERE id = k;
  SELECT x.n INTO v FROM c x JOIN b y ON y.id = x.n WHERE x.id = k;
END $$;)");
  Result<SplitReport> report =
      split_program(program, chopping::cut_of({0, 1, 2}, program.schema), {});
  ASSERT_TRUE(report);
  weigh_merges(program, {}, *report);
  ASSERT_FALSE(report->merges.empty());
  EXPECT_EQ(report->merges[0].table, "a");
  EXPECT_EQ(report->merges[0].causes, report->causes.size());
  EXPECT_EQ(alone(program, {0, 1, 0}, {}).causes, 0U);
}

// What may do anything is where every table is.
TEST(CutScores, a_merge_counts_what_the_unknown_does) {
  const Program program = parse(R"(
CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE store(k int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE a SET n = 1 WHERE id = k;
  PERFORM book(k);
  UPDATE b SET n = 1 WHERE id = k;
END $$;)");
  Result<SplitReport> report = split_program(program, chopping::cut_of({0, 1}, program.schema), {});
  ASSERT_TRUE(report);
  ASSERT_FALSE(report->causes.empty());
  weigh_merges(program, {}, *report);
  ASSERT_FALSE(report->merges.empty());
  EXPECT_EQ(report->merges[0].causes, report->causes.size());
}

// What a merge is said to be worth, a search of the cut that it leads to finds.
TEST(CutScores, merges_are_worth_what_a_search_finds) {
  for (unsigned seed = 20; seed < 20 + test_rounds(2); ++seed) {
    std::mt19937 random(seed);
    const std::string sql = random_program(random, 3, 3);
    const Program program = parse(sql);
    const Cut cut = chopping::cut_of({0, 1, 2}, program.schema);
    Result<SplitReport> report = split_program(program, cut, {});
    ASSERT_TRUE(report);
    weigh_merges(program, {}, *report);
    for (const Partition& partition :
         {Partition{0, 0, 1}, Partition{0, 1, 0}, Partition{0, 1, 1}}) {
      const std::size_t other = partition[1] == 0 ? 1 : 2;
      const std::size_t one = partition[1] == partition[2] ? 1 : 0;
      const auto merge = std::ranges::find_if(report->merges, [&](const TableMerge& of) {
        return of.table == fmt::format("t{}", one) && of.service == other;
      });
      const std::size_t gone = merge == report->merges.end() ? 0 : merge->causes;
      const CutScore score = alone(program, partition, {});
      // Causes may fall together where sub-transactions do.
      EXPECT_LE(score.causes, report->causes.size() - gone) << sql;
      EXPECT_EQ(score.causes == 0, gone == report->causes.size()) << sql;
    }
  }
}

// What is together in all functionalities is as near as can be.
TEST(CutScores, the_silhouette_knows_what_is_used_together) {
  std::string sql = std::string(kTables);
  for (const char* pair : {"ab", "cd"}) {
    sql += fmt::format(
        "CREATE PROCEDURE {0}{1}(k int) LANGUAGE plpgsql AS $$ BEGIN\n"
        "DELETE FROM {0} WHERE id = k; DELETE FROM {1} WHERE id = k; END $$;\n",
        pair[0], pair[1]);
  }
  const Program program = parse(sql);
  Scores scores(program);
  EXPECT_DOUBLE_EQ(scores.estimate({0, 0, 1, 1}).silhouette, 1);
  EXPECT_DOUBLE_EQ(scores.estimate({0, 1, 0, 1}).silhouette, -0.5);
  EXPECT_DOUBLE_EQ(scores.estimate({0, 0, 0, 0}).silhouette, 0);
}

TEST(Partitions, are_each_there_once) {
  const std::vector<std::size_t> bell = {1, 2, 5, 15, 52, 203, 877, 4140};
  for (std::size_t units = 1; units <= bell.size(); ++units) {
    std::set<Partition> seen;
    chopping::for_each_partition(units, units, [&](const Partition& partition) {
      EXPECT_EQ(partition, chopping::in_order(partition));
      return seen.insert(partition).second;
    });
    EXPECT_EQ(seen.size(), bell[units - 1]);
  }
  std::size_t few = 0;
  chopping::for_each_partition(8, 3, [&](const Partition&) { return ++few > 0; });
  EXPECT_EQ(few, 1U + 127 + 966);
}

// Whatever can be reached by moving one table is a neighbour.
TEST(Partitions, have_neighbours_that_lead_everywhere) {
  std::set<Partition> reached = {{0, 0, 0, 0, 0}};
  std::vector<Partition> next(reached.begin(), reached.end());
  while (!next.empty()) {
    const Partition at = next.back();
    next.pop_back();
    for (const Partition& neighbour : chopping::neighbours_of(at, 4)) {
      EXPECT_NE(neighbour, at);
      EXPECT_LE(chopping::services_of(neighbour), 4U);
      if (reached.insert(neighbour).second) next.push_back(neighbour);
    }
  }
  EXPECT_EQ(reached.size(), 51U);  // all of five but the one with five services
}

TEST(Fronts, keep_what_nothing_is_better_than) {
  using chopping::Weight;
  const std::map<Partition, Weight> weights = {
      {{0, 0, 0}, {.services = 1, .cores = 0, .calls = 0}},
      {{0, 0, 1}, {.services = 2, .cores = 3, .calls = 1}},
      {{0, 1, 0}, {.services = 2, .cores = 3, .calls = 2}},
      {{0, 1, 1}, {.services = 2, .cores = 1, .calls = 4}},
      {{0, 1, 2}, {.services = 3, .cores = 3, .calls = 1}}};
  std::vector<Partition> front;
  for (const auto& [weight, partition] : chopping::front_of(weights)) front.push_back(partition);
  EXPECT_THAT(front,
              testing::ElementsAre(Partition{0, 0, 0}, Partition{0, 1, 1}, Partition{0, 1, 2}));
}

}  // namespace
}  // namespace heddle
