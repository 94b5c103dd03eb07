#include "race/outcome/text_tokens.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace heddle {
namespace {

// Tokens in brackets behind the first letter of their kind; marks as they are.
std::string tokens(std::string_view text) {
  std::string shown;
  std::string joined;
  for (const TextToken& token : split_tokens(text)) {
    joined += token.text;
    if (token.kind == TokenKind::mark) {
      shown += token.text;
      continue;
    }
    shown += "wnutao"[static_cast<std::size_t>(token.kind)];
    shown += '[' + token.text + ']';
  }
  EXPECT_EQ(joined, text) << "nothing may be lost";
  return shown;
}

TEST(TextTokens, are_words_numbers_and_marks) {
  EXPECT_EQ(tokens("order 17, -2.50 EUR"), "w[order] n[17], n[-2.50] w[EUR]");
  EXPECT_EQ(tokens("/orders/17/lines"), "/w[orders]/n[17]/w[lines]");
  EXPECT_EQ(tokens("ann-123-h2"), "w[ann]-n[123]-w[h]n[2]");
  EXPECT_EQ(tokens("version 1.2.3"), "w[version] n[1].n[2.3]");
  EXPECT_EQ(tokens("caf\xc3\xa9"), "w[caf\xc3\xa9]");
}

TEST(TextTokens, are_known_by_their_look) {
  EXPECT_EQ(tokens("id=0b5d4ad0-6d5c-4a5e-8c59-8a1f2b3c4d5e;"),
            "w[id]=u[0b5d4ad0-6d5c-4a5e-8c59-8a1f2b3c4d5e];");
  EXPECT_EQ(tokens("from 127.0.0.1:5432"), "w[from] a[127.0.0.1:5432]");
  EXPECT_EQ(tokens("eyJhbGciOiJIUzI1NiJ9.e30.x"), "o[eyJhbGciOiJIUzI1NiJ9.e30.x]");
  EXPECT_EQ(tokens("4bf92f3577b34da6"), "o[4bf92f3577b34da6]");
  EXPECT_EQ(tokens("a-long-name-of-words-only"), "w[a]-w[long]-w[name]-w[of]-w[words]-w[only]");
}

TEST(TextTokens, are_times_in_many_ways) {
  for (const char* time :
       {"2026-01-31T08:00:00Z", "2026-01-31 08:00:00.123456+00", "2026-01-31T08:00:00,5+01:00",
        "2026/01/31 08:00:00", "31/Jan/2026:08:00:00 +0000", "Sat, 31 Jan 2026 08:00:00 GMT",
        "2026-01-31T08:00", "08:00:01.5"}) {
    EXPECT_EQ(tokens(time), "t[" + std::string(time) + "]");
  }
  EXPECT_EQ(tokens("2026-01-31"), "n[2026]-n[01]-n[31]") << "a day is somebody's plan";
}

std::uint64_t time_us(std::string_view text) {
  const auto all = split_tokens(text);
  return all.size() == 1 ? time_us_of(all.front()).value_or(1) : 2;
}

TEST(TextTokens, say_their_time) {
  constexpr std::uint64_t kTimeUs = 1'769'846'400'000'000;
  for (const char* time :
       {"2026-01-31T08:00:00Z", "2026-01-31 09:00:00.0+01", "2026-01-31T02:30:00-0530",
        "31/Jan/2026:08:00:00 +0000", "Sat, 31 Jan 2026 08:00:00 GMT", "2026-01-31T08:00",
        "1769846400", "1769846400000", "1769846400000000", "1769846400000000000"}) {
    EXPECT_EQ(time_us(time), kTimeUs) << time;
  }
  EXPECT_EQ(time_us("2026-01-31 08:00:00.25"), kTimeUs + 250'000);
  for (const char* none : {"2026-13-31T08:00:00Z", "08:00:01", "17", "-1769846400"}) {
    EXPECT_EQ(time_us(none), 1U) << none;
  }
}

TEST(TextTokens, have_a_shape) {
  const auto equal = [](std::string_view one, std::string_view other) {
    return have_equal_shape(split_tokens(one), split_tokens(other));
  };
  EXPECT_TRUE(equal("order 17 of ann", "order 18 of bob"));
  EXPECT_FALSE(equal("order 17", "order ann"));
  EXPECT_TRUE(equal("job 4bf92f35", "job 12345678")) << "both are hexadecimal digits";
  EXPECT_FALSE(equal("job 4bf92f35", "job 17"));
  EXPECT_FALSE(equal("a/b", "a.b"));
}

TEST(TextTokens, are_all_of_any_text) {
  std::mt19937_64 random(1);
  constexpr std::string_view kSigns = "0123456789abcdefT:-./ +,Z\xc3\xa9\n_%";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::uint64_t left = random() % 40; left > 0; --left) {
      text += kSigns[random() % kSigns.size()];
    }
    (void)tokens(text);
    for (const TextToken& token : split_tokens(text)) (void)time_us_of(token);
  }
}

}  // namespace
}  // namespace heddle
