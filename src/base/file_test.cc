#include "base/file.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/interrupt.h"
#include "base/private_file.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class File : public testing::Test {
 protected:
  File() {
    const auto made = make_private_directory(fs::temp_directory_path().string(), "file-test-");
    EXPECT_TRUE(made);
    root_ = *made;
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string path(const std::string& name) const { return root_ + "/" + name; }
  void make(const std::string& name, const std::string& content) const {
    std::ofstream(path(name)) << content;
  }

  std::string root_;
};

TEST_F(File, writes_and_reads_back) {
  for (const std::string& content :
       {std::string(), std::string("a\0b\n", 4), std::string(200'000, 'x')}) {
    ASSERT_TRUE(write_file_atomically(path("f"), content));
    const Result<std::string> back = read_file(path("f"));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, content);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1) << "a temporary file is left";
}

TEST_F(File, says_what_cannot_be_read) {
  fs::create_directory(path("d"));
  make("large", "12345");
  const std::string cases[][2] = {{"missing", "cannot open: No such file or directory"},
                                  {"d", "cannot read: Is a directory"},
                                  {"large/f", "cannot open: Not a directory"}};
  for (const auto& [name, what] : cases) {
    const Result<std::string> content = read_file(path(name));
    ASSERT_FALSE(content) << name;
    EXPECT_EQ(to_string(content.error()), path(name) + ": " + what);
    EXPECT_EQ(content.error().trouble, Trouble::environment);
  }
}

TEST_F(File, reading_has_a_limit) {
  make("f", "12345");
  EXPECT_TRUE(read_file(path("f"), 5));
  const Result<std::string> content = read_file(path("f"), 4);
  ASSERT_FALSE(content);
  EXPECT_THAT(to_string(content.error()), HasSubstr("larger than 4 bytes"));
  // No size is known beforehand.
  EXPECT_FALSE(read_file("/dev/zero", 1 << 20));
  const Result<std::string> endless = read_file("/dev/zero", std::size_t{1} << 40U);
  ASSERT_FALSE(endless);
  EXPECT_EQ(to_string(endless.error()),
            "/dev/zero: the file is larger than 64 MB, give a smaller one");
}

TEST_F(File, a_failed_write_keeps_the_old_content) {
  make("f", "old");
  ASSERT_EQ(::chmod(root_.c_str(), 0500), 0);
  const Result<void> written = write_file_atomically(path("f"), "new");
  ASSERT_EQ(::chmod(root_.c_str(), 0700), 0);
  // Root may write everywhere.
  EXPECT_EQ(written.has_value(), ::geteuid() == 0);
  EXPECT_EQ(*read_file(path("f")), ::geteuid() == 0 ? "new" : "old");

  EXPECT_FALSE(write_file_atomically(path("missing/f"), "new"));
  EXPECT_FALSE(fs::exists(path("missing")));
  const Result<void> onto_directory = write_file_atomically(root_, "new");
  ASSERT_FALSE(onto_directory);
  EXPECT_EQ(to_string(onto_directory.error()), root_ + ": cannot write: Is a directory");
}

TEST_F(File, a_full_disk_is_reported) {
  const Result<void> written = write_file_atomically("/dev/full", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(to_string(written.error()), "/dev/full: cannot write: No space left on device");
}

TEST_F(File, private_ones_are_for_their_owner_only) {
  const mode_t mask = ::umask(0);
  ASSERT_TRUE(write_file_atomically(path("wide"), "old"));
  for (const char* name : {"new", "wide"}) {
    ASSERT_TRUE(write_private_file_atomically(path(name), "rows"));
    struct stat status{};
    ASSERT_EQ(::stat(path(name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U) << name;
    EXPECT_EQ(*read_file(path(name)), "rows");
  }
  ::umask(mask);
}

TEST_F(File, writing_follows_links_and_keeps_permissions) {
  make("target", "old");
  ASSERT_EQ(::chmod(path("target").c_str(), 0640), 0);
  fs::create_symlink("target", path("link"));
  ASSERT_TRUE(write_file_atomically(path("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(*read_file(path("target")), "new");
  struct stat status{};
  ASSERT_EQ(::stat(path("target").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(File, new_files_obey_the_mask) {
  const mode_t mask = ::umask(027);
  ASSERT_TRUE(write_file_atomically(path("f"), "text"));
  ::umask(mask);
  struct stat status{};
  ASSERT_EQ(::stat(path("f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(File, removes_trees_but_nothing_outside) {
  fs::create_directories(path("tree/a/b"));
  make("tree/a/b/f", "x");
  make("outside", "precious");
  fs::create_directory(path("other"));
  make("other/f", "precious");
  fs::create_symlink(path("outside"), path("tree/file_link"));
  fs::create_directory_symlink(path("other"), path("tree/a/directory_link"));
  fs::create_symlink("nowhere", path("tree/dangling"));
  ASSERT_TRUE(remove_tree(path("tree")));
  EXPECT_FALSE(fs::exists(path("tree")));
  EXPECT_TRUE(fs::exists(path("outside")));
  EXPECT_TRUE(fs::exists(path("other/f")));
}

TEST_F(File, removing_a_link_removes_the_link) {
  fs::create_directory(path("other"));
  make("other/f", "precious");
  fs::create_directory_symlink(path("other"), path("link"));
  ASSERT_TRUE(remove_tree(path("link")));
  EXPECT_FALSE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::exists(path("other/f")));
}

TEST_F(File, removing_what_is_not_there_is_success) { EXPECT_TRUE(remove_tree(path("missing"))); }

TEST_F(File, removal_has_a_depth_bound) {
  std::string name = "deep";
  for (int level = 0; level < 80; ++level) name += "/d";
  fs::create_directories(path(name));
  EXPECT_FALSE(remove_tree(path("deep")));
  EXPECT_TRUE(fs::exists(path("deep")));
}

TEST_F(File, private_directories_are_private) {
  const Result<std::string> one = make_private_directory(root_, "x-");
  const Result<std::string> two = make_private_directory(root_, "x-");
  ASSERT_TRUE(one && two);
  EXPECT_NE(*one, *two);
  struct stat status{};
  ASSERT_EQ(::stat(one->c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);

  const Result<std::string> nowhere = make_private_directory(path("missing"), "x-");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(to_string(nowhere.error()),
            path("missing") + ": cannot make a directory in it: No such file or directory");
}

TEST_F(File, a_pipe_is_read_to_its_end) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread writer([this] {
    const FileDescriptor end(::open(path("pipe").c_str(), O_WRONLY | O_CLOEXEC));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(::write(end.get(), "word ", 5), 5);
  });
  const Result<std::string> text = read_file(path("pipe"));
  writer.join();
  ASSERT_TRUE(text) << to_string(text.error());
  EXPECT_EQ(*text, "word word ");
}

TEST_F(File, nobody_has_to_wait_for_a_pipe_that_nobody_writes_to) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread other([] { raise_interrupt(); });
  const Result<std::string> text = read_file(path("pipe"));
  other.join();
  clear_interrupt();
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().trouble, Trouble::interrupted);
  EXPECT_EQ(to_string(text.error()), path("pipe") + ": interrupted while nobody wrote to it");
}

TEST_F(File, descriptors_close_themselves) {
  int number = -1;
  {
    FileDescriptor file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = file.get();
    FileDescriptor moved = std::move(file);
    EXPECT_EQ(moved.get(), number);
    EXPECT_EQ(::fcntl(number, F_GETFD), FD_CLOEXEC);
  }
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

}  // namespace
}  // namespace heddle
