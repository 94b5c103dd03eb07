#include "store/postgres/throwaway.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/interrupt.h"
#include "store/postgres/ask_testing.h"
#include "throwaway/child_testing.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Each test has a directory for its servers; at the end of each, nothing may be left in it.
class Throwaway : public testing::Test {
 protected:
  Throwaway() {
    root_ = *make_private_directory(throwaway_roots().front(), "throwaway-test-");
    ::chmod(root_.c_str(), 0711);  // the server's user passes through
    options_.roots = {root_};
  }
  void TearDown() override {
    if (!programs_.empty()) fs::remove_all(programs_);
    EXPECT_TRUE(is_empty_directory(root_));
    fs::remove_all(root_);
  }

  Result<std::unique_ptr<ThrowawayPostgres>> start() const {
    return ThrowawayPostgres::start(options_);
  }

  // In a child: starts a server and says where.
  std::unique_ptr<ThrowawayPostgres> start_and_say(const Child::Say& say) const {
    auto server = start();
    if (!server) {
      say(to_string(server.error()));
      ::_exit(98);
    }
    say((*server)->directory());
    return std::move(*server);
  }

  // Everything of the server at `directory` goes, sooner or later.
  static void expect_to_vanish(const std::string& directory) {
    EXPECT_TRUE(eventually([&] { return !fs::exists(directory); })) << directory;
    EXPECT_TRUE(eventually([&] { return processes_in(directory + "/data").empty(); }));
  }

  std::string message_of_failed_start() const {
    const auto server = start();
    if (server) return "it has started";
    EXPECT_EQ(server.error().trouble, Trouble::environment);
    EXPECT_TRUE(is_empty_directory(root_));
    return to_string(server.error());
  }

  // Programs of PostgreSQL that are shell scripts.
  void install(const std::string& initdb, const std::string& postgres) {
    if (programs_.empty()) programs_ = *make_private_directory("/tmp", "throwaway-programs-");
    ::chmod(programs_.c_str(), 0755);
    for (const auto& [name, script] : {std::pair("initdb", initdb), {"postgres", postgres}}) {
      std::ofstream(programs_ + "/" + name) << "#!/bin/sh\n" << script << "\n";
      ::chmod((programs_ + "/" + name).c_str(), 0755);
    }
    options_.binaries = {.chosen = programs_, .path = "", .installed = {}};
  }

  std::string root_;
  std::string programs_;
  ThrowawayOptions options_;
};

TEST_F(Throwaway, starts_answers_and_leaves_nothing) {
  std::string directory;
  pid_t process = 0;
  {
    const auto server = start();
    ASSERT_TRUE(server) << to_string(server.error());
    directory = (*server)->directory();
    process = (*server)->process();
    EXPECT_EQ(ask((*server)->conninfo(), "SELECT 40 + 2"), "42");
    EXPECT_TRUE(
        ask((*server)->conninfo(), "SHOW server_version").starts_with((*server)->version()));
    EXPECT_EQ(
        ask((*server)->conninfo(), "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"),
        "t");
    EXPECT_THAT(processes_in(directory + "/data"), testing::Contains(process));
    EXPECT_NE(::getsid(process), ::getsid(0)) << "the terminal's Ctrl-C would reach it";
  }
  EXPECT_FALSE(fs::exists(directory));
  EXPECT_TRUE(processes_in(directory + "/data").empty());
  EXPECT_EQ(::kill(process, 0), -1);
}

TEST_F(Throwaway, has_the_promised_settings) {
  options_.connections = 37;
  options_.settings = {"deadlock_timeout=123ms"};
  const auto server = start();
  ASSERT_TRUE(server) << to_string(server.error());
  const std::pair<const char*, const char*> expected[] = {
      {"listen_addresses", ""},      {"fsync", "off"},
      {"autovacuum", "off"},         {"max_connections", "37"},
      {"deadlock_timeout", "123ms"}, {"max_prepared_transactions", "64"},
      {"server_encoding", "UTF8"},   {"lc_collate", "C"},
      {"TimeZone", "UTC"},           {"dynamic_shared_memory_type", "mmap"},
  };
  for (const auto& [name, value] : expected)
    EXPECT_EQ(ask((*server)->conninfo(), fmt::format("SELECT current_setting('{}', true)", name)),
              value)
        << name;
}

TEST_F(Throwaway, works_where_paths_are_odd) {
  const std::string odd = root_ + "/o'd d \"x\\";
  fs::create_directory(odd);
  ::chmod(odd.c_str(), 0711);
  options_.roots = {odd};
  {
    const auto server = start();
    ASSERT_TRUE(server) << to_string(server.error());
    EXPECT_EQ(ask((*server)->conninfo(), "SELECT 1"), "1");
  }
  EXPECT_TRUE(is_empty_directory(odd));
  fs::remove(odd);
}

TEST_F(Throwaway, two_at_once_do_not_disturb_each_other) {
  const auto one = start();
  ASSERT_TRUE(one) << to_string(one.error());
  {
    const auto two = start();
    ASSERT_TRUE(two) << to_string(two.error());
    EXPECT_NE((*one)->directory(), (*two)->directory());
    EXPECT_EQ(ask((*two)->conninfo(), "CREATE TABLE t ()"), "");
  }
  EXPECT_EQ(ask((*one)->conninfo(), "SELECT to_regclass('t') IS NULL"), "t");
}

TEST_F(Throwaway, two_processes_at_once_do_not_disturb_each_other) {
  Child one([&](const Child::Say& say) {
    const auto server = start_and_say(say);
    ::pause();
    return 0;
  });
  const std::string directory = one.hear();
  {
    const auto two = start();
    ASSERT_TRUE(two) << to_string(two.error());
    EXPECT_TRUE(fs::exists(directory));
    EXPECT_NE(directory, (*two)->directory());
    one.wait_after(SIGKILL);
    expect_to_vanish(directory);
    EXPECT_EQ(ask((*two)->conninfo(), "SELECT 1"), "1");
  }
}

TEST_F(Throwaway, goes_when_its_owner_is_killed) {
  Child owner([&](const Child::Say& say) {
    const auto server = start_and_say(say);
    ::pause();
    return 0;
  });
  const std::string directory = owner.hear();
  ASSERT_TRUE(fs::exists(directory + "/data/postmaster.pid")) << directory;
  EXPECT_EQ(owner.wait_after(SIGKILL), -SIGKILL);
  expect_to_vanish(directory);
}

// The shared memory that initdb's servers make outside of our directory, while they run; without
// what a running server uses, which may be anybody's.
std::set<std::string> abandoned_memory() {
  std::set<std::string> segments;
  for (const fs::directory_entry& entry : fs::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("PostgreSQL.")) segments.insert(name);
  }
  for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
    std::ifstream maps(process.path() / "maps");
    for (std::string line; std::getline(maps, line);) {
      const std::size_t name = line.find("/dev/shm/PostgreSQL.");
      if (name != std::string::npos) segments.erase(fs::path(line.substr(name)).filename());
    }
  }
  return segments;
}

TEST_F(Throwaway, goes_when_its_owner_is_killed_while_starting) {
  const std::set<std::string> before = abandoned_memory();
  for (const int after_ms : {5, 15, 40, 90, 160, 250, 340, 380, 420}) {
    Child owner([&](const Child::Say& say) {
      const auto server = start_and_say(say);
      ::pause();
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
    owner.wait_after(SIGKILL);
    EXPECT_TRUE(eventually([&] { return is_empty_directory(root_); })) << after_ms << " ms";
  }
  EXPECT_TRUE(eventually([&] { return std::ranges::includes(before, abandoned_memory()); }));
}

TEST_F(Throwaway, goes_when_it_is_interrupted_while_starting) {
  const std::set<std::string> before = abandoned_memory();
  for (const int after_ms : {10, 60, 150, 250, 350}) {
    Child owner([&](const Child::Say& say) {
      install_interrupt_handler();
      say("ready");
      const auto server = start();
      return server ? 0 : server.error().trouble == Trouble::interrupted ? 1 : 2;
    });
    EXPECT_EQ(owner.hear(), "ready");
    std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
    EXPECT_NE(owner.wait_after(SIGINT), 2) << after_ms << " ms";
    EXPECT_TRUE(is_empty_directory(root_)) << after_ms << " ms";
  }
  EXPECT_TRUE(eventually([&] { return std::ranges::includes(before, abandoned_memory()); }));
}

TEST_F(Throwaway, goes_when_its_owner_forgets_it) {
  Child owner([&](const Child::Say& say) {
    static const ThrowawayPostgres* kept = start_and_say(say).release();
    std::exit(kept == nullptr ? 1 : 7);  // waits for the guard
    return 0;
  });
  const std::string directory = owner.hear();
  EXPECT_EQ(owner.wait(), 7);
  EXPECT_FALSE(fs::exists(directory));
}

TEST_F(Throwaway, a_second_interrupt_ends_at_once_and_leaves_nothing) {
  Child owner([&](const Child::Say& say) {
    install_interrupt_handler();
    const auto server = start_and_say(say);
    for (;;) ::pause();
    return 0;
  });
  const std::string directory = owner.hear();
  ::kill(owner.pid(), SIGINT);
  EXPECT_TRUE(eventually([&] {
    // A signal that is pending swallows the next of its kind.
    ::kill(owner.pid(), SIGINT);
    siginfo_t state{};
    ::waitid(P_PID, static_cast<id_t>(owner.pid()), &state, WEXITED | WNOHANG | WNOWAIT);
    return state.si_pid == owner.pid();
  }));
  EXPECT_EQ(owner.wait(), 128 + SIGINT);
  expect_to_vanish(directory);
}

TEST_F(Throwaway, the_terminals_interrupt_does_not_reach_the_server) {
  Child owner([&](const Child::Say& say) {
    ::setpgid(0, 0);
    install_interrupt_handler();
    const auto server = start_and_say(say);
    ::kill(0, SIGINT);
    if (!interrupted()) return 1;
    return ask(server->conninfo(), "SELECT 1") == "1" ? 0 : 2;
  });
  const std::string directory = owner.hear();
  EXPECT_EQ(owner.wait(), 0);
  expect_to_vanish(directory);
}

TEST_F(Throwaway, an_interrupt_ends_the_start) {
  raise_interrupt();
  const auto server = start();
  clear_interrupt();
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().trouble, Trouble::interrupted);
}

TEST_F(Throwaway, the_next_start_removes_what_a_killed_guard_left) {
  Child owner([&](const Child::Say& say) {
    const auto server = start_and_say(say);
    ::pause();
    return 0;
  });
  const std::string directory = owner.hear();
  const std::vector<pid_t> guards = children_of(owner.pid(), "throwaway-guard");
  ASSERT_EQ(guards.size(), 1U);
  ::kill(guards.front(), SIGKILL);
  owner.wait_after(SIGKILL);
  EXPECT_TRUE(fs::exists(directory)) << "somebody else has removed it";
  EXPECT_FALSE(processes_in(directory + "/data").empty());

  remove_leftovers({root_});
  EXPECT_FALSE(fs::exists(directory));
  EXPECT_TRUE(processes_in(directory + "/data").empty());
}

TEST_F(Throwaway, a_server_that_was_killed_leaves_nothing_either) {
  const auto server = start();
  ASSERT_TRUE(server) << to_string(server.error());
  const Result<std::string> status = read_file((*server)->directory() + "/data/postmaster.pid");
  ASSERT_TRUE(status);
  const std::string line = split(*status, '\n').at(6);
  const int segment = std::stoi(line.substr(line.rfind(' ')));
  shmid_ds state{};
  ASSERT_EQ(::shmctl(segment, IPC_STAT, &state), 0);

  ::kill((*server)->process(), SIGKILL);
  EXPECT_TRUE(eventually([&] { return ask((*server)->conninfo(), "SELECT 1") != "1"; }));
  const_cast<std::unique_ptr<ThrowawayPostgres>&>(*server).reset();
  EXPECT_EQ(::shmctl(segment, IPC_STAT, &state), -1) << "shared memory is left";
}

TEST_F(Throwaway, says_that_programs_are_missing) {
  options_.binaries = {.chosen = "/nonexistent", .path = "", .installed = {}};
  EXPECT_THAT(message_of_failed_start(), HasSubstr("no program initdb"));
}

TEST_F(Throwaway, says_why_initdb_fails) {
  install("echo 'some words'; echo 'initdb: error: it is Monday' >&2; exit 1", "");
  EXPECT_EQ(message_of_failed_start(),
            "cannot start a temporary PostgreSQL server: initdb failed with exit code 1: "
            "initdb: error: it is Monday");
  install("exit 3", "");
  EXPECT_THAT(message_of_failed_start(), HasSubstr("exit code 3: it said nothing"));
  install("kill -SEGV $$", "");
  EXPECT_THAT(message_of_failed_start(), HasSubstr("initdb was ended by signal 11"));
}

// What initdb says of its work names no cause, but what goes wrong stands on the same line.
TEST_F(Throwaway, progress_of_initdb_is_no_reason) {
  const std::string progress =
      "echo 'creating subdirectories ... ok'; "
      "echo 'selecting dynamic shared memory implementation ... posix'; "
      "printf 'running bootstrap script ... '; ";
  constexpr const char* kEnded =
      "cannot start a temporary PostgreSQL server: initdb was ended by signal 9";
  install(progress + "kill -KILL $$", "");
  EXPECT_EQ(message_of_failed_start(), kEnded);
  install("kill -KILL $$", "");
  EXPECT_EQ(message_of_failed_start(), kEnded);
  install(progress + "echo 'FATAL:  it is Monday' >&2; exit 1", "");
  EXPECT_EQ(message_of_failed_start(),
            "cannot start a temporary PostgreSQL server: initdb failed with exit code 1: "
            "FATAL:  it is Monday");
}

TEST_F(Throwaway, says_why_the_server_fails) {
  install("exit 0",
          "echo 'LOG: hello'; echo 'FATAL: could not map anonymous shared memory'; exit 1");
  EXPECT_EQ(message_of_failed_start(),
            "cannot start a temporary PostgreSQL server: postgres failed with exit code 1: FATAL: "
            "could not map anonymous shared memory, raise the machine's limits on shared memory");
}

TEST_F(Throwaway, does_not_wait_for_ever) {
  options_.timeout_ms = 100;
  install("exec sleep 1000", "");
  EXPECT_THAT(message_of_failed_start(), HasSubstr("initdb did not end in time"));
  install("exit 0", "exec sleep 1000");
  EXPECT_THAT(message_of_failed_start(), HasSubstr("postgres was not ready in time"));
}

TEST_F(Throwaway, says_that_a_setting_is_wrong) {
  options_.settings = {"no_such_setting=1"};
  EXPECT_THAT(message_of_failed_start(), HasSubstr("no_such_setting"));
}

TEST_F(Throwaway, says_that_the_temporary_directory_cannot_be_used) {
  options_.roots = {root_ + "/missing"};
  EXPECT_THAT(message_of_failed_start(), HasSubstr("No such file or directory, set TMPDIR"));
}

TEST_F(Throwaway, a_full_disk_is_reported) {
  const std::string disk = root_ + "/disk";
  fs::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=8m,mode=711") == 0) {
    options_.roots = {disk};
    const auto server = start();
    ASSERT_FALSE(server);
    EXPECT_THAT(to_string(server.error()), HasSubstr("No space left on device, free some space"));
    EXPECT_TRUE(is_empty_directory(disk));
    ::umount(disk.c_str());
  }
  fs::remove(disk);
  options_.roots = {root_};

  // Where mounting is not permitted, and elsewhere as well: no file may grow beyond a megabyte.
  Child limited([&](const Child::Say& say) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto server = start();
    say(server ? "it has started" : to_string(server.error()));
    return 0;
  });
  EXPECT_THAT(limited.hear(), HasSubstr("cannot start a temporary PostgreSQL server: initdb"));
  EXPECT_EQ(limited.wait(), 0);
}

}  // namespace
}  // namespace heddle
