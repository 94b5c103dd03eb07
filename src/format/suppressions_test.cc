#include "format/suppressions.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

std::string trouble(std::string_view text) {
  const auto entries = parse_suppressions(text, "known");
  return entries ? "none" : to_string(entries.error());
}

TEST(Suppressions, have_an_id_a_reason_and_maybe_a_last_day) {
  const auto entries = parse_suppressions(
      "# a comment\n\n225579A4BF1C \t the nightly job, see #12 \r\n"
      "  0f3a90c15b7e until=2028-02-29  waits for until=never\n",
      "known");
  ASSERT_TRUE(entries.has_value()) << to_string(entries.error());
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[0].id, "225579a4bf1c");
  EXPECT_EQ((*entries)[0].reason, "the nightly job, see #12");
  EXPECT_EQ((*entries)[0].until, "");
  EXPECT_EQ((*entries)[0].position, (SourcePosition{3, 1}));
  EXPECT_EQ((*entries)[1].until, "2028-02-29");
  EXPECT_EQ((*entries)[1].reason, "waits for until=never");
  EXPECT_EQ((*entries)[1].position, (SourcePosition{4, 3}));
}

TEST(Suppressions, name_races_with_their_pattern) {
  const auto entries = parse_suppressions("check-then-act-5929bf603BB3 one queue\n", "known");
  ASSERT_TRUE(entries.has_value()) << to_string(entries.error());
  EXPECT_EQ((*entries)[0].id, "check-then-act-5929bf603bb3");
  for (const char* id :
       {"-5929bf603bb3", "lost-update", "lost update-5929bf603bb3", "a-123", "A-5929bf603bb3"}) {
    EXPECT_NE(trouble(std::string(id) + " x\n"), "none") << id;
  }
}

TEST(Suppressions, an_empty_file_has_none) {
  EXPECT_EQ(trouble(""), "none");
  EXPECT_EQ(trouble("\n# nothing\n"), "none");
}

TEST(Suppressions, broken_lines_are_named) {
  EXPECT_EQ(trouble("\n  lost update\n"),
            "known:2:3: this is not the id of a finding, begin the line with an id as reports "
            "print it, or with # for a comment");
  EXPECT_EQ(trouble("225579a4bf1c\n"),
            "known:1:13: the entry has no reason, say after the id why the finding is left alone");
  EXPECT_EQ(trouble("225579a4bf1c until=2026-12-31 \n").substr(0, 37),
            "known:1:30: the entry has no reason, ");
  for (const char* date : {"2026-13-01", "2026-02-29", "2026-00-10", "2026-01-00", "2026-1-1", "",
                           "tomorrow", "2026-04-31", "1900-02-29"}) {
    const std::string text = std::string("225579a4bf1c until=") + date + " x\n";
    EXPECT_EQ(trouble(text),
              "known:1:14: this is not a date, write the last day as in until=2026-12-31")
        << date;
  }
  EXPECT_EQ(trouble("225579a4bf1c a\n\n225579A4BF1C b\n"),
            "known:3:1: line 1 names the same finding, leave one of the two out");
  EXPECT_EQ(trouble("1234567 too short\n").substr(0, 11), "known:1:1: ");
}

TEST(Suppressions, written_entries_read_back) {
  const std::vector<Suppression> entries = {{"225579a4bf1c", "", "why"},
                                            {"0f3a90c15b7e", "2026-12-31", "\xff # x"}};
  const auto again = parse_suppressions(write_suppressions(entries), "again");
  ASSERT_TRUE(again.has_value());
  ASSERT_EQ(again->size(), 2U);
  EXPECT_EQ((*again)[0].reason, "why");
  EXPECT_EQ((*again)[1].until, "2026-12-31");
  EXPECT_EQ((*again)[1].reason, "\xff # x");
}

}  // namespace
}  // namespace heddle
