#include "throwaway/binaries.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ThrowawayBinaries : public testing::Test {
 protected:
  ThrowawayBinaries() {
    root_ = *make_private_directory(fs::temp_directory_path().string(), "binaries-test-");
  }
  void TearDown() override { fs::remove_all(root_); }

  // Makes programs in a directory below the root.
  std::string install(const std::string& directory,
                      const std::vector<std::string>& programs) const {
    const std::string path = root_ + "/" + directory;
    fs::create_directories(path);
    for (const std::string& program : programs) {
      const std::string file = fmt::format("{}/{}", path, program);
      std::ofstream(file) << "#!/bin/sh\n";
      ::chmod(file.c_str(), 0755);
    }
    return path;
  }

  std::string root_;
};

const std::vector<std::string> kBoth = {"initdb", "postgres"};

TEST_F(ThrowawayBinaries, the_chosen_directory_comes_first) {
  const std::string chosen = install("chosen", kBoth);
  const std::string other = install("other", kBoth);
  EXPECT_EQ(*find_postgres_binaries({chosen, other, {}}), chosen);
}

TEST_F(ThrowawayBinaries, the_chosen_directory_must_be_right) {
  const std::string other = install("other", kBoth);
  const std::string half = install("half", {"initdb"});
  const auto found = find_postgres_binaries({half, other, {}});
  ASSERT_FALSE(found);
  EXPECT_EQ(to_string(found.error()),
            "$HEDDLE_POSTGRES_BIN is " + half +
                ", where there is no program postgres, set it to the directory that has initdb and "
                "postgres, or unset it");
  EXPECT_FALSE(find_postgres_binaries({"/nonexistent", other, {}}));
}

TEST_F(ThrowawayBinaries, the_path_comes_before_what_is_installed) {
  const std::string half = install("half", {"postgres"});
  const std::string full = install("full", kBoth);
  install("installed/15/bin", kBoth);
  EXPECT_EQ(*find_postgres_binaries({"", "relative::" + half + ":" + full, {root_ + "/installed"}}),
            full);
}

TEST_F(ThrowawayBinaries, the_newest_installed_version_is_taken) {
  install("installed/9.6/bin", kBoth);
  const std::string newest = install("installed/15/bin", kBoth);
  install("installed/16/bin", {"initdb"});  // only the client is installed
  install("installed/share/bin", kBoth);
  EXPECT_EQ(*find_postgres_binaries({"", "", {root_ + "/installed"}}), newest);
}

TEST_F(ThrowawayBinaries, a_directory_or_plain_file_is_no_program) {
  const std::string path = install("bin", {"initdb"});
  fs::create_directory(path + "/postgres");
  EXPECT_FALSE(find_postgres_binaries({"", path, {}}));
  fs::remove(path + "/postgres");
  std::ofstream(path + "/postgres") << "text";
  EXPECT_FALSE(find_postgres_binaries({"", path, {}}));
}

TEST_F(ThrowawayBinaries, the_server_of_redis_comes_before_its_tools) {
  const std::string tools = install("tools", {"redis-check-rdb"});
  const std::string server = install("server", {"redis-server"});
  EXPECT_EQ(*find_redis_server({"", tools + ":" + server, {}}), server + "/redis-server");
  EXPECT_EQ(*find_redis_server({"", tools, {}}), tools + "/redis-check-rdb");
  EXPECT_EQ(*find_redis_server({tools, server, {}}), tools + "/redis-check-rdb");
  const auto none = find_redis_server({"", root_, {}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "no installed Redis server was found (redis-server)");
  EXPECT_THAT(none.error().what_to_do, HasSubstr("apt-get install redis-tools"));
}

TEST_F(ThrowawayBinaries, says_what_to_do_when_there_are_none) {
  const auto found = find_postgres_binaries({"", root_, {root_ + "/missing"}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().trouble, Trouble::environment);
  EXPECT_THAT(to_string(found.error()), HasSubstr("apt-get install postgresql"));
}

}  // namespace
}  // namespace heddle
