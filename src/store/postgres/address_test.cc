// Addresses that are made for others to read, read by libpq.
#include "store/postgres/address.h"

#include <string>

#include <gtest/gtest.h>

#include "base/must_testing.h"

namespace heddle {
namespace {

TEST(PostgresAddress, keeps_whatever_a_password_or_a_name_is_made_of) {
  std::string bytes;
  for (int byte = 1; byte < 256; ++byte) bytes += static_cast<char>(byte);
  for (const std::string& text :
       {bytes, std::string("a/b"), std::string("%2F"), std::string("+")}) {
    const ConnectionParameters given = {{"user", text},
                                        {"password", text},
                                        {"dbname", text},
                                        {"options", text},
                                        {"application_name", text}};
    ConnectionParameters read = must(parse_conninfo(url_of(given, "127.0.0.1:5", "postgres")));
    for (const auto& [name, value] : given) EXPECT_EQ(read[name], value) << name;
    EXPECT_EQ(read["host"], "127.0.0.1");
    EXPECT_EQ(read["port"], "5");
    EXPECT_EQ(read["sslmode"], "disable");
  }
}

TEST(PostgresAddress, has_a_password_without_a_user) {
  const std::string url = url_of({{"password", "secret"}}, "[::1]:5", "postgres");
  ConnectionParameters read = must(parse_conninfo(url));
  EXPECT_EQ(read["password"], "secret");
  EXPECT_EQ(read["host"], "::1");
}

TEST(PostgresAddress, has_a_java_client_s_password_among_the_options) {
  EXPECT_EQ(url_of({{"user", "m e"}, {"password", "a/b?c&d=e+f"}, {"dbname", "s"}}, "h:5",
                   "jdbc:postgresql"),
            "jdbc:postgresql://h:5/s?password=a%2Fb%3Fc%26d%3De%2Bf&user=m%20e&sslmode=disable");
}

}  // namespace
}  // namespace heddle
