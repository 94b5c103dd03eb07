// The table of formats: complete, no two rows for one beginning, and as docs/formats/history.md
// says.
#include "frontend/history/formats/format_profiles.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/source_tree_testing.h"
#include "frontend/history/formats/write_history.h"

namespace heddle {
namespace {

std::size_t claims(const HistoryBeginning& beginning) {
  std::size_t count = 0;
  for (const HistoryFormatProfile& profile : history_format_profiles()) {
    count += profile.begins(beginning) ? 1 : 0;
  }
  return count;
}

TEST(FormatProfiles, StandInTheOrderOfTheFormats) {
  std::size_t index = 0;
  for (const HistoryFormatProfile& profile : history_format_profiles()) {
    EXPECT_EQ(static_cast<std::size_t>(profile.format), index++);
    EXPECT_EQ(&profile_of(profile.format), &profile);
    EXPECT_EQ(find_history_format(to_string(profile.format)), profile.format);
    EXPECT_FALSE(profile.meaning.empty());
    EXPECT_NE(profile.begins, nullptr);
    EXPECT_NE(profile.read, nullptr);
    EXPECT_TRUE(profile.write != nullptr || profile.write_calls == nullptr);
  }
  EXPECT_EQ(index, history_formats().size());
}

// Texts put together from what formats are told by: whatever they are, at most one row has them.
TEST(FormatProfiles, NoTwoHaveOneBeginning) {
  const std::vector<std::string> pieces = {"[",
                                           "{",
                                           "(",
                                           ")",
                                           "#",
                                           "# ",
                                           "#_",
                                           ";",
                                           ",",
                                           "r",
                                           "w",
                                           "b1",
                                           " ",
                                           "\n",
                                           "---",
                                           "=",
                                           ":",
                                           "\"heddle\"",
                                           "\"",
                                           "\"data\"",
                                           "session",
                                           "time",
                                           "initial",
                                           "jepsen.util",
                                           "1",
                                           "{:a",
                                           std::string("\0", 1),
                                           "S",
                                           "\xef\xbb\xbf",
                                           "x"};
  std::mt19937 random(7);
  std::size_t known = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t left = random() % 8; left > 0; --left)
      text += pieces[random() % pieces.size()];
    const std::size_t count = claims(look_at_beginning(text));
    EXPECT_LE(count, 1U) << text;
    known += count;
  }
  EXPECT_GT(known, 1000U);
}

// The page's first table has a row for each format, which says what is only read and what has
// calls.
TEST(FormatProfiles, AreThoseOfThePage) {
  const auto page = read_file((source_tree() / "docs/formats/history.md").string());
  ASSERT_TRUE(page);
  const std::string table = page->substr(0, page->find("What a format cannot express"));
  for (const HistoryFormatProfile& profile : history_format_profiles()) {
    const std::size_t name = table.find("`" + std::string(to_string(profile.format)) + "`");
    ASSERT_NE(name, std::string::npos) << profile.meaning;
    const std::string row = table.substr(name, table.find('\n', name) - name);
    const bool is_only_read = row.find("only read") != std::string::npos;
    EXPECT_EQ(is_only_read, !can_write(profile.format)) << row;
    if (!can_write(profile.format)) continue;
    EXPECT_TRUE(row.ends_with(profile.write_calls != nullptr ? "| yes |" : "| no |")) << row;
  }
}

}  // namespace
}  // namespace heddle
