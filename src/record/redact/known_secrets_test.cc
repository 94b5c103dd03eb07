#include "record/redact/known_secrets.h"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "record/redact/encodings_testing.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kSecret = "s3/cr+t ?\"v'a%l";

KnownSecrets knowing(const std::string& value) {
  KnownSecrets known("key", 100);
  known.remember(value, Hiding::secret);
  return known;
}

TEST(Placeholders, are_equal_for_equal_values_and_keys) {
  const std::string one = placeholder("key", "value", Hiding::secret);
  EXPECT_THAT(one, testing::MatchesRegex("<secret:[0-9a-f]{16}>"));
  EXPECT_EQ(one, placeholder("key", "value", Hiding::secret));
  EXPECT_NE(one, placeholder("key", "other", Hiding::secret));
  EXPECT_NE(one, placeholder("other", "value", Hiding::secret));
  EXPECT_EQ(placeholder("key", "value", Hiding::mask), "<masked:" + one.substr(8));
  // RFC 4231, test case 2.
  EXPECT_EQ(placeholder("Jefe", "what do ya want for nothing?", Hiding::secret),
            "<secret:5bdcc146bf60754e>");
}

TEST(Placeholders, are_recognised) {
  EXPECT_EQ(placeholder_length("<secret:0123456789abcdef>x"), 25U);
  EXPECT_EQ(placeholder_length("<masked:0123456789abcdef>"), 25U);
  EXPECT_EQ(placeholder_length("<secret:0123456789abcdeF>"), 0U);
  EXPECT_EQ(placeholder_length("<secret:0123456789abcdef"), 0U);
  EXPECT_EQ(placeholder_length(""), 0U);
}

TEST(KnownSecrets, are_found_however_they_are_written) {
  const KnownSecrets known = knowing(kSecret);
  const std::string hidden = known.placeholder_of(kSecret, Hiding::secret);
  EXPECT_EQ(known.replace_in("a " + kSecret + " b"), "a " + hidden + " b");
  for (const bool in_capitals : {false, true}) {
    for (const std::size_t every : {0, 1, 2, 3}) {
      const std::string written = to_percent(kSecret, every, in_capitals);
      EXPECT_EQ(known.replace_in("t=" + written + "&"), "t=" + hidden + "&") << written;
      EXPECT_EQ(known.replace_in(to_percent(written, 1, in_capitals)), hidden) << "twice";
    }
  }
  EXPECT_EQ(known.replace_in(R"({"a":"s3\/cr+t ?\"v\u0027a%l"})"), R"({"a":")" + hidden + R"("})");
  EXPECT_EQ(known.replace_in("'s3/cr+t ?\"v''a%l'"), "'" + hidden + "'");
  EXPECT_EQ(known.replace_in("s3/cr+t ?&quot;v'a%l"), hidden);
  EXPECT_EQ(known.replace_in("\\x" + hexadecimal(kSecret)), "\\x" + hidden);
  EXPECT_EQ(known.replace_in(hexadecimal(kSecret, true)), hidden);
}

TEST(KnownSecrets, are_found_in_base64_of_anything) {
  for (std::size_t round = 0; round < test_rounds(300); ++round) {
    std::mt19937_64 random(round);
    std::string secret(6 + random() % 30, '\0');
    for (char& byte : secret) byte = static_cast<char>('!' + random() % 90);
    const KnownSecrets known = knowing(secret);
    const std::string text =
        std::string(random() % 7, 'a') + secret + std::string(random() % 7, 'b');
    for (const bool for_urls : {false, true}) {
      const std::string written = to_base64(text, for_urls);
      const std::string replaced = known.replace_in(written);
      ASSERT_THAT(replaced, HasSubstr(known.placeholder_of(secret, Hiding::secret)))
          << "seed " << round << ": " << secret << " in " << text;
      for (const std::string& part : base64_parts(secret)) {
        ASSERT_THAT(replaced, Not(HasSubstr(part))) << "seed " << round;
      }
      ASSERT_EQ(without_percent(known.replace_in(to_percent(written, 2, false))), replaced)
          << "seed " << round;
    }
  }
}

TEST(KnownSecrets, are_found_with_any_one_character_encoded) {
  const std::string secret = "value-1!";
  const KnownSecrets known = knowing(secret);
  for (std::size_t before = 0; before < 3; ++before) {
    for (const std::string& text : {secret, to_base64(std::string(before, 'a') + secret + "bcd")}) {
      for (std::size_t at = 0; at < text.size(); ++at) {
        const std::string encoded =
            text.substr(0, at) + to_percent(text.substr(at, 1), 1, true) + text.substr(at + 1);
        const std::string escaped = text.substr(0, at) +
                                    fmt::format("\\u{:04x}", static_cast<unsigned>(text[at])) +
                                    text.substr(at + 1);
        for (const std::string& written : {encoded, escaped, "%41" + escaped + "\\n%42"}) {
          EXPECT_THAT(known.replace_in(written), HasSubstr("<secret:")) << written;
        }
      }
    }
  }
}

TEST(KnownSecrets, that_are_short_are_not_searched_for) {
  KnownSecrets known = knowing("short");
  EXPECT_EQ(known.replace_in("a short text"), "a short text");
  EXPECT_EQ(known.remembered(), 0U);
  known.remember(std::string(kLongestSearched + 1, 'x'), Hiding::secret);
  EXPECT_EQ(known.remembered(), 0U);
}

TEST(KnownSecrets, in_each_other_and_next_to_each_other) {
  KnownSecrets known("key", 100);
  for (const char* const value : {"inner-1", "the inner-1 value", "value-2"}) {
    known.remember(value, Hiding::secret);
  }
  known.remember("masked-3", Hiding::mask);
  const auto hidden = [&known](const char* value) {
    return known.placeholder_of(value, Hiding::secret);
  };
  EXPECT_EQ(known.replace_in("the inner-1 value"), hidden("the inner-1 value"));
  EXPECT_EQ(known.replace_in("an inner-1 value"), "an " + hidden("inner-1") + " value");
  EXPECT_EQ(known.replace_in("inner-1inner-1"), hidden("inner-1") + hidden("inner-1"));
  EXPECT_EQ(known.replace_in("the inner-1 value-2"), hidden("the inner-1 value"));
  EXPECT_EQ(known.replace_in("masked-3"), known.placeholder_of("masked-3", Hiding::mask));
}

TEST(KnownSecrets, leave_placeholders_as_they_are) {
  KnownSecrets known("key", 100);
  const std::string hidden = known.placeholder_of("value-of-it", Hiding::secret);
  known.remember("value-of-it", Hiding::secret);
  known.remember("secret:", Hiding::secret);
  known.remember(hidden.substr(8, 16), Hiding::secret);
  const std::string once = known.replace_in("value-of-it, " + hidden);
  EXPECT_EQ(once, hidden + ", " + hidden);
  EXPECT_EQ(known.replace_in(once), once);
}

TEST(KnownSecrets, the_oldest_are_forgotten) {
  KnownSecrets known("key", 3);
  for (int i = 0; i < 10; ++i) known.remember(fmt::format("the value {}", i), Hiding::secret);
  EXPECT_EQ(known.remembered(), 10U);
  EXPECT_EQ(known.forgotten(), 7U);
  for (int i = 0; i < 10; ++i) {
    const std::string value = fmt::format("the value {}", i);
    const bool is_found = known.replace_in(value) != value;
    EXPECT_EQ(is_found, i >= 7) << i;
    EXPECT_EQ(known.replace_in(to_base64(value)) != to_base64(value), i >= 7) << i;
  }
  // One that comes again is new.
  known.remember("the value 0", Hiding::secret);
  EXPECT_NE(known.replace_in("the value 0"), "the value 0");
  EXPECT_EQ(known.replace_in("the value 7"), "the value 7");
}

// Tokens of one system begin alike: each is found without a look at all others.
TEST(KnownSecrets, many_that_begin_alike_cost_no_more) {
  KnownSecrets known("key", 20'000);
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    const std::string token = fmt::format("eyJhbGciOiJIUzI1NiJ9.{:016x}", i * 0x9e3779b97f4a7c15);
    known.remember(token, Hiding::secret);
    if (i % 10 == 0) text += token + "\n";
  }
  EXPECT_THAT(known.replace_in(text), Not(HasSubstr("eyJ")));
}

}  // namespace
}  // namespace heddle
