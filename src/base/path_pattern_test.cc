#include "base/path_pattern.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"

namespace heddle {
namespace {

PathPattern pattern(std::string_view text, const std::string& folder = "/srv/app") {
  Result<PathPattern> parsed = PathPattern::parse(text, folder);
  EXPECT_TRUE(parsed.has_value()) << text;
  return *parsed;
}

bool matches(std::string_view text, const std::string& path) { return pattern(text).matches(path); }

TEST(PathPattern, ANameIsForFilesAndFoldersAnywhere) {
  for (const char* const path :
       {"/srv/app/legacy", "/srv/app/legacy/A.java", "/srv/app/src/legacy/deep/A.java"}) {
    EXPECT_TRUE(matches("legacy", path)) << path;
    EXPECT_TRUE(matches("legacy/", path)) << path;
  }
  EXPECT_FALSE(matches("legacy", "/srv/app/src/legacy2/A.java"));
  EXPECT_FALSE(matches("legacy", "/srv/app/src/old-legacy"));
  EXPECT_TRUE(matches("*.gen.java", "/srv/app/src/Orders.gen.java"));
  EXPECT_FALSE(matches("*.gen.java", "/srv/app/src/Orders.java"));
}

TEST(PathPattern, FoldersAboveTheOneItIsWrittenForDoNotCount) {
  EXPECT_FALSE(matches("app", "/srv/app/src/A.java"));
  EXPECT_FALSE(matches("srv", "/srv/app/src/A.java"));
  EXPECT_TRUE(matches("app", "/srv/app/app/A.java"));
  // A program that is elsewhere: what both paths have in common does not count.
  EXPECT_FALSE(matches("srv", "/srv/other/src/A.java"));
  EXPECT_TRUE(matches("other", "/srv/other/src/A.java"));
}

TEST(PathPattern, APathIsOnePlace) {
  for (const std::string_view text : {"src/legacy", "./src/legacy", "src/../src/legacy/",
                                      "../app/src/legacy", "/srv/app/src/legacy", "src/leg*"}) {
    EXPECT_TRUE(matches(text, "/srv/app/src/legacy/A.java")) << text;
    EXPECT_TRUE(matches(text, "/srv/app/./src/x/../legacy")) << text;
    EXPECT_FALSE(matches(text, "/srv/app/module/src/legacy/A.java")) << text;
  }
  EXPECT_TRUE(matches("./legacy", "/srv/app/legacy/A.java"));
  EXPECT_FALSE(matches("./legacy", "/srv/app/src/legacy/A.java"));
  EXPECT_TRUE(matches(".", "/srv/app/a/b"));
  EXPECT_FALSE(matches(".", "/srv/other"));
}

TEST(PathPattern, TwoStarsAreAnyNumberOfFolders) {
  for (const char* const path : {"/srv/app/src/test/A.java", "/srv/app/a/b/src/test/A.java",
                                 "/srv/elsewhere/src/test/A.java"}) {
    EXPECT_TRUE(matches("**/src/test", path)) << path;
  }
  EXPECT_FALSE(matches("**/src/test", "/srv/app/src/main/test/A.java"));
  EXPECT_TRUE(matches("src/**/test", "/srv/app/src/test"));
  EXPECT_TRUE(matches("src/**/test", "/srv/app/src/main/java/test/A.java"));
  EXPECT_FALSE(matches("src/**/test", "/srv/app/test/A.java"));
}

TEST(PathPattern, RelativePathsAreSeenFromTheCurrentFolder) {
  const PathPattern here = pattern("old/*.sql", ".");
  EXPECT_TRUE(here.matches("old/bank.sql"));
  EXPECT_TRUE(here.matches("./old/../old/bank.sql"));
  EXPECT_FALSE(here.matches("bank.sql"));
  EXPECT_TRUE(pattern("bank.sql", "old").matches("old/bank.sql"));
  EXPECT_FALSE(pattern("./bank.sql", "old").matches("bank.sql"));
}

TEST(PathPattern, AFolderWhoseNameLooksLikeAPatternIsNone) {
  EXPECT_TRUE(pattern("src/a", "/srv/[x]*").matches("/srv/[x]*/src/a"));
  EXPECT_FALSE(pattern("src/a", "/srv/[x]*").matches("/srv/xy/src/a"));
}

TEST(PathPattern, RefusesWhatNamesNothingAndEverything) {
  for (const std::string_view text : {"", " ", "/", "//", "/.."}) {
    EXPECT_FALSE(PathPattern::parse(text, "/srv/app").has_value()) << text;
  }
}

TEST(PathPattern, TheFirstOfSeveralCounts) {
  PathPatterns patterns;
  EXPECT_TRUE(patterns.empty());
  EXPECT_FALSE(patterns.match("/srv/app/a"));
  patterns.add(pattern("b"));
  patterns.add(pattern("a"));
  EXPECT_EQ(1U, patterns.first_match("/srv/app/a"));
  EXPECT_EQ(0U, patterns.first_match("/srv/app/a/b"));
  EXPECT_EQ(2U, patterns.first_match("/srv/app/c"));
}

TEST(Glob, SetsAndEscapes) {
  EXPECT_TRUE(matches_glob("[ab]c", "bc"));
  EXPECT_FALSE(matches_glob("[ab]c", "cc"));
  EXPECT_TRUE(matches_glob("[a-cx]", "x"));
  EXPECT_TRUE(matches_glob("[!a-c]", "d"));
  EXPECT_FALSE(matches_glob("[!a-c]", "b"));
  EXPECT_TRUE(matches_glob("[]]", "]"));
  EXPECT_TRUE(matches_glob("[-a]", "-"));
  EXPECT_TRUE(matches_glob("a[b", "a[b"));
  EXPECT_TRUE(matches_glob("\\*", "*"));
  EXPECT_FALSE(matches_glob("\\*", "x"));
  EXPECT_TRUE(matches_glob("a\\", "a\\"));
  EXPECT_TRUE(matches_glob("", ""));
  EXPECT_FALSE(matches_glob("", "a"));
  EXPECT_TRUE(matches_glob("**", "abc"));
}

// The obvious way, which takes exponential time.
bool matches_slowly(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    return matches_slowly(pattern.substr(1), name) ||
           (!name.empty() && matches_slowly(pattern, name.substr(1)));
  }
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         matches_slowly(pattern.substr(1), name.substr(1));
}

TEST(Glob, AgreesWithTheObviousWay) {
  std::mt19937 random(7);  // NOLINT(*-random-generator-seed)
  const auto word = [&random](std::string_view letters) {
    std::string text;
    for (std::size_t i = random() % 8; i > 0; --i) text += letters[random() % letters.size()];
    return text;
  };
  std::size_t matched = 0;
  for (std::size_t round = 0; round < test_rounds(20'000); ++round) {
    const std::string pattern = word("ab*?");
    const std::string name = word("ab");
    EXPECT_EQ(matches_slowly(pattern, name), matches_glob(pattern, name)) << pattern << " " << name;
    matched += matches_glob(pattern, name) ? 1 : 0;
  }
  EXPECT_GT(matched, 1000U);
}

TEST(Glob, TakesNoExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 2'000; ++i) pattern += "a*";
  EXPECT_FALSE(matches_glob(pattern + "b", std::string(20'000, 'a')));
}

}  // namespace
}  // namespace heddle
