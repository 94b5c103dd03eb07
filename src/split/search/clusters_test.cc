// Clusters of tables and their silhouettes, held against slow formulas on random distances.
#include "split/search/clusters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "heddle/cut_search.h"
#include "split/random_program_testing.h"
#include "split/split_testing.h"

namespace heddle::chopping {
namespace {

using split_testing::parse;
using testing::ElementsAre;
using testing::HasSubstr;

Distances random_distances(std::mt19937& random, std::size_t tables) {
  std::uniform_real_distribution<double> distance(0, 1);
  Distances distances(tables, std::vector<double>(tables));
  for (std::vector<double>& row : distances) {
    for (double& one : row) one = distance(random);
  }
  return distances;
}

Units single_tables(std::size_t tables) {
  Units units;
  for (std::size_t i = 0; i < tables; ++i) units.tables.push_back({i});
  units.apart.assign(tables, std::vector<bool>(tables));
  return units;
}

// By the words of the definition: a(i) and b(i) of each table, the average over those of a cluster
// as a list of its own.
double slow_silhouette(const Partition& partition, const Distances& distances) {
  std::map<std::size_t, std::vector<std::size_t>> clusters;
  for (std::size_t i = 0; i < partition.size(); ++i) clusters[partition[i]].push_back(i);
  const auto average_to = [&](std::size_t from, const std::vector<std::size_t>& cluster) {
    std::vector<double> values;
    for (const std::size_t to : cluster) {
      if (to != from) values.push_back(distances[from][to]);
    }
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  double sum = 0;
  for (std::size_t i = 0; i < partition.size() && clusters.size() > 1; ++i) {
    if (clusters[partition[i]].size() == 1) continue;
    const double a = average_to(i, clusters[partition[i]]);
    std::vector<double> others;
    for (const auto& [number, cluster] : clusters) {
      if (number != partition[i]) others.push_back(average_to(i, cluster));
    }
    const double b = *std::ranges::min_element(others);
    if (std::max(a, b) > 0) sum += (b - a) / std::max(a, b);
  }
  return sum / static_cast<double>(partition.size());
}

// Merges by the formula of Lance and Williams: the distance to a merged cluster from those to its
// two parts. `weighted`: a canary, each part counts as much as the other.
std::vector<Partition> slow_clusters(const Distances& distances, bool weighted = false) {
  const std::size_t tables = distances.size();
  std::map<std::pair<std::size_t, std::size_t>, double> between;
  std::map<std::size_t, double> sizes;
  Partition partition(tables);
  for (std::size_t i = 0; i < tables; ++i) {
    partition[i] = i;
    sizes[i] = 1;
    for (std::size_t j = i + 1; j < tables; ++j) {
      between[{i, j}] = (distances[i][j] + distances[j][i]) / 2;
    }
  }
  const auto at = [&](std::size_t a, std::size_t b) -> double& {
    return between.at(std::minmax(a, b));
  };
  std::vector<Partition> all = {partition};
  while (sizes.size() > 1) {
    const auto [into, from] =
        std::ranges::min_element(between, {}, [](const auto& one) { return one.second; })->first;
    for (const auto& [other, size] : sizes) {
      if (other == into || other == from) continue;
      const double one = weighted ? 1 : sizes[into];
      const double two = weighted ? 1 : sizes[from];
      at(into, other) = (one * at(into, other) + two * at(from, other)) / (one + two);
    }
    sizes[into] += sizes[from];
    sizes.erase(from);
    std::erase_if(between, [gone = from](const auto& one) {
      return one.first.first == gone || one.first.second == gone;
    });
    std::ranges::replace(partition, from, into);
    all.push_back(in_order(partition));
  }
  return all;
}

TEST(Silhouettes, are_what_the_definition_says) {
  for (unsigned seed = 0; seed < test_rounds(500); ++seed) {
    std::mt19937 random(seed);
    const std::size_t tables = 1 + random() % 8;
    const Distances distances = random_distances(random, tables);
    Partition partition(tables);
    for (std::size_t& service : partition) service = random() % 4;
    partition = in_order(partition);
    ASSERT_NEAR(silhouette_of(partition, distances), slow_silhouette(partition, distances), 1e-12)
        << "seed " << seed;
  }
}

TEST(Clusters, are_those_of_average_linkage) {
  std::size_t other_linkages = 0;
  for (unsigned seed = 0; seed < test_rounds(500); ++seed) {
    std::mt19937 random(seed);
    const Distances distances = random_distances(random, 1 + random() % 8);
    const std::vector<Partition> clusters = clusters_of(single_tables(distances.size()), distances);
    ASSERT_EQ(clusters, slow_clusters(distances)) << "seed " << seed;
    // A canary: another linkage gives others.
    if (clusters != slow_clusters(distances, true)) ++other_linkages;
  }
  EXPECT_GT(other_linkages, 0U);
}

TEST(Clusters, keep_apart_what_must_be) {
  Units units = single_tables(4);
  const Distances near(4, std::vector<double>(4, 0.0));
  EXPECT_THAT(clusters_of(units, near), ElementsAre(Partition{0, 1, 2, 3}, Partition{0, 0, 1, 2},
                                                    Partition{0, 0, 0, 1}, Partition{0, 0, 0, 0}));
  for (const auto& [a, b] : {std::pair(0, 1), std::pair(2, 3)}) {
    units.apart[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = true;
    units.apart[static_cast<std::size_t>(b)][static_cast<std::size_t>(a)] = true;
  }
  EXPECT_THAT(clusters_of(units, near),
              ElementsAre(Partition{0, 1, 2, 3}, Partition{0, 1, 0, 2}, Partition{0, 1, 0, 1}));
}

// Of tables a to d: pairs by the functionalities that delete from them.
std::string deleting(const std::vector<std::string>& functionalities) {
  std::string sql;
  for (const char table : std::string("abcd")) {
    sql += fmt::format("CREATE TABLE {} (id int PRIMARY KEY);\n", table);
  }
  for (std::size_t i = 0; i < functionalities.size(); ++i) {
    sql += fmt::format("CREATE PROCEDURE f{}(k int) LANGUAGE plpgsql AS $$ BEGIN\n", i);
    for (const char table : functionalities[i]) {
      sql += fmt::format("DELETE FROM {} WHERE id = k;\n", table);
    }
    sql += "END $$;\n";
  }
  return sql;
}

CutSearchReport best_of(const Program& program, CutSearchOptions options = {}) {
  options.measure = CutMeasure::silhouette;
  options.most_services = program.schema.tables.size();
  const Result<CutSearchReport> report = search_cuts(program, options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  return report ? *report : CutSearchReport{};
}

// The share of the first table's users, which is another one in the other direction.
TEST(BestCluster, goes_by_the_share_of_those_who_use_a_table) {
  const Program program = parse(deleting({"ab", "b", "b", "cd", "cd"}));
  const CutSearchReport report = best_of(program);
  ASSERT_EQ(report.front.size(), 1U);
  EXPECT_EQ(partition_of(report.front[0].cut, program.schema), (Partition{0, 0, 1, 1}));
  EXPECT_EQ(report.silhouettes.size(), 2U);
  // a is used with b always, b with a in one of three.
  const double b = (1 - 2.0 / 3) / 1;
  EXPECT_NEAR(report.silhouettes.at(2), (1 + b + 1 + 1) / 4, 1e-12);
  EXPECT_NEAR(report.silhouettes.at(3), 2.0 / 4, 1e-12);
  EXPECT_GT(std::abs(report.front[0].score.silhouette - report.silhouettes.at(2)), 0.01);
}

TEST(BestCluster, of_equal_ones_is_the_one_with_the_fewest_services) {
  const Program program = parse(deleting({}));
  const CutSearchReport report = best_of(program);
  EXPECT_EQ(report.silhouettes, (std::map<std::size_t, double>{{2, 0.0}, {3, 0.0}}));
  EXPECT_EQ(report.front[0].score.services, 2U);
}

TEST(BestCluster, keeps_to_the_rules) {
  const Program program = parse(deleting({"ab", "cd"}));
  CutSearchOptions options;
  options.rules.apart = {{"a", "b"}};
  const CutSearchReport apart = best_of(program, options);
  const Partition partition = partition_of(apart.front[0].cut, program.schema);
  EXPECT_NE(partition[0], partition[1]);
  options.rules = {.together = {{"a", "c"}}, .apart = {}};
  const CutSearchReport together = best_of(program, options);
  const Partition other = partition_of(together.front[0].cut, program.schema);
  EXPECT_EQ(other[0], other[2]);
  options.rules = {.together = {}, .apart = {}, .least_tables = 3};
  options.measure = CutMeasure::silhouette;
  EXPECT_THAT(to_string(search_cuts(program, options).error()),
              HasSubstr("no clusters of tables into 2 to 3 services keep to the rules"));
}

// The best of what is said of each number of services, and the same again.
TEST(BestCluster, has_the_highest_silhouette) {
  for (unsigned seed = 0; seed < test_rounds(3); ++seed) {
    std::mt19937 random(seed);
    const Program program = parse(random_program(random, 5, 4));
    const CutSearchReport report = best_of(program);
    ASSERT_EQ(report.front.size(), 1U);
    const double best = report.silhouettes.at(report.front[0].score.services);
    for (const auto& [services, silhouette] : report.silhouettes) {
      EXPECT_LE(silhouette, best + 1e-9) << "seed " << seed << ", " << services << " services";
    }
    const CutSearchReport again = best_of(program);
    EXPECT_EQ(partition_of(report.front[0].cut, program.schema),
              partition_of(again.front[0].cut, program.schema));
    EXPECT_EQ(report.silhouettes, again.silhouettes);
  }
}

}  // namespace
}  // namespace heddle::chopping
