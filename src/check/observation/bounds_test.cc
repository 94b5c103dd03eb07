#include "check/observation/bounds.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

// How many steps the meter lets an engine take, which asks for one after the other.
std::uint64_t steps_taken(Meter& meter, std::uint64_t most) {
  std::uint64_t steps = 0;
  while (steps < most && meter.may_step()) ++steps;
  return steps;
}

TEST(Bounds, StepsAreCountedForEachAnswer) {
  Meter meter(CheckBounds{.steps = 100});
  EXPECT_EQ(steps_taken(meter, 1000), 99U);
  EXPECT_EQ(meter.hit(), "the limit of 100 steps");
  meter.start_answer();
  EXPECT_FALSE(meter.is_hit());
  EXPECT_EQ(steps_taken(meter, 50), 50U);
}

TEST(Bounds, PatienceEndsBeforeTheLimit) {
  Meter meter(CheckBounds{.steps = 100});
  meter.start_answer(20);
  EXPECT_EQ(steps_taken(meter, 1000), 19U);
  EXPECT_TRUE(meter.is_put_off());
  meter.be_patient();
  EXPECT_FALSE(meter.is_hit());
  EXPECT_FALSE(meter.is_put_off());
  EXPECT_EQ(steps_taken(meter, 1000), 79U);
  EXPECT_FALSE(meter.is_put_off());
  EXPECT_TRUE(meter.is_hit());
}

TEST(Bounds, ALimitIsNotPutOff) {
  Meter meter(CheckBounds{.steps = 20});
  meter.start_answer(100);
  EXPECT_EQ(steps_taken(meter, 1000), 19U);
  EXPECT_FALSE(meter.is_put_off());
  EXPECT_EQ(meter.hit(), "the limit of 20 steps");
}

}  // namespace
}  // namespace heddle
