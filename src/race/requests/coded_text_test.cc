#include "race/requests/coded_text.h"

#include <random>

#include <gtest/gtest.h>

namespace heddle {
namespace {

std::string decoded_text(std::string_view raw, ValueCoding coding) {
  return decoded(coded_text(raw), coding).text;
}

TEST(CodedText, decodes_what_is_well_formed) {
  EXPECT_EQ(decoded_text("a%2Fb%zz%4", ValueCoding::percent), "a/b%zz%4");
  EXPECT_EQ(decoded_text("a+b%20c", ValueCoding::percent), "a+b c");
  EXPECT_EQ(decoded_text("a+b%20c", ValueCoding::form), "a b c");
  EXPECT_EQ(decoded_text(R"(a\n\"\\\/\u00e9\ud83d\ude00\x)", ValueCoding::json),
            "a\n\"\\/\xc3\xa9\xf0\x9f\x98\x80x");
  EXPECT_EQ(decoded_text(R"(\u12)", ValueCoding::json), R"(\u12)");
  EXPECT_EQ(decoded_text("\\", ValueCoding::json), "\\");
}

TEST(CodedText, a_placeholder_stands_for_itself) {
  const std::string raw = "a%20<secret:0123456789abcdef>+";
  EXPECT_EQ(decoded_text(raw, ValueCoding::form), "a <secret:0123456789abcdef> ");
}

TEST(CodedText, knows_where_parts_stood) {
  const CodedText text = decoded(coded_text("%41b%43d", 10), ValueCoding::percent);
  EXPECT_EQ(text.text, "AbCd");
  const CodedText part = part_of(text, 1, 2);
  EXPECT_EQ(part.begin(), 13U);
  EXPECT_EQ(part.end(), 17U);
  EXPECT_EQ(part_of(text, 4, 0).begin(), 18U);
}

TEST(CodedText, of_one_coding_within_another) {
  const CodedText outer = decoded(coded_text(R"(x={\"a\":\"b%20c\"})"), ValueCoding::json);
  EXPECT_EQ(outer.text, R"(x={"a":"b%20c"})");
  const CodedText inner = decoded(part_of(outer, 8, 5), ValueCoding::percent);
  EXPECT_EQ(inner.text, "b c");
  EXPECT_EQ(inner.codings, (std::vector{ValueCoding::json, ValueCoding::percent}));
}

// Any text that is encoded and decoded is itself, and its parts are found again.
TEST(CodedText, encoded_texts_are_decoded_again) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    while (random() % 9 != 0)
      text += static_cast<char>(random() % 4 == 0 ? random() % 128 : 'a' + random() % 26);
    std::vector<ValueCoding> codings;
    for (unsigned i = random() % 4; i > 0; --i) {
      codings.push_back(static_cast<ValueCoding>(random() % 3));
    }
    const std::string raw = encoded(text, codings);
    CodedText read = coded_text(raw);
    for (const ValueCoding coding : codings) read = decoded(read, coding);
    ASSERT_EQ(read.text, text) << raw;
    ASSERT_EQ(read.codings, codings);
    const std::size_t at = text.empty() ? 0 : random() % text.size();
    const CodedText part = part_of(read, at, text.size() - at);
    CodedText again = coded_text(std::string_view(raw).substr(part.begin()));
    for (const ValueCoding coding : codings) again = decoded(again, coding);
    ASSERT_EQ(again.text, text.substr(at)) << raw;
  }
}

}  // namespace
}  // namespace heddle
