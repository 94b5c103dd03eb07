// The sets that are searched are those of the list of all in which each two may meet, each once.
#include "find/search/search_groups.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"

namespace heddle::find {
namespace {

using Groups = std::vector<std::vector<std::size_t>>;

struct Case {
  std::size_t most = 0;
  GroupSequence::Members members;
};

Case random_case(std::mt19937_64& random) {
  const auto below = [&](std::size_t end) { return random() % end; };
  const std::size_t count = below(7) + (below(20) == 0 ? 70 : 0);
  Case made{.most = count > 20 ? 3 : 2 + below(3), .members = {}};
  made.members.may_meet.assign(count, std::vector<bool>(count));
  const std::size_t percent = below(101);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const bool meets = below(100) < percent;
      made.members.may_meet[i][j] = made.members.may_meet[j][i] = meets;
    }
    made.members.order.push_back(i);
  }
  std::ranges::shuffle(made.members.order, random);
  if (below(2) == 0) {
    for (std::size_t i = 0; i < count; ++i) made.members.wanted.push_back(below(3) == 0);
  }
  return made;
}

bool is_expected(const std::vector<std::size_t>& group, const Case& of) {
  const auto& [may_meet, order, wanted] = of.members;
  for (std::size_t i = 0; i < group.size() && group.size() <= 3; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!may_meet[group[i]][group[j]]) return false;
    }
  }
  return wanted.empty() || group.size() < of.most ||
         std::ranges::any_of(group, [&](std::size_t member) { return of.members.wanted[member]; });
}

Groups expected(const Case& of) {
  Groups all = groups_up_to(of.most, of.members.order.size());
  std::erase_if(all, [&](const auto& group) { return !is_expected(group, of); });
  return all;
}

Groups given(const Case& of, std::uint64_t& count) {
  GroupSequence sequence(of.most, of.members);
  count = sequence.count();
  Groups all;
  while (auto group = sequence.next()) all.push_back(*std::move(group));
  EXPECT_FALSE(sequence.next());
  return all;
}

// A set is searched after all that are in it.
bool has_smaller_first(const Groups& groups) {
  std::size_t size = 2;
  for (const auto& group : groups) {
    if (group.size() < size) return false;
    size = group.size();
  }
  return true;
}

TEST(SearchGroups, each_that_a_cycle_may_go_through_once) {
  std::mt19937_64 random(7);
  std::size_t compared = 0;
  std::size_t left_out = 0;
  for (std::size_t round = 0; round < test_rounds(400); ++round) {
    const Case of = random_case(random);
    std::uint64_t count = 0;
    Groups found = given(of, count);
    EXPECT_TRUE(has_smaller_first(found));
    const Groups wanted = expected(of);
    EXPECT_EQ(count, wanted.size());
    std::ranges::sort(found);
    Groups sorted = wanted;
    std::ranges::sort(sorted);
    ASSERT_EQ(found, sorted) << "round " << round;
    compared += found.size();
    left_out += groups_up_to(of.most, of.members.order.size()).size() - found.size();
  }
  EXPECT_GT(compared, 1000U);
  EXPECT_GT(left_out, 1000U);
}

TEST(SearchGroups, those_of_what_stands_early_come_first) {
  const std::vector<std::vector<bool>> all(3, std::vector<bool>(3, true));
  std::uint64_t count = 0;
  const Groups found = given({2, {.may_meet = all, .order = {2, 0, 1}, .wanted = {}}}, count);
  EXPECT_EQ(found, (Groups{{2, 2}, {0, 2}, {0, 0}, {1, 2}, {0, 1}, {1, 1}}));
}

TEST(SearchGroups, are_counted_without_being_made) {
  EXPECT_EQ(count_groups(3, 7), groups_up_to(3, 7).size());
  EXPECT_EQ(count_groups(4, 6), groups_up_to(4, 6).size());
  EXPECT_EQ(count_groups(3, 0), 0U);
  EXPECT_EQ(count_groups(3, 1192), 711'028U + 282'989'144U);
  EXPECT_EQ(count_groups(40, 100'000), UINT64_MAX);
}

}  // namespace
}  // namespace heddle::find
