#include "base/parallel.h"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(RunParallel, does_each_piece_once) {
  for (const std::size_t jobs : {0U, 1U, 2U, 7U}) {
    for (const std::size_t count : {0U, 1U, 5U, 1000U}) {
      std::vector<std::atomic<int>> done(count);
      run_parallel(count, jobs, [&](std::size_t i) { ++done[i]; });
      for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    }
  }
}

}  // namespace
}  // namespace heddle
