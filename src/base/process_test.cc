#include "base/process.h"

#include <chrono>
#include <fcntl.h>
#include <signal.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/interrupt.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kLongMs = 60'000;

// The shell is only the program under test; heddle uses none.
Command shell(const std::string& script) {
  return {.arguments = {"/bin/sh", "-c", script},
          .environment = {"PATH=/usr/bin:/bin", "WORD=two words"},
          .working_directory = "/",
          .account = {}};
}

Command program(std::vector<std::string> arguments) {
  return {
      .arguments = std::move(arguments), .environment = {}, .working_directory = {}, .account = {}};
}

std::string output_of(const Command& command) {
  const Result<ProcessOutcome> outcome = run_process(command, kLongMs);
  return outcome ? outcome->output : to_string(outcome.error());
}

// Not even as a zombie, which only its parent can end.
bool is_alive(pid_t process) {
  const Result<std::string> status = read_file(fmt::format("/proc/{}/stat", process));
  return status && status->find(") Z ") == status->npos;
}

TEST(Process, captures_output_and_errors) {
  const Result<ProcessOutcome> outcome =
      run_process(shell("echo out; echo err >&2; exit 3"), kLongMs);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output, "out\nerr\n");
  EXPECT_EQ(outcome->exit_code, 3);
  EXPECT_EQ(outcome->signal, 0);
  EXPECT_FALSE(outcome->succeeded());
}

TEST(Process, passes_arguments_environment_and_directory_as_they_are) {
  EXPECT_EQ(output_of(shell("echo \"$WORD|$HOME|$PWD\"")), "two words||/\n");
  EXPECT_EQ(output_of(program({"/bin/echo", "a b", "$HOME", "*"})), "a b $HOME *\n");
}

TEST(Process, the_last_value_of_a_variable_counts) {
  Command command = program({"/usr/bin/env"});
  command.environment = {"ONE=1", "TWO=first", "THREE", "TWO=last", "ONES=3"};
  EXPECT_EQ(output_of(command), "ONE=1\nTHREE\nTWO=last\nONES=3\n");
}

TEST(Process, a_program_may_be_called_otherwise) {
  Command command = program({"other-name", "-c", "echo $0"});
  command.program = "/bin/sh";
  EXPECT_EQ(output_of(command), "other-name\n");
  command.program = "/nonexistent";
  EXPECT_NE(output_of(command).find("/nonexistent"), std::string::npos);
}

TEST(Process, input_is_empty) { EXPECT_EQ(output_of(program({"/bin/cat"})), ""); }

TEST(Process, inherits_no_descriptor) {
  const int leaked = ::open("/dev/null", O_RDONLY);  // deliberately without O_CLOEXEC
  EXPECT_EQ(
      output_of(shell("cd /proc/self/fd; for fd in *; do test $fd -gt 2 && readlink $fd; done")),
      "");
  ::close(leaked);
}

TEST(Process, inherits_neither_handlers_nor_the_mask) {
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  const Result<ProcessOutcome> outcome = run_process(shell("kill -TERM $$; sleep 60"), kLongMs);
  ::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->signal, SIGTERM);
}

TEST(Process, has_a_group_of_its_own) {
  EXPECT_NE(output_of(shell("cut -d' ' -f5 /proc/$$/stat")), fmt::format("{}\n", ::getpgrp()));
}

TEST(Process, says_why_it_cannot_start) {
  EXPECT_EQ(output_of(program({"/nonexistent/x"})),
            "cannot run /nonexistent/x: No such file or directory");
  EXPECT_EQ(output_of(program({"/etc/passwd"})), "cannot run /etc/passwd: Permission denied");
  Command command = shell("true");
  command.working_directory = "/nonexistent";
  EXPECT_EQ(output_of(command), "cannot run /bin/sh in /nonexistent: No such file or directory");
}

TEST(Process, becomes_another_user_or_says_that_it_cannot) {
  Command command = shell("id -un; id -Gn");
  command.account = find_account("nobody");
  ASSERT_TRUE(command.account);
  EXPECT_EQ(output_of(command),
            ::geteuid() == 0 ? "nobody\nnogroup\n"
                             : "cannot run /bin/sh as the user nobody: Operation not permitted");
  EXPECT_FALSE(find_account("no such user"));
}

TEST(Process, a_timeout_kills_the_whole_group) {
  const auto before = Clock::now();
  const Result<ProcessOutcome> outcome = run_process(shell("sleep 100 & echo $!; wait"), 100);
  EXPECT_LT(Clock::now() - before, std::chrono::seconds(30));
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->timed_out);
  const pid_t grandchild = std::stoi(outcome->output);
  for (int wait = 0; wait < 1000 && is_alive(grandchild); ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(is_alive(grandchild));
}

TEST(Process, a_chatty_program_times_out_too) {
  const Result<ProcessOutcome> outcome = run_process(program({"/usr/bin/yes"}), 100, 1000);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->timed_out);
  EXPECT_EQ(outcome->output.size(), 1000U);
}

TEST(Process, is_not_kept_by_a_grandchild_that_holds_the_output) {
  const auto before = Clock::now();
  const Result<ProcessOutcome> outcome = run_process(shell("sleep 30 & echo $!"), kLongMs);
  EXPECT_LT(Clock::now() - before, std::chrono::seconds(20));
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->succeeded());
  ::kill(std::stoi(outcome->output), SIGKILL);
}

TEST(Process, large_output_is_cut_not_stuck) {
  const Result<ProcessOutcome> outcome =
      run_process(program({"/usr/bin/head", "-c", "3000000", "/dev/zero"}), kLongMs, 500);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->succeeded());
  EXPECT_EQ(outcome->output.size(), 500U);
}

TEST(Process, an_interrupt_ends_it) {
  raise_interrupt();
  const Result<ProcessOutcome> outcome = run_process(shell("sleep 100"), kLongMs);
  clear_interrupt();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().trouble, Trouble::interrupted);
}

TEST(Process, takes_only_named_variables_along) {
  ::setenv("HEDDLE_PROCESS_TEST", "1", 1);
  EXPECT_EQ(inherited_environment({"HEDDLE_PROCESS_TEST", "HEDDLE_PROCESS_TEST_UNSET"}),
            std::vector<std::string>{"HEDDLE_PROCESS_TEST=1"});
  ::unsetenv("HEDDLE_PROCESS_TEST");
}

}  // namespace
}  // namespace heddle
