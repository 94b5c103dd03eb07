#include "base/printable.h"

#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "heddle/result.h"

namespace heddle {
namespace {

TEST(Printable, writes_out_what_would_take_over_a_terminal) {
  EXPECT_EQ(printable("a\x1b[31mb\n\tc\r\a"), "a\\x1b[31mb\\n\\tc\\r\\x07");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(printable("\xff\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xef\xbb\xbf"),
            "\\xff\\u202e\\u2066\\u200f\\u061c\\ufeff");
  EXPECT_EQ(printable("é漢😀"), "é漢😀");
  EXPECT_EQ(printable_lines("a\n\tb\x1b\r\n"), "a\n\tb\\x1b\\r\n");
}

TEST(Excerpt, is_short_whatever_the_text_is) {
  EXPECT_EQ(excerpt("SELECT 1"), "SELECT 1");
  EXPECT_EQ(excerpt(""), "");
  EXPECT_EQ(excerpt(std::string(kExcerptWidth - 1, 'x')), std::string(kExcerptWidth - 1, 'x'));
  EXPECT_EQ(excerpt(std::string(5'000'000, 'x')), std::string(kExcerptWidth - 1, 'x') + "…");
  std::string wide;
  std::string marks;
  for (int i = 0; i < 100'000; ++i) {
    wide += "漢";
    marks += "\xcc\x81";
  }
  EXPECT_LE(display_width(excerpt(wide)), kExcerptWidth);
  EXPECT_LT(excerpt(marks).size(), 1000U);
}

TEST(ShownMessage, shortens_what_it_quotes_and_keeps_its_own_words) {
  const std::string word(5'000'000, 'x');
  const std::string text = to_string(Diagnostic{.what = "unknown step \"" + word + "\" in a line",
                                                .what_to_do = "use one of: " + word + ", a",
                                                .file = "a\x1b[2Jb.spec",
                                                .position = {1, 2}});
  EXPECT_TRUE(text.starts_with("a\\x1b[2Jb.spec:1:2: unknown step \"xxx")) << text;
  EXPECT_NE(text.find("…\" in a line, use one of: xxx"), std::string::npos) << text;
  EXPECT_LT(text.size(), 3 * kExcerptWidth);
}

TEST(ShownMessage, keeps_lines_but_not_those_of_a_quotation) {
  EXPECT_EQ(shown_message("ERROR: no\nDETAIL: \"a\nb\"\rc"), "ERROR: no\nDETAIL: \"a\\nb\"\\rc");
  EXPECT_EQ(shown_message("an open \" and \"\" and \""), "an open \" and \"\" and \"");
  EXPECT_EQ(shown_message(""), "");
}

TEST(ShownMessage, ends_where_a_list_does_not) {
  std::string names = "use one of: ";
  for (int i = 0; i < 100'000; ++i) names += "name" + std::to_string(i) + ", ";
  EXPECT_LT(shown_message(names).size(), 10'000U);
}

}  // namespace
}  // namespace heddle
