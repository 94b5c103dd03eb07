#include "base/bounds.h"

#include <atomic>
#include <functional>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "base/interrupt.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

void wait_for_stop() {
  while (!interrupted()) std::this_thread::yield();
}

// Runs `body` in a child, for bounds are of the whole process.
int exit_status_of(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Bounds, nothing_is_hit_without_any) {
  EXPECT_EQ(stop_reason(), "");
  EXPECT_FALSE(memory_is_short(1));
}

TEST(Bounds, time_asks_for_an_end) {
  const int status = exit_status_of([] {
    const Clock::time_point begin = Clock::now();
    bound_time(30, "--timeout=30ms");
    if (interrupted()) return 1;
    wait_for_stop();
    if (Clock::now() - begin < std::chrono::milliseconds(30)) return 2;
    return stop_reason() == "--timeout=30ms" && interrupt_signal() == 0 ? 0 : 3;
  });
  EXPECT_EQ(status, 0);
}

TEST(Bounds, memory_asks_for_an_end) {
  const int status = exit_status_of([] {
    constexpr std::size_t kMore = std::size_t{20} << 20;
    bound_memory(resident_memory() + kMore, "--memory=M");
    if (interrupted() || memory_is_short(101)) return 1;
    const std::vector<char> taken(kMore + kMore / 10, 'x');
    wait_for_stop();
    return stop_reason() == "--memory=M" && memory_is_short(100) && !taken.empty() ? 0 : 2;
  });
  EXPECT_EQ(status, 0);
}

TEST(Bounds, memory_that_goes_on_growing_ends_the_process) {
  const int status = exit_status_of([] {
    bound_memory(1, "--memory=1");
    std::vector<std::vector<char>> taken;
    while (true) taken.emplace_back(std::size_t{1} << 20, 'x');
    return 0;
  });
  EXPECT_EQ(status, 3);
}

TEST(Bounds, the_first_signal_after_a_bound_is_still_the_first) {
  const int status = exit_status_of([] {
    install_interrupt_handler();
    bound_time(1, "time");
    wait_for_stop();
    ::raise(SIGINT);
    return stop_reason() == "interrupted" ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

TEST(Bounds, a_grace_at_a_bound_is_short) {
  const int status = exit_status_of([] {
    bound_time(1, "time");
    const Clock::time_point begin = Clock::now();
    const InterruptGrace grace(60'000);
    while (!interrupted()) std::this_thread::yield();
    const auto taken = Clock::now() - begin;
    if (taken < std::chrono::milliseconds(kGraceAtBoundMs)) return 1;
    return taken < std::chrono::seconds(20) ? 0 : 2;
  });
  EXPECT_EQ(status, 0);
}

TEST(Cancellation, comes_at_its_end_and_after_an_interrupt) {
  std::atomic<int> at_end = 0;
  std::atomic<int> later = 0;
  const Cancellation first(Clock::now(), [&] { ++at_end; });
  const Cancellation second({}, [&] { ++later; });
  while (at_end < 2) std::this_thread::yield();
  EXPECT_EQ(later, 0);
  raise_interrupt();
  while (later < 2) std::this_thread::yield();
  clear_interrupt();
}

TEST(Cancellation, is_over_with_its_object) {
  for (int i = 0; i < 1'000; ++i) {
    bool alive = true;
    const Cancellation one(Clock::now(), [&] { EXPECT_TRUE(alive); });
  }
}

TEST(Bounds, the_machine_has_memory) {
  EXPECT_GT(memory_of_machine(), std::uint64_t{1} << 26);
  EXPECT_GT(resident_memory(), std::uint64_t{1} << 20);
  EXPECT_LT(resident_memory(), memory_of_machine());
}

}  // namespace
}  // namespace heddle
