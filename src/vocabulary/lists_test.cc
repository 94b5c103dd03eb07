// Lists that share their room read as they were added.
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/recorded_history.h"

namespace heddle {
namespace {

std::vector<Value> numbers(std::initializer_list<std::int64_t> all) {
  std::vector<Value> values;
  for (const std::int64_t number : all) values.push_back(Value::number(number));
  return values;
}

std::vector<Value> read(const Lists& lists, ListId list) {
  return {lists[list].begin(), lists[list].end()};
}

TEST(Lists, that_begin_alike_share_their_room) {
  Lists lists;
  const ListId first = lists.add_grown(0, numbers({1, 2}));
  const ListId longer = lists.add_grown(0, numbers({1, 2, 3}));
  const ListId other = lists.add_grown(0, numbers({1, 9}));
  const ListId shorter = lists.add_grown(0, numbers({1}));
  const ListId longest = lists.add_grown(0, numbers({1, 2, 3, 4}));
  EXPECT_EQ(lists[longest].data(), lists[longer].data());
  EXPECT_EQ(lists[shorter].data(), lists[longer].data());
  EXPECT_EQ(read(lists, first), numbers({1, 2}));
  EXPECT_EQ(read(lists, longer), numbers({1, 2, 3}));
  EXPECT_EQ(read(lists, other), numbers({1, 9}));
  EXPECT_EQ(read(lists, longest), numbers({1, 2, 3, 4}));
}

TEST(Lists, that_go_on_without_what_was_read_share_their_room_again) {
  Lists lists;
  lists.add_grown(0, numbers({1, 2, 9}));
  lists.add_grown(0, numbers({1, 2, 3}));
  const ListId first = lists.add_grown(0, numbers({1, 2, 3, 4}));
  lists.add_grown(0, numbers({1, 2, 3, 4, 5}));
  const ListId second = lists.add_grown(0, numbers({1, 2, 3, 4, 5, 6}));
  const ListId third = lists.add_grown(0, numbers({1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(lists[second].data(), lists[third].data());
  EXPECT_EQ(read(lists, first), numbers({1, 2, 3, 4}));
  EXPECT_EQ(read(lists, third), numbers({1, 2, 3, 4, 5, 6, 7}));
}

TEST(Lists, read_as_they_were_added) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    Lists lists;
    std::vector<std::vector<Value>> added;
    std::vector<std::vector<Value>> grown(4);
    for (int i = 0; i < 60; ++i) {
      const std::size_t key = random() % grown.size();
      std::vector<Value> list = grown[key];
      if (random() % 3 == 0) list.resize(random() % (list.size() + 1));
      if (random() % 2 == 0) list.push_back(Value::number(random() % 3));
      if (random() % 4 != 0) grown[key] = list;
      const ListId id = random() % 5 == 0 ? lists.add(list) : lists.add_grown(key, list);
      ASSERT_EQ(id.index(), added.size());
      added.push_back(list);
    }
    for (std::size_t i = 0; i < added.size(); ++i) ASSERT_EQ(read(lists, ListId(i)), added[i]);
  }
}

}  // namespace
}  // namespace heddle
