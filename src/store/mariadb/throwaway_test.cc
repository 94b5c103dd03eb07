#include "store/mariadb/throwaway.h"

#include <filesystem>
#include <mysql.h>
#include <sys/stat.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "throwaway/child_testing.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Each test has a directory for its servers; at the end of each, nothing may be left in it.
class ThrowawayMariadbTest : public testing::Test {
 protected:
  ThrowawayMariadbTest() {
    root_ = *make_private_directory(throwaway_roots().front(), "throwaway-test-");
    ::chmod(root_.c_str(), 0711);  // the server's user passes through
    options_.roots = {root_};
  }
  void TearDown() override {
    EXPECT_TRUE(is_empty_directory(root_));
    fs::remove_all(root_);
  }

  std::string root_;
  ThrowawayMariadbOptions options_;
};

std::string ask(const ThrowawayMariadb& server, const std::string& query) {
  const std::unique_ptr<MYSQL, decltype(&mysql_close)> connection(mysql_init(nullptr),
                                                                  &mysql_close);
  if (mysql_real_connect(connection.get(), nullptr, "root", "", nullptr, 0, server.socket().c_str(),
                         0) == nullptr ||
      mysql_query(connection.get(), query.c_str()) != 0) {
    return mysql_error(connection.get());
  }
  const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> result(
      mysql_store_result(connection.get()), &mysql_free_result);
  char** const row = result ? mysql_fetch_row(result.get()) : nullptr;
  return row == nullptr || row[0] == nullptr ? "nothing" : row[0];
}

TEST_F(ThrowawayMariadbTest, serves_and_goes) {
  const auto server = ThrowawayMariadb::start(options_);
  ASSERT_TRUE(server) << to_string(server.error());
  EXPECT_THAT(ask(**server, "SELECT version()"), HasSubstr("MariaDB"));
  EXPECT_EQ(ask(**server, "SELECT @@port"), "0");  // nothing listens but the socket
  EXPECT_EQ(ask(**server, "SELECT @@tx_isolation"), "REPEATABLE-READ");
  EXPECT_EQ(ask(**server, "SELECT @@innodb_status_output_locks"), "1");
  EXPECT_FALSE(processes_in((*server)->directory() + "/data").empty());
}

TEST_F(ThrowawayMariadbTest, takes_settings) {
  options_.settings = {"innodb-lock-wait-timeout=7"};
  const auto server = ThrowawayMariadb::start(options_);
  ASSERT_TRUE(server) << to_string(server.error());
  EXPECT_EQ(ask(**server, "SELECT @@innodb_lock_wait_timeout"), "7");
}

TEST_F(ThrowawayMariadbTest, tells_why_it_does_not_start) {
  options_.settings = {"no-such-setting=7"};
  const auto server = ThrowawayMariadb::start(options_);
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().what, HasSubstr("cannot start a temporary MariaDB server"));
  EXPECT_THAT(server.error().what, HasSubstr("no-such-setting"));
  EXPECT_EQ(server.error().trouble, Trouble::environment);
}

TEST_F(ThrowawayMariadbTest, goes_when_its_owner_is_killed) {
  std::string directory;
  {
    Child owner([&](const Child::Say& say) {
      const auto server = ThrowawayMariadb::start(options_);
      say(server ? (*server)->directory() : to_string(server.error()));
      ::pause();
      return 0;
    });
    directory = owner.hear();
    EXPECT_TRUE(fs::exists(directory)) << directory;
    owner.wait_after(SIGKILL);
  }
  EXPECT_TRUE(eventually([&] { return !fs::exists(directory); })) << directory;
  EXPECT_TRUE(eventually([&] { return processes_in(directory + "/data").empty(); }));
}

TEST_F(ThrowawayMariadbTest, needs_an_installed_server) {
  options_.binaries = {.chosen = "", .path = "", .installed = {}};
  const auto server = ThrowawayMariadb::start(options_);
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().what, "no installed MariaDB server was found (mariadbd)");
}

}  // namespace
}  // namespace heddle
