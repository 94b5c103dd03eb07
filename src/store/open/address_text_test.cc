#include "store/address_text.h"

#include <gtest/gtest.h>

#include "store/open/open.h"

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
      // Mistyped.
      {"postgres:/me:secret@host/", "postgres:/me:***@host/"},
      {"postgres:me:secret@host/", "postgres:me:***@host/"},
      {"postgres//me:secret@host/", "postgres//me:***@host/"},
      {"postgres:///me:secret@host/", "postgres:///me:***@host/"},
      {"me:secret@host/", "me:***@host/"},
      {"postgres:/secret@host/", "postgres:/***@host/"},
      {"postgresq://me:secret@host/", "postgresq://me:***@host/"},
      {"postgresq://secret@host/", "postgresq://***@host/"},
      {"redis://secret@host/", "redis://***@host/"},
      {"postgres://me:sec/ret@host/", "postgres://me:***@host/"},
      {"postgres://me:secret%40host/", "postgres://me:***/"},
      {"mysql://me:secret/shop", "mysql://me:***/shop"},
      {"mysql://host:3306/shop", "mysql://host:3306/shop"},
      {"postgres://me@[::1]:5432/shop", "postgres://me@[::1]:5432/shop"},
      {"postgres://[::1", "postgres://[::1"},
      {"postgres://me@host/shop?pasword=secret&sslmode=require",
       "postgres://me@host/shop?pasword=***&sslmode=require"},
      {"postgres://me@host/shop?secret", "postgres://me@host/shop?***"},
      {"host=h pasword=secret port=1", "host=h pasword=*** port=1"},
      {"host=h secret port=1", "host=h *** port=1"},
      {"host=h password=se@cret:x user=me@corp", "host=h password=*** user=me@corp"},
      {"host = h password = secret", "host = h password = ***"},
      {"mariadb:ring", "mariadb:ring"},
      {"unix:/path/to", "unix:/path/to"},
      {"mysql://me@/?socket=/run/s", "mysql://me@/?socket=/run/s"},
      {"", ""},
  };
  for (const auto& [address, shown] : kCases) EXPECT_EQ(without_password(address), shown);
}

TEST(AddressTexts, hide_passwords_in_what_others_say_of_them) {
  const std::string address = "postgres://me:se%zz@host/";
  EXPECT_EQ(without_password_of(address, "invalid token: \"se%zz\""), "invalid token: \"***\"");
  EXPECT_EQ(without_password_of("mysql://me:a%2Fb@host/", "a/b or a%2Fb"), "*** or ***");
  // A library that divides an address otherwise.
  EXPECT_EQ(without_password_of("postgres://me:se@cret@host/",
                                "could not translate host name \"cret@host\" to \"address\""),
            "could not translate host name \"***\" to \"address\"");
  EXPECT_EQ(without_password_of("postgres://me:abc/ret@host/", "invalid integer \"abc\" for port"),
            "invalid integer \"***\" for port");
}

TEST(AddressTexts, are_quoted_without_password) {
  for (const char* address :
       {"postgres://me:sec%zzret@host/", "mysql://me:sec%zzret@host/", "redis://me:sec%zzret@host/",
        "pigeon://me:secret@host/", "postgres:/me:secret@host/", "postgres://me:sec/ret@host/",
        "host=h pasword=secret", "host=127.0.0.1 port=1 secret", "mysql://me:sec/ret@host/",
        "redis://secret@host/"}) {
    const auto server = open_server(address);
    ASSERT_FALSE(server);
    EXPECT_EQ(to_string(server.error()).find("sec"), std::string::npos)
        << to_string(server.error());
  }
}

TEST(AddressTexts, are_what_words_may_be) {
  for (const char* word : {"postgres://me:secret@h/", "postgres:/me:secret@h", "me:secret@h",
                           "host=h password=x", "passwd=x host=h"}) {
    EXPECT_TRUE(may_hold_password(word)) << word;
  }
  for (const char* word : {"account=3", "app/shop.sql", "me@host", "json", "", "db=postgres"}) {
    EXPECT_FALSE(may_hold_password(word)) << word;
  }
}

}  // namespace
}  // namespace heddle
