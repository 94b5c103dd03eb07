#include "record/redact/encodings.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "record/redact/encodings_testing.h"

namespace heddle {
namespace {

TEST(Encodings, are_undone) {
  EXPECT_EQ(without_percent("a%20b%2Fc%2fd"), "a b/c/d");
  EXPECT_EQ(without_percent("100% %zz %4"), "100% %zz %4");
  EXPECT_EQ(form_decoded("a+b%2Bc"), "a b+c");
  EXPECT_EQ(json_unescaped(R"(a\"b\\c\/d\n\u0041\u00e9\ud83d\ude00\x)"),
            "a\"b\\c/d\nA\xc3\xa9\xf0\x9f\x98\x80\\x");
  EXPECT_EQ(json_unescaped("\\"), "\\");
  EXPECT_EQ(json_unescaped("\\u12"), "\\u12");
  EXPECT_EQ(json_unescaped(json_escaped("a\"b\\\x01\n")), "a\"b\\\x01\n");
  EXPECT_EQ(base64_decoded("YTpi"), "a:b");
  EXPECT_EQ(base64_decoded("_-8="), "\xff\xef");
  EXPECT_EQ(base64_decoded("/+8"), "\xff\xef");
  EXPECT_FALSE(base64_decoded("YTp!"));
  EXPECT_FALSE(base64_decoded("YTpiY"));
  EXPECT_EQ(hexadecimal("\x01\xff"), "01ff");
  EXPECT_EQ(hexadecimal("\x01\xff", true), "01FF");
}

TEST(Encodings, views_know_where_each_byte_came_from) {
  const auto view = percent_view({.text = "a%62c"});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->text, "abc");
  EXPECT_EQ(view->from, (std::vector<std::size_t>{0, 1, 4, 5}));
  EXPECT_EQ(view->decoded, (std::vector<std::size_t>{1}));
  const auto without_backslash = backslash_view({.text = R"(\u002562c)"});
  ASSERT_TRUE(without_backslash);
  const auto both = percent_view(*without_backslash);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->text, "bc");
  EXPECT_EQ(both->from, (std::vector<std::size_t>{0, 8, 9}));
  EXPECT_FALSE(percent_view({.text = "100% %zz"}));
  EXPECT_FALSE(backslash_view({.text = R"(C:\x)"}));
}

TEST(Encodings, base64_has_a_core_whatever_stands_around) {
  for (std::size_t round = 0; round < test_rounds(500); ++round) {
    std::mt19937_64 random(round);
    const auto bytes = [&random](std::size_t count) {
      std::string made(count, '\0');
      for (char& byte : made) byte = static_cast<char>(random());
      return made;
    };
    const std::string value = bytes(6 + random() % 20);
    const std::string before = bytes(random() % 10);
    const std::string text = before + value + bytes(random() % 10);
    for (const bool for_urls : {false, true}) {
      const Base64Core core = base64_core(value, before.size() % 3, for_urls);
      const std::size_t at = (before.size() * 8 + 5) / 6;
      const std::string whole = to_base64(text, for_urls);
      ASSERT_EQ(whole.substr(at, core.text.size()), core.text) << "seed " << round;
      ASSERT_EQ(base64_decoded(whole), text) << "seed " << round;
      ASSERT_EQ(core.first.mask != 0, before.size() * 8 % 6 != 0);
      ASSERT_EQ(core.last.mask != 0, (before.size() + value.size()) * 8 % 6 != 0);
      ASSERT_TRUE(core.first.mask == 0 || core.first.fits(whole[at - 1])) << "seed " << round;
      ASSERT_TRUE(core.last.mask == 0 || core.last.fits(whole[at + core.text.size()]))
          << "seed " << round;
    }
  }
}

}  // namespace
}  // namespace heddle
