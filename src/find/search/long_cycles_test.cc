// Cycles through many transactions, of which only those are asked about that contain no known one.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "find/search/cycles.h"
#include "find/search/find_testing.h"
#include "find/search/search.h"
#include "find/search/wider.h"
#include "heddle/find.h"

namespace heddle::find {
namespace {

std::string tables(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("CREATE TABLE fork{} (id int PRIMARY KEY, taken int NOT NULL);\n", i);
  }
  return text;
}

// Each looks at the fork on its right and takes the one on its left, around a table. `gap`: who
// looks at a fork that nobody takes; count: nobody.
Program ring(std::size_t count, std::size_t gap) {
  std::string text = tables(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t right = i == gap ? count : (i + 1) % count;
    text += routine(fmt::format("dine{}(v int)", i),
                    fmt::format("DECLARE t int;\nBEGIN\n"
                                "SELECT taken INTO t FROM fork{} WHERE id = 1;\n"
                                "UPDATE fork{} SET taken = v + t WHERE id = 1;\nEND",
                                right, i));
  }
  return parse(text);
}

FindReport search(const Program& program, std::size_t length, std::size_t instances,
                  IsolationLevel level = IsolationLevel::snapshot) {
  FindOptions options;
  options.level = level;
  options.max_length = length;
  options.max_instances = instances;
  Result<FindReport> report = find_anomalies(program, options);
  EXPECT_TRUE(report);
  return report ? std::move(*report) : FindReport{};
}

TEST(LongCycles, are_found_around_a_table) {
  for (const std::size_t count : {5U, 7U}) {
    const FindReport report = search(ring(count, count), 2 * count, count);
    ASSERT_EQ(report.causes.size(), 1U) << count;
    EXPECT_EQ(report.causes.front().cores.front().edges.size(), count);
    EXPECT_EQ(report.causes.front().kind, AnomalyKind::write_skew);
    EXPECT_EQ(report.bound, "");
  }
}

TEST(LongCycles, are_not_found_where_the_ring_is_open_or_the_bound_too_small) {
  EXPECT_TRUE(search(ring(6, 2), 12, 6).causes.empty());
  EXPECT_TRUE(search(ring(6, 6), 12, 5).causes.empty());
  EXPECT_TRUE(search(ring(6, 6), 11, 6).causes.empty());
  EXPECT_TRUE(search(ring(5, 5), 10, 5, IsolationLevel::serializable).causes.empty());
}

TEST(LongCycles, are_what_a_search_for_all_finds) {
  const Program program = ring(5, 5);
  FindOptions options;
  options.level = IsolationLevel::snapshot;
  options.max_length = 10;
  options.max_instances = 5;
  const auto count_cycles = [&](Search::Larger larger) {
    const auto search = Search::prepare(program, options, larger);
    EXPECT_TRUE(search);
    do {
      while (const auto set = (*search)->next()) (*search)->search(*set);
    } while ((*search)->widen());
    const FindReport report = (*search)->merge();
    EXPECT_EQ(report.bound, "");
    return report.causes.size();
  };
  EXPECT_EQ(count_cycles(Search::Larger::smallest_cycles),
            count_cycles(Search::Larger::all_cycles));
}

// All sets of so many functionalities with a cycle, by going through each set.
std::set<std::vector<std::size_t>> sets_by_enumeration(const SearchInput& input, std::size_t size) {
  std::set<std::vector<std::size_t>> found;
  for (const std::vector<std::size_t>& members : groups_up_to(size, input.prepared.size())) {
    if (members.size() != size) continue;
    CycleInput cycles;
    cycles.instances = size;
    cycles.max_length = input.max_length;
    std::vector<std::vector<std::shared_ptr<const ConflictList>>> kept(size);
    static const std::vector<Conflict> kNone;
    for (std::size_t from = 0; from < size; ++from) {
      cycles.runs_again.push_back(&input.prepared[members[from]].runs_again);
      cycles.conflicts.emplace_back();
      for (std::size_t to = 0; to < size; ++to) {
        kept[from].push_back(input.conflicts_between(members[from], members[to]));
        cycles.conflicts.back().push_back(from == to ? &kNone : &kept[from].back()->all);
      }
    }
    enumerate_cycles(cycles, [&](const Skeleton& skeleton) {
      if (!input.admits(members, skeleton)) return true;
      found.insert(members);
      return false;
    });
  }
  return found;
}

TEST(LongCycles, go_through_the_sets_that_an_enumeration_of_all_sets_finds) {
  for (const Program& program : {ring(3, 3), ring(4, 1), parse(kWithdraw)}) {
    FindOptions options;
    options.level = IsolationLevel::eventual;
    options.max_length = 7;
    std::vector<FunctionalityLevel> levels(program.functionalities.size(),
                                           FunctionalityLevel{.level = *options.level});
    SearchInput input = prepare_search(program, options, std::move(levels));
    leave_out(input, {});
    for (const std::size_t size : {2U, 3U, 4U, 5U}) {
      const CycleSets found = sets_with_cycles(input, size);
      EXPECT_TRUE(found.is_complete);
      EXPECT_EQ(std::set(found.sets.begin(), found.sets.end()), sets_by_enumeration(input, size))
          << size;
    }
    // Without those that are known: of a ring nothing is left.
    FindOptions known_options = options;
    known_options.max_instances = 4;
    const Result<FindReport> report = find_anomalies(program, known_options);
    ASSERT_TRUE(report);
    std::vector<FoundCycle> known;
    for (const FoundCause& cause : report->causes) {
      known.insert(known.end(), cause.cores.begin(), cause.cores.end());
    }
    leave_out(input, known);
    const CycleSets left = sets_with_cycles(input, 4);
    EXPECT_EQ(std::set(left.sets.begin(), left.sets.end()), sets_by_enumeration(input, 4));
    if (!known.empty()) {
      EXPECT_LT(left.sets.size(), groups_up_to(4, 4).size());
    }
  }
}

TEST(LongCycles, that_were_not_looked_for_in_time_are_said) {
  FindOptions options;
  options.level = IsolationLevel::eventual;
  options.max_length = 12;
  options.max_instances = 6;
  options.timeout_ms = 0;
  const Result<FindReport> report = find_anomalies(ring(6, 6), options);
  ASSERT_TRUE(report);
  EXPECT_NE(report->bound, "");
}

// Who stands back for a while looks for them later.
TEST(LongCycles, are_looked_for_again_by_who_stood_back) {
  const Program program = ring(5, 5);
  FindOptions options;
  options.level = IsolationLevel::snapshot;
  options.max_length = 10;
  options.max_instances = 5;
  const auto search = Search::prepare(program, options);
  ASSERT_TRUE(search);
  bool stands_back = false;
  (*search)->stop_when([&] { return stands_back; });
  while (const auto set = (*search)->next()) (*search)->search(*set);
  stands_back = true;
  EXPECT_FALSE((*search)->widen());
  EXPECT_NE((*search)->merge().bound.find("more than 4 transactions were not searched for"),
            std::string::npos);
  stands_back = false;
  EXPECT_TRUE((*search)->widen());
  while (const auto set = (*search)->next()) (*search)->search(*set);
  EXPECT_FALSE((*search)->widen());
  EXPECT_EQ((*search)->merge().bound, "");
  EXPECT_EQ((*search)->merge().causes.size(), 1U);
}

}  // namespace
}  // namespace heddle::find
