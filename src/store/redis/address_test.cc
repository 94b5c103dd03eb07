#include "store/redis/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/redis/server.h"

namespace heddle {
namespace {

using testing::HasSubstr;

std::string trouble_of(const std::string& address) {
  const auto parsed = parse_redis_address(address);
  return parsed ? "none" : to_string(parsed.error());
}

TEST(RedisAddresses, parts_are_found) {
  const auto all = parse_redis_address("redis://me:p%40ss%3a@example.org:7000/");
  ASSERT_TRUE(all) << to_string(all.error());
  EXPECT_EQ(all->host, "example.org");
  EXPECT_EQ(all->port, 7000);
  EXPECT_EQ(all->user, "me");
  EXPECT_EQ(all->password, "p@ss:");

  const auto host = parse_redis_address("redis://example.org");
  ASSERT_TRUE(host);
  EXPECT_EQ(host->port, 6379);
  EXPECT_TRUE(host->user.empty());
  EXPECT_EQ(parse_redis_address("redis://")->host, "127.0.0.1");
  EXPECT_EQ(parse_redis_address("redis://:secret@h:1")->password, "secret");
  EXPECT_EQ(parse_redis_address("redis://[::1]:7000/")->host, "::1");
  EXPECT_EQ(parse_redis_address("redis://[::1]")->port, 6379);
}

TEST(RedisAddresses, sockets) {
  for (const char* address : {"redis://?socket=/run/my%20redis", "redis:///?socket=%2Frun/my redis",
                              "unix:/run/my redis", "unix:///run/my redis"}) {
    const auto parsed = parse_redis_address(address);
    ASSERT_TRUE(parsed) << address;
    EXPECT_EQ(parsed->socket, "/run/my redis");
    EXPECT_TRUE(parsed->host.empty());
  }
}

TEST(RedisAddresses, what_is_wrong_is_said) {
  // It may be a password behind which somebody forgot the host.
  EXPECT_EQ(trouble_of("redis://h:http/"),
            "cannot read the address redis://h:***/: *** is no port, use redis, "
            "redis://user:password@host:port/ or redis://?socket=/path");
  EXPECT_THAT(trouble_of("redis://h:0/"), HasSubstr("0 is no port"));
  EXPECT_THAT(trouble_of("redis://h:65536/"), HasSubstr("is no port"));
  EXPECT_THAT(trouble_of("redis://[::1]7000/"), HasSubstr("is no port"));
  EXPECT_THAT(trouble_of("redis://h/3"), HasSubstr("names the logical database 3"));
  EXPECT_THAT(trouble_of("redis://me@h/"), HasSubstr("a user needs a password"));
  EXPECT_THAT(trouble_of("redis://:%2@h/"), HasSubstr("hexadecimal"));
  EXPECT_THAT(trouble_of("redis://[::1/"), HasSubstr("not closed"));
  EXPECT_THAT(trouble_of("redis://h/?db=1"), HasSubstr("socket=/path"));
  EXPECT_THAT(trouble_of("redis://?socket="), HasSubstr("socket=/path"));
  EXPECT_THAT(trouble_of("unix:"), HasSubstr("the path of a socket"));
  EXPECT_THAT(trouble_of("unix:relative"), HasSubstr("the path of a socket"));
}

TEST(RedisAddresses, texts_are_read_back) {
  for (const char* text :
       {"redis://me:p%40%3A%25@h:7000/", "redis://:x@[::1]:6379/", "redis://h:6379/"}) {
    EXPECT_EQ(to_text(*parse_redis_address(text)), text);
  }
  const auto socket = parse_redis_address(to_text(*parse_redis_address("unix:/a b/s?x")));
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->socket, "/a b/s?x");
}

TEST(RedisAddresses, which_they_are) {
  EXPECT_TRUE(is_redis_address("redis"));
  EXPECT_TRUE(is_redis_address("redis://h"));
  EXPECT_TRUE(is_redis_address("unix:/s"));
  EXPECT_FALSE(is_redis_address("rediss://h"));
  EXPECT_FALSE(is_redis_address("postgres"));
}

}  // namespace
}  // namespace heddle
