#include "store/address_text.h"

#include <gtest/gtest.h>

#include "store/addresses.h"

namespace heddle {
namespace {

TEST(AddressTexts, show_no_password) {
  constexpr std::pair<const char*, const char*> kCases[] = {
      {"postgres", "postgres"},
      {"postgres://me@host:5432/shop", "postgres://me@host:5432/shop"},
      {"postgres://me:se%40cret@host/shop", "postgres://me:***@host/shop"},
      {"mysql://me:p@ss:word@host:3307/shop", "mysql://me:***@host:3307/shop"},
      {"mysql://me:@host/", "mysql://me:@host/"},
      {"redis://:secret@host/", "redis://:***@host/"},
      {"postgres://me:a?password=b@host/", "postgres://me:***@host/"},
      {"postgres://host/shop?password=secret&user=me", "postgres://host/shop?password=***&user=me"},
      {"host=h password=secret dbname=d", "host=h password=*** dbname=d"},
      {"host=h PASSWORD = 'se cr\\'et' dbname=d", "host=h PASSWORD = '***' dbname=d"},
      {"host=h sslpassword=secret", "host=h sslpassword=***"},
      {"password='secret", "password='***"},
      {"user=password", "user=password"},
      {"password=", "password="},
      {"", ""},
  };
  for (const auto& [address, shown] : kCases) EXPECT_EQ(without_password(address), shown);
}

TEST(AddressTexts, hide_passwords_in_what_others_say_of_them) {
  const std::string address = "postgres://me:se%zz@host/";
  EXPECT_EQ(without_password_of(address, "invalid token: \"se%zz\""), "invalid token: \"***\"");
  EXPECT_EQ(without_password_of("mysql://me:a%2Fb@host/", "a/b or a%2Fb"), "*** or ***");
}

TEST(AddressTexts, are_quoted_without_password) {
  for (const char* address : {"postgres://me:sec%zzret@host/", "mysql://me:sec%zzret@host/",
                              "redis://me:sec%zzret@host/", "pigeon://me:secret@host/"}) {
    const auto server = open_server(address);
    ASSERT_FALSE(server);
    EXPECT_EQ(to_string(server.error()).find("sec"), std::string::npos)
        << to_string(server.error());
  }
}

}  // namespace
}  // namespace heddle
