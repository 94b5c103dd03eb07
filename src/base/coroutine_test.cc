#include "base/coroutine.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Coroutine, runs_by_turns_with_its_owner) {
  std::vector<int> seen;
  int value = 0;
  std::unique_ptr<Coroutine> squares;
  squares = std::make_unique<Coroutine>([&] {
    for (int i = 1; i <= 3; ++i) {
      value = i * i;
      squares->give_back();
    }
  });
  while (squares->resume()) seen.push_back(value);
  EXPECT_EQ(seen, (std::vector<int>{1, 4, 9}));
  EXPECT_TRUE(squares->has_ended());
}

TEST(Coroutine, that_is_never_resumed_never_begins) {
  bool has_begun = false;
  {
    const Coroutine unused([&] { has_begun = true; });
  }
  EXPECT_FALSE(has_begun);
}

}  // namespace
}  // namespace heddle
