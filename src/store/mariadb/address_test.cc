#include "store/mariadb/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(MariadbAddresses, have_parts) {
  const auto address = parse_mariadb_address("mysql://me:se%3Acret%2F@db.example:3307/");
  ASSERT_TRUE(address) << to_string(address.error());
  EXPECT_EQ(address->user, "me");
  EXPECT_EQ(address->password, "se:cret/");
  EXPECT_EQ(address->host, "db.example");
  EXPECT_EQ(address->port, 3307U);
  EXPECT_EQ(address->database, "");
  EXPECT_EQ(parse_mariadb_address("mysql://host/the%20shop?socket=/s")->database, "the shop");
  EXPECT_EQ(parse_mariadb_address("mariadb://")->host, "127.0.0.1");
  EXPECT_EQ(parse_mariadb_address("mariadb://root@/?socket=%2Frun%2Fdb")->socket, "/run/db");
}

TEST(MariadbAddresses, are_read_as_they_are_written) {
  MariadbAddress address;
  address.host = "db.example";
  address.port = 3307;
  address.user = "a:b@c/d e";
  address.password = "%?\x01\xff";
  address.socket = "/run/a b?c";
  const auto again = parse_mariadb_address(to_text(address));
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again->host, address.host);
  EXPECT_EQ(again->port, address.port);
  EXPECT_EQ(again->user, address.user);
  EXPECT_EQ(again->password, address.password);
  EXPECT_EQ(again->socket, address.socket);
}

TEST(MariadbAddresses, wrong_ones_are_refused) {
  for (const char* address :
       {"mysql://host:port/", "mysql://host:70000/", "mysql://me%4@host/", "mysql://me:%zz@host/",
        "mysql://host/?ssl=1", "mysql://h:1:/", "mysql://h/%4"}) {
    EXPECT_FALSE(parse_mariadb_address(address)) << address;
  }
}

}  // namespace
}  // namespace heddle
