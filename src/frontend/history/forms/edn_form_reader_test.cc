// EDN in, EDN out: what is read is written as one line in a plain form.
#include "frontend/history/forms/edn_form_reader.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/history/forms/jepsen_form_dump_testing.h"

namespace heddle {
namespace {

std::string read_all(std::string_view text) {
  EdnFormReader reader(text, "file");
  return dump_forms(reader);
}

TEST(Edn, Scalars) {
  EXPECT_EQ(read_all("nil true false"), "nil true false");
  EXPECT_EQ(read_all("0 -7 +7 9223372036854775807 -9223372036854775808"),
            "0 -7 7 9223372036854775807 -9223372036854775808");
  EXPECT_EQ(read_all("12N 9223372036854775808 123456789012345678901N"),
            "12 ~9223372036854775808 ~123456789012345678901");
  EXPECT_EQ(read_all("1.5 -1e3 1/3 2.0M"), "~1.5 ~-1e3 ~1/3 ~2.0M");
  EXPECT_EQ(read_all(":a :b/c ::d e f/g - + <= nil? truex"), ":a :b/c :d e f/g - + <= nil? truex");
  EXPECT_EQ(read_all("##NaN ##-Inf #'user/x"), "##NaN ##-Inf #'user/x");
  EXPECT_EQ(read_all(R"(\a \newline \u0041 \( \\)"), "\"a\" \"\n\" \"A\" \"(\" \"\\\"");
}

TEST(Edn, Strings) {
  EXPECT_EQ(read_all(R"("" "plain" "a\tb" "q\"q" "\\" "\u00e4\101")"),
            "\"\" \"plain\" \"a\tb\" \"q\"q\" \"\\\" \"\xc3\xa4"
            "A\"");
  EXPECT_EQ(read_all("\"two\nlines ; no comment\""), "\"two\nlines ; no comment\"");
  EXPECT_EQ(read_all(R"(#"pattern")"), "\"pattern\"");
}

TEST(Edn, Collections) {
  EXPECT_EQ(read_all("[] () {} #{}"), "[] [] {} #{}");
  EXPECT_EQ(read_all("[1,2 3][4]"), "[1 2 3] [4]");
  EXPECT_EQ(read_all("{:a[1],:b #{2 3}}"), "{:a [1] :b #{2 3}}");
  EXPECT_EQ(read_all("(((1)))"), "[[[1]]]");
}

TEST(Edn, WhatIsNoValue) {
  EXPECT_EQ(read_all("1 ; 2\n3"), "1 3");
  EXPECT_EQ(read_all("; only a comment"), "");
  EXPECT_EQ(read_all("[1 #_2 3 #_[4 #_5] #_#_6 7]"), "[1 3]");
  EXPECT_EQ(read_all("#inst \"2020\" #jepsen.history.Op{:a 1} #:ns{:b 2} #x #y 3"),
            "\"2020\" {:a 1} {:b 2} 3");
  EXPECT_EQ(read_all("^{:doc \"x\"} [1] ^:flag 2"), "[1] 2");
}

TEST(Edn, NamesWhatIsWrong) {
  EXPECT_EQ(read_all("[1\n  2"),
            "file:1:1: the collection that begins here has no end, "
            "the file seems to be cut off; close it or give the whole file");
  EXPECT_EQ(read_all("1 \"abc").substr(0, 48), "file:1:3: the string that begins here has no end");
  EXPECT_EQ(read_all("\n {:a}"),
            "file:2:2: a map whose last key has no value, write {:key value ...}");
  EXPECT_EQ(read_all("[1)").substr(0, 29), "file:1:3: \")\" begins no value");
  EXPECT_EQ(read_all("\"\\q\"").substr(0, 51),
            "file:1:2: a backslash that escapes nothing known, u");
  EXPECT_EQ(read_all("#").substr(0, 34), "file:1:1: a # that begins nothing,");
  EXPECT_EQ(read_all("[1 #_").substr(0, 27), "file:1:6: a value is missin");
  EXPECT_EQ(read_all(std::string(300, '[')).substr(0, 56),
            "file:1:201: values stand more than 200 deep inside of ea");
  std::string discards;
  for (int i = 0; i < 300; ++i) discards += "#_";
  EXPECT_NE(read_all(discards).find("more than 200 deep"), std::string::npos);
  EXPECT_NE(read_all(std::string(300, '^')).find("more than 200 deep"), std::string::npos);
}

// A value in its plain form, and the same with whatever EDN allows in between.
struct WrittenTwice {
  std::string plain;
  std::string noisy;
};

class RandomEdn {
 public:
  explicit RandomEdn(std::uint32_t seed) : random_(seed) {}

  WrittenTwice value(int depth) {
    static const std::vector<WrittenTwice> scalars = {
        {"nil", "nil"},   {"true", "true"},
        {"7", "7N"},      {"-3", "-3"},
        {"5", "+5"},      {":k", "::k"},
        {":a/b", ":a/b"}, {"sym", "sym"},
        {"~1/2", "1/2"},  {"\"a b\"", "\"a\\u0020b\""},
        {"\"c\"", "\\c"}, {"\"]\"", "\"]\""}};
    const std::size_t kind = below(depth < 5 ? 6 : 2);
    if (kind < 2) return scalars[below(scalars.size())];
    static const std::vector<WrittenTwice> brackets = {{"[]", "[]"}, {"[]", "()"}, {"{}", "{}"}};
    const bool is_set = kind == 5;
    const WrittenTwice& bracket = is_set ? brackets[2] : brackets[kind - 2];
    WrittenTwice both{.plain = (is_set ? "#" : "") + bracket.plain.substr(0, 1),
                      .noisy = (is_set ? "#" : "") + bracket.noisy.substr(0, 1)};
    const std::size_t count = below(4) * (kind == 4 ? 2 : 1);
    for (std::size_t i = 0; i < count; ++i) {
      const WrittenTwice element = value(depth + 1);
      both.plain += (i > 0 ? " " : "") + element.plain;
      both.noisy += noise() + element.noisy + noise();
    }
    both.plain += bracket.plain[1];
    both.noisy += noise() + bracket.noisy[1];
    return both;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::string noise() {
    static const std::vector<std::string> kinds = {
        " ", ",", "\n", " ; ) a comment\n", " #_7 ", " #_ #_ 1 (2 3) ", " #_ #tag ^:flag x "};
    return kinds[below(kinds.size())];
  }

  std::mt19937 random_;
};

TEST(EdnAgreement, NoiseMakesNoDifference) {
  RandomEdn edn(3);
  for (int i = 0; i < 5'000; ++i) {
    const WrittenTwice both = edn.value(0);
    ASSERT_EQ(read_all(both.noisy), both.plain) << both.noisy;
  }
}

}  // namespace
}  // namespace heddle
