#include "base/interrupt.h"

#include <functional>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace heddle {
namespace {

bool is_readable(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return ::poll(&entry, 1, 0) == 1;
}

// Runs `body` in a child, so that handlers and flags of this process stay as they are.
int exit_status_in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Interrupt, nothing_has_come_at_first) {
  EXPECT_FALSE(interrupted());
  EXPECT_EQ(interrupt_signal(), 0);
  EXPECT_FALSE(is_readable(interrupt_fd()));
}

TEST(Interrupt, the_first_signal_sets_the_flag_and_wakes) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = exit_status_in_child([signal] {
      install_interrupt_handler();
      ::raise(signal);
      if (!interrupted() || interrupt_signal() != signal) return 1;
      return is_readable(interrupt_fd()) ? 0 : 2;
    });
    EXPECT_EQ(status, 0) << "signal " << signal;
  }
}

TEST(Interrupt, the_second_signal_ends_the_process) {
  const int status = exit_status_in_child([] {
    install_interrupt_handler();
    ::raise(SIGINT);
    ::raise(SIGTERM);
    return 0;
  });
  EXPECT_EQ(status, 128 + SIGTERM);
}

TEST(Interrupt, an_ignored_signal_stays_ignored) {
  const int status = exit_status_in_child([] {
    ::signal(SIGHUP, SIG_IGN);
    install_interrupt_handler();
    ::raise(SIGHUP);
    return interrupted() ? 1 : 0;
  });
  EXPECT_EQ(status, 0);
}

TEST(Interrupt, can_be_raised_and_cleared) {
  raise_interrupt();
  EXPECT_TRUE(interrupted());
  EXPECT_TRUE(is_readable(interrupt_fd()));
  clear_interrupt();
  EXPECT_FALSE(interrupted());
  EXPECT_FALSE(is_readable(interrupt_fd()));
}

TEST(Interrupt, a_grace_lets_it_wait) {
  {
    const InterruptGrace grace(60'000);
    raise_interrupt();
    EXPECT_FALSE(interrupted());
    EXPECT_EQ(interrupt_signal(), SIGINT);
    EXPECT_FALSE(is_readable(interrupt_fd()));
    {
      // The signal came before it began.
      const InterruptGrace inner(30);
      EXPECT_FALSE(interrupted());
      pollfd wake{interrupt_fd(), POLLIN, 0};
      EXPECT_EQ(::poll(&wake, 1, 30'000), 1);
      EXPECT_TRUE(interrupted());
      EXPECT_TRUE(is_readable(interrupt_fd()));
    }
    EXPECT_FALSE(interrupted());
  }
  EXPECT_TRUE(interrupted());
  EXPECT_TRUE(is_readable(interrupt_fd()));
  clear_interrupt();
}

TEST(Interrupt, a_grace_is_of_its_thread_only) {
  const InterruptGrace grace(60'000);
  raise_interrupt();
  bool elsewhere = false;
  std::thread([&] { elsewhere = interrupted(); }).join();
  EXPECT_TRUE(elsewhere);
  EXPECT_FALSE(interrupted());
  clear_interrupt();
}

}  // namespace
}  // namespace heddle
