#include "sched/races/left_memory.h"

#include <gtest/gtest.h>

namespace heddle::sched::runtime {

namespace {

class LeftMemoryTest : public testing::Test {
 protected:
  std::uintptr_t at(std::size_t place) const {
    return reinterpret_cast<std::uintptr_t>(&values_[place]);
  }
  void write(std::size_t place, std::uint32_t value) {
    memory_.write(at(place), sizeof value);
    values_[place] = value;
  }
  void read(std::size_t place) { memory_.read(at(place), sizeof values_[place]); }

  alignas(8) std::array<std::uint32_t, 8> values_{};
  LeftMemory memory_;
};

TEST_F(LeftMemoryTest, FindsWhatIsReadAsAnotherExecutionLeftIt) {
  write(2, 5);
  read(2);
  EXPECT_TRUE(memory_.found().empty()) << "the execution's own value";
  memory_.end_execution();
  EXPECT_TRUE(memory_.found().empty()) << "nobody has read it";
  read(2);
  ASSERT_EQ(memory_.found().size(), 1U);
  EXPECT_EQ(memory_.found()[0].address, at(2));
  EXPECT_EQ(memory_.found()[0].value, 5U);
}

TEST_F(LeftMemoryTest, WhatIsWrittenFirstIsNoTrace) {
  for (int execution = 0; execution < 3; ++execution) {
    write(2, 5);
    read(2);
    memory_.end_execution();
  }
  EXPECT_TRUE(memory_.found().empty());
}

TEST_F(LeftMemoryTest, WhatIsPutBackIsNoTrace) {
  write(2, 5);
  write(2, 0);
  memory_.end_execution();
  read(2);
  EXPECT_TRUE(memory_.found().empty());
}

TEST_F(LeftMemoryTest, NeighboursInOneGranuleAreToldApart) {
  write(2, 5);
  memory_.end_execution();
  read(3);
  EXPECT_TRUE(memory_.found().empty());
  write(3, 5);
  read(2);
  ASSERT_EQ(memory_.found().size(), 1U) << "only its neighbour was written";
  EXPECT_EQ(memory_.found()[0].address, at(2));
}

TEST_F(LeftMemoryTest, FindsWhatChangedUnseen) {
  memory_.watch(at(0), at(7) + sizeof values_[7]);
  values_[5] = 7;
  memory_.end_execution();
  memory_.read(at(4), sizeof values_[4]);
  EXPECT_TRUE(memory_.found().empty());
  read(5);
  ASSERT_EQ(memory_.found().size(), 1U);
  EXPECT_EQ(memory_.found()[0].address, at(5));
}

TEST_F(LeftMemoryTest, AnAccessMayReachOverGranules) {
  memory_.write(at(1), 16);
  values_[1] = values_[4] = 7;
  memory_.end_execution();
  memory_.read(at(0), sizeof values_);
  ASSERT_EQ(memory_.found().size(), 2U) << "a byte of each";
  EXPECT_EQ(memory_.found()[1].address, at(4));
}

}  // namespace

}  // namespace heddle::sched::runtime
