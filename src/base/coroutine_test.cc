#include "base/coroutine.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
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

// Each handles an exception of its own while the other one runs.
TEST(Coroutine, exceptions_are_those_of_the_body_or_of_its_owner) {
  std::string seen;
  std::unique_ptr<Coroutine> thrower;
  thrower = std::make_unique<Coroutine>([&] {
    try {
      throw std::runtime_error("inner");
    } catch (const std::runtime_error&) {
      thrower->give_back();
      try {
        throw;
      } catch (const std::runtime_error& again) {
        seen += again.what();
      }
    }
  });
  thrower->resume();
  EXPECT_EQ(std::current_exception(), nullptr);
  try {
    throw std::runtime_error("outer");
  } catch (const std::runtime_error&) {
    EXPECT_FALSE(thrower->resume());
    try {
      throw;
    } catch (const std::runtime_error& again) {
      seen += std::string(", ") + again.what();
    }
  }
  EXPECT_EQ(seen, "inner, outer");
}

// The number of a thread that the compiler does not take for a constant.
pid_t thread_number() { return static_cast<pid_t>(syscall(SYS_gettid)); }

TEST(Coroutine, is_resumed_by_any_thread) {
  std::vector<pid_t> seen;
  std::unique_ptr<Coroutine> wanderer;
  wanderer = std::make_unique<Coroutine>([&] {
    for (int i = 0; i < 2; ++i) {
      seen.push_back(thread_number());
      wanderer->give_back();
    }
  });
  wanderer->resume();
  pid_t other = 0;
  std::thread([&] {
    other = thread_number();
    wanderer->resume();
  }).join();
  EXPECT_FALSE(wanderer->resume());
  EXPECT_EQ(seen, (std::vector{thread_number(), other}));
}

std::size_t depth_of(std::size_t wanted, Coroutine& coroutine) {
  volatile char room[1024] = {};
  room[wanted % sizeof room] = 1;
  if (wanted == 0) coroutine.give_back();
  return wanted == 0 ? 0 : 1 + depth_of(wanted - 1, coroutine) + (room[0] == 2 ? 1 : 0);
}

TEST(Coroutine, has_room_for_deep_calls) {
  constexpr std::size_t kDepth = 3000;
  std::size_t depth = 0;
  std::unique_ptr<Coroutine> deep;
  deep = std::make_unique<Coroutine>([&] { depth = depth_of(kDepth, *deep); });
  EXPECT_TRUE(deep->resume());
  EXPECT_FALSE(deep->resume());
  EXPECT_EQ(depth, kDepth);
}

}  // namespace
}  // namespace heddle
