#include "check/levels/beginning.h"

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "check/levels/sample_recorded.h"
#include "heddle/check.h"

namespace heddle {
namespace {

TEST(Beginning, ForgetsWhatLaterOnesWrote) {
  const TransactionHistory history = recorded_sample(
      "0 w(x,1) r(y,7) r(l,[1,2]) c\n"
      "1 r(x,1) a(l,1) c\n"
      "2 a(l,2) w(y,7) c\n");
  EXPECT_EQ(text_of(beginning_of(history, 3)), text_of(history));
  const TransactionHistory part = beginning_of(history, 2);
  ASSERT_EQ(part.transactions.size(), 2U);
  EXPECT_FALSE(find_flaw(part));
  EXPECT_EQ(part.operations[1].value, kUnseen);
  EXPECT_EQ(part.operations[2].value, kUnseen);
  EXPECT_EQ(part.operations[3].value, history.operations[3].value);
}

TEST(Beginning, WhatItViolatesTheWholeViolates) {
  std::size_t violated = 0;
  for (std::size_t seed = 0; seed < test_rounds(300); ++seed) {
    const TransactionHistory history = sample_of_seed(seed, {.transactions = 12});
    const TransactionHistory part = beginning_of(history, history.transactions.size() / 2);
    ASSERT_FALSE(find_flaw(part));
    const Result<CheckReport> of_part = check_history(part, {});
    const Result<CheckReport> of_whole = check_history(history, {});
    for (std::size_t i = 0; i < of_part->answers.size(); ++i) {
      if (of_part->answers[i].verdict != Verdict::violated) continue;
      ++violated;
      EXPECT_NE(of_whole->answers[i].verdict, Verdict::satisfied) << seed << text_of(history);
    }
  }
  EXPECT_GT(violated, 100U);
}

}  // namespace
}  // namespace heddle
