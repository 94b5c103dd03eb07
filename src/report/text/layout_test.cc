#include "report/text/layout.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace heddle {
namespace {

using Lines = std::vector<std::string>;

TEST(Layout, writes_out_what_would_take_over_the_terminal) {
  EXPECT_EQ(printable("a\x1b[31mb\n\tc\r"), "a\\x1b[31mb\\n\\tc\\r");
  // NOLINTNEXTLINE(misc-misleading-bidirectional): that is what it is about
  EXPECT_EQ(printable("\xff\xc3(\xe2\x80\xae"), "\\xff\\xc3(\\u202e");
  EXPECT_EQ(printable("é漢😀"), "é漢😀");
  EXPECT_EQ(printable("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd"), "\\ufffe\\uffff\xef\xbf\xbd");
}

TEST(Layout, puts_sql_on_one_line) {
  EXPECT_EQ(one_line("\n  SELECT a -- why\n  FROM /* x */ t;\n"), "SELECT a FROM t");
  EXPECT_EQ(one_line("SELECT 'a  b -- c', \"d  e\";"), "SELECT 'a  b -- c', \"d  e\"");
  EXPECT_EQ(one_line("SELECT 'open"), "SELECT 'open");
  EXPECT_EQ(one_line(" ; "), "");
}

TEST(Layout, wraps_between_words) {
  EXPECT_EQ(wrap("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("one two three", 7, 2), (Lines{"one two", "  three"}));
  EXPECT_EQ(wrap("  a  b", 7), (Lines{"  a  b"}));
  EXPECT_EQ(wrap("", 7), (Lines{""}));
}

TEST(Layout, breaks_words_that_fit_on_no_line_between_characters) {
  EXPECT_EQ(wrap("abcdefgh", 3), (Lines{"abc", "def", "gh"}));
  EXPECT_EQ(wrap("漢漢漢", 5), (Lines{"漢漢", "漢"}));
}

TEST(Layout, wrapped_lines_hold_the_words_and_no_more_than_the_width) {
  const std::string text = "SELECT a, 漢字 FROM éé WHERE supercalifragilistic = 'x  y' AND b";
  for (std::size_t width = 4; width < 80; ++width) {
    std::string all;
    for (const std::string& line : wrap(text, width, 1)) {
      EXPECT_LE(display_width(line), width);
      for (const char c : line) {
        if (c != ' ') all += c;
      }
    }
    std::string expected;
    for (const char c : text) {
      if (c != ' ') expected += c;
    }
    EXPECT_EQ(all, expected) << width;
  }
}

TEST(Layout, shortens_with_an_ellipsis) {
  EXPECT_EQ(shorten("abc", 3), "abc");
  EXPECT_EQ(shorten("abcd", 3), "ab…");
  EXPECT_EQ(shorten("漢漢漢", 4), "漢…");
}

TEST(Layout, paints_only_when_asked) {
  EXPECT_EQ(paint("x", TextStyle::error, {}), "x");
  EXPECT_EQ(paint("x", TextStyle::error, {true, 100}), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(paint("x", TextStyle::plain, {true, 100}), "x");
}

TEST(Layout, a_grid_is_never_wider_than_asked) {
  const Grid grid{{"step", "s1", "s2"},
                  {{{{TextStyle::plain, "w1"}},
                    {{TextStyle::plain, "UPDATE account SET balance = balance + 10 WHERE id = 1"}},
                    {{TextStyle::plain, "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字"}}}}};
  for (std::size_t width = 40; width <= 160; ++width) {
    for (const std::string& line : split(render_grid(grid, {false, width}), '\n')) {
      EXPECT_LE(display_width(line), width) << line;
    }
  }
}

TEST(Layout, grid_columns_are_as_wide_as_their_content) {
  EXPECT_EQ(render_grid({{"a", "bb"}, {{{{TextStyle::plain, "x"}}, {}}}}, {}),
            "┌───┬────┐\n│ a │ bb │\n├───┼────┤\n│ x │    │\n└───┴────┘\n");
}

}  // namespace
}  // namespace heddle
