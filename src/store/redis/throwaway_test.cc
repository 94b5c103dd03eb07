#include "store/redis/throwaway.h"

#include <filesystem>
#include <signal.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/redis/connection.h"
#include "throwaway/child_testing.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Each test has a directory for its servers; at the end of each, nothing may be left in it.
class ThrowawayRedisTest : public testing::Test {
 protected:
  ThrowawayRedisTest() {
    root_ = *make_private_directory(throwaway_roots().front(), "throwaway-test-");
    options_.roots = {root_};
  }
  void TearDown() override {
    EXPECT_TRUE(is_empty_directory(root_));
    fs::remove_all(root_);
  }

  std::string root_;
  ThrowawayRedisOptions options_;
};

// The answer as text; of an array, the last element.
std::string answer(const ThrowawayRedis& server, const RedisArguments& command) {
  RedisAddress address;
  address.socket = server.socket();
  const auto connection = connect_to_redis(address);
  if (!connection) return to_string(connection.error());
  const auto replies = ask_redis(**connection, {command});
  if (!replies) return to_string(replies.error());
  const auto elements = elements_of(*replies->front());
  return text_of(elements.empty() ? *replies->front() : *elements.back());
}

TEST_F(ThrowawayRedisTest, serves_and_goes) {
  const auto server = ThrowawayRedis::start(options_);
  ASSERT_TRUE(server) << to_string(server.error());
  EXPECT_EQ(answer(**server, {"SET", "a", "1"}), "OK");
  EXPECT_EQ(answer(**server, {"CONFIG", "GET", "port"}), "0");  // nothing listens but the socket
  EXPECT_EQ(answer(**server, {"CONFIG", "GET", "save"}), "");
  EXPECT_EQ(answer(**server, {"CONFIG", "GET", "appendonly"}), "no");
  EXPECT_EQ(answer(**server, {"CONFIG", "GET", "databases"}), "1024");
  EXPECT_EQ(answer(**server, {"CONFIG", "GET", "dir"}), (*server)->directory() + "/data");
  EXPECT_FALSE(processes_in((*server)->directory() + "/data").empty());
}

TEST_F(ThrowawayRedisTest, takes_settings) {
  options_.settings = {"maxclients", "77"};
  options_.databases = 3;
  const auto server = ThrowawayRedis::start(options_);
  ASSERT_TRUE(server) << to_string(server.error());
  EXPECT_EQ(answer(**server, {"CONFIG", "GET", "maxclients"}), "77");
  EXPECT_THAT(answer(**server, {"SELECT", "3"}), HasSubstr("out of range"));
}

TEST_F(ThrowawayRedisTest, tells_why_it_does_not_start) {
  options_.settings = {"no-such-setting", "7"};
  const auto server = ThrowawayRedis::start(options_);
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().what, HasSubstr("cannot start a temporary Redis server"));
  EXPECT_THAT(server.error().what, HasSubstr("Bad directive or wrong number of arguments"));
  EXPECT_EQ(server.error().trouble, Trouble::environment);
}

TEST_F(ThrowawayRedisTest, goes_when_its_owner_is_killed) {
  std::string directory;
  {
    Child owner([&](const Child::Say& say) {
      const auto server = ThrowawayRedis::start(options_);
      say(server ? (*server)->directory() : to_string(server.error()));
      ::pause();
      return 0;
    });
    directory = owner.hear();
    EXPECT_TRUE(fs::exists(directory)) << directory;
    EXPECT_FALSE(processes_in(directory + "/data").empty());
    owner.wait_after(SIGKILL);
  }
  EXPECT_TRUE(eventually([&] { return !fs::exists(directory); })) << directory;
  EXPECT_TRUE(eventually([&] { return processes_in(directory + "/data").empty(); }));
}

TEST_F(ThrowawayRedisTest, needs_an_installed_server) {
  options_.binaries = {.chosen = "", .path = "", .installed = {}};
  const auto server = ThrowawayRedis::start(options_);
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().what, "no installed Redis server was found (redis-server)");
}

}  // namespace
}  // namespace heddle
