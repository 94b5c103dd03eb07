#include "throwaway/directory.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ThrowawayDirectories : public testing::Test {
 protected:
  ThrowawayDirectories() { root_ = *make_private_directory("/tmp", "directory-test-"); }
  void TearDown() override { fs::remove_all(root_); }

  // A directory as a dead owner leaves it.
  std::string leave_behind(const std::string& name) const {
    const std::string path = root_ + "/" + name;
    fs::create_directories(path + "/data/base");
    std::ofstream(path + "/lock") << "";
    return path;
  }

  std::string root_;
};

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST_F(ThrowawayDirectories, is_private_and_goes_with_its_object) {
  std::string path;
  {
    auto directory = ThrowawayDirectory::create({root_}, {});
    ASSERT_TRUE(directory) << to_string(directory.error());
    path = (*directory)->path();
    EXPECT_TRUE(path.starts_with(root_ + "/heddle-")) << path;
    EXPECT_EQ(mode_of(path), 0700U);
    EXPECT_EQ(mode_of((*directory)->data()), 0700U);
    EXPECT_EQ(mode_of((*directory)->socket_directory()), 0700U);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ThrowawayDirectories, the_server_may_pass_but_owns_only_its_own) {
  const std::optional<Account> nobody = find_account("nobody");
  ASSERT_TRUE(nobody);
  ::chmod(root_.c_str(), 0755);
  auto directory = ThrowawayDirectory::create({root_}, nobody);
  if (::geteuid() != 0) {
    // Nobody but root can give files away.
    ASSERT_FALSE(directory);
    EXPECT_THAT(to_string(directory.error()), HasSubstr("cannot give"));
    return;
  }
  ASSERT_TRUE(directory) << to_string(directory.error());
  EXPECT_EQ(mode_of((*directory)->path()), 0710U);
  struct stat top{};
  struct stat data{};
  ASSERT_EQ(::stat((*directory)->path().c_str(), &top), 0);
  ASSERT_EQ(::stat((*directory)->data().c_str(), &data), 0);
  EXPECT_EQ(top.st_uid, 0U);
  EXPECT_EQ(data.st_uid, nobody->user);
}

TEST_F(ThrowawayDirectories, falls_back_when_a_root_will_not_do) {
  const std::string deep = root_ + "/" + std::string(100, 'x');
  fs::create_directory(deep);
  auto fallen_back = ThrowawayDirectory::create({deep, root_}, {});
  ASSERT_TRUE(fallen_back);
  EXPECT_TRUE((*fallen_back)->path().starts_with(root_ + "/heddle-"));

  auto too_long = ThrowawayDirectory::create({deep}, {});
  ASSERT_FALSE(too_long);
  EXPECT_THAT(to_string(too_long.error()), HasSubstr("too long for a Unix socket"));

  fs::create_directory(root_ + "/a,b");
  auto comma = ThrowawayDirectory::create({root_ + "/a,b"}, {});
  ASSERT_FALSE(comma);
  EXPECT_THAT(to_string(comma.error()), HasSubstr("has a comma"));

  // The server's user may not enter what mkdtemp made for this one.
  auto closed = ThrowawayDirectory::create({root_}, Account{"stranger", 54321, 54321});
  ASSERT_FALSE(closed);
  EXPECT_THAT(to_string(closed.error()), HasSubstr("the user stranger"));
}

TEST_F(ThrowawayDirectories, says_why_a_root_cannot_be_used) {
  auto missing = ThrowawayDirectory::create({root_ + "/missing"}, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(to_string(missing.error()),
            root_ +
                "/missing: cannot use as the temporary directory: No such file or directory, "
                "set TMPDIR to a directory that can be written to, with a short path");
  // Not even root can make directories there.
  auto unwritable = ThrowawayDirectory::create({"/proc"}, {});
  ASSERT_FALSE(unwritable);
  EXPECT_THAT(to_string(unwritable.error()), HasSubstr("/proc: cannot make a directory in it"));
  EXPECT_EQ(unwritable.error().trouble, Trouble::environment);
}

TEST_F(ThrowawayDirectories, leftovers_of_dead_owners_are_removed) {
  const std::string dead = leave_behind("heddle-dead00");
  remove_leftovers({root_, root_ + "/missing"});
  EXPECT_FALSE(fs::exists(dead));
}

TEST_F(ThrowawayDirectories, directories_of_living_owners_stay) {
  auto own = ThrowawayDirectory::create({root_}, {});
  ASSERT_TRUE(own);
  remove_leftovers({root_});
  EXPECT_TRUE(fs::exists((*own)->data()));
}

TEST_F(ThrowawayDirectories, a_directory_in_the_making_stays) {
  const std::string fresh = root_ + "/heddle-fresh0";
  const std::string stale = root_ + "/heddle-stale0";
  fs::create_directory(fresh);
  fs::create_directory(stale);
  const timeval long_ago[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimes(stale.c_str(), long_ago), 0);
  remove_leftovers({root_});
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_FALSE(fs::exists(stale));
}

TEST_F(ThrowawayDirectories, what_is_not_ours_stays) {
  const std::string names[] = {"heddle", "heddle-", "heddle-notes.txt", "other-abcdef"};
  for (const std::string& name : names) leave_behind(name);
  const std::string target = leave_behind("target");
  fs::create_directory_symlink(target, root_ + "/heddle-link00");
  std::ofstream(root_ + "/heddle-file00") << "";
  remove_leftovers({root_});
  for (const std::string& name : names) EXPECT_TRUE(fs::exists(root_ + "/" + name)) << name;
  EXPECT_TRUE(fs::exists(target + "/data"));
  EXPECT_TRUE(fs::exists(root_ + "/heddle-file00"));
}

TEST_F(ThrowawayDirectories, a_directory_of_another_user_stays) {
  const std::string path = leave_behind("heddle-other0");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(path.c_str(), 54321, 54321), 0);
    remove_leftovers({root_});
    EXPECT_TRUE(fs::exists(path));
    return;
  }
  // Without root nothing of another user can be made; all that is ours goes.
  remove_leftovers({root_});
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ThrowawayDirectories, a_lock_that_is_a_link_is_not_followed) {
  const std::string path = leave_behind("heddle-trick0");
  fs::remove(path + "/lock");
  fs::create_symlink("/etc/passwd", path + "/lock");
  remove_leftovers({root_});
  EXPECT_TRUE(fs::exists(path));
}

// A process that works in `directory` under the name `name` until it is killed.
pid_t start_in(const std::string& directory, const std::string& name) {
  const std::string program = directory + "/" + name;
  fs::copy_file("/bin/sleep", program, fs::copy_options::overwrite_existing);
  const Command command{.arguments = {program, "1000"},
                        .environment = {},
                        .working_directory = directory,
                        .account = {}};
  const FileDescriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const Result<pid_t> process = start_process(command, nothing.get());
  EXPECT_TRUE(process) << to_string(process.error());
  return *process;
}

TEST_F(ThrowawayDirectories, processes_are_known_by_where_they_work) {
  const std::string path = leave_behind("heddle-busy00");
  const std::string elsewhere = leave_behind("elsewhere");
  const pid_t server = start_in(path + "/data", "postgres");
  const pid_t visitor = start_in(path + "/data", "visitor");  // someone looks around
  const pid_t other = start_in(elsewhere + "/data", "postgres");
  // A forged or outdated number must not lead anywhere else.
  std::ofstream(path + "/data/postmaster.pid") << other << "\n";

  EXPECT_EQ(processes_in(path + "/data"), std::vector<pid_t>{server});
  end_server(path + "/data");
  const std::optional<ProcessOutcome> ended = reap_process(server);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, SIGKILL);
  EXPECT_FALSE(reap_process(visitor));
  EXPECT_FALSE(reap_process(other));
  for (const pid_t process : {visitor, other}) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
}

TEST_F(ThrowawayDirectories, a_postmaster_is_asked_gently_even_when_stopped) {
  const std::string path = leave_behind("heddle-busy00");
  const pid_t server = start_in(path + "/data", "postgres");
  std::ofstream(path + "/data/postmaster.pid") << server << "\n" << path << "/data\n";
  ::kill(server, SIGSTOP);
  remove_leftovers({root_});
  const std::optional<ProcessOutcome> ended = reap_process(server);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->signal, SIGQUIT);
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ThrowawayDirectories, roots_follow_tmpdir) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", root_.c_str(), 1);
  EXPECT_EQ(throwaway_roots(), (std::vector<std::string>{root_, "/tmp"}));
  EXPECT_THAT(leftover_roots(), testing::Contains(root_));
  ::unsetenv("TMPDIR");
  EXPECT_EQ(throwaway_roots().back(), "/tmp");
  if (before != nullptr) ::setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace heddle
