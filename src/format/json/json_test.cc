#include "format/json/json.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "format/json/json_reader.h"

namespace heddle {
namespace {

TEST(Utf8, knows_well_formed_characters) {
  EXPECT_TRUE(is_utf8("a\0é漢😀"));
  for (const char* bad : {"\xff", "\xc0\x80", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe6\xbc"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
}

TEST(Json, agrees_with_the_library_on_what_utf8_is) {
  // Every sequence of two bytes, and of three with a continuation in the middle.
  for (unsigned a = 0; a < 0x10000; ++a) {
    std::string text = {static_cast<char>(a >> 8U), static_cast<char>(a & 0xffU)};
    if (a % 3 == 0) text.insert(1, "\x90");
    bool accepted = true;
    try {
      (void)Json(text).dump();
    } catch (const Json::type_error&) {
      accepted = false;
    }
    ASSERT_EQ(is_utf8(text), accepted) << a;
  }
}

TEST(Json, short_lists_stay_on_a_line_and_long_ones_do_not) {
  const Json document = {{"short", {1, 2, 3}},
                         {"empty", Json::array()},
                         {"long", {std::string(60, 'x'), std::string(60, 'y')}}};
  EXPECT_EQ(print_json(document),
            "{\n  \"short\": [1, 2, 3],\n  \"empty\": [],\n  \"long\": [\n    \"" +
                std::string(60, 'x') + "\",\n    \"" + std::string(60, 'y') + "\"\n  ]\n}\n");
  EXPECT_EQ(Json::parse(print_json(document)), document);
}

TEST(Json, finds_values_in_the_text) {
  constexpr std::string_view kText = R"({"a\"": [1, {"b": -2.5e+3}, "x]"], "c": {}, "d" : true})";
  const auto found = [&](const std::vector<std::string>& path) {
    return kText.substr(find_json_value(kText, path), 4);
  };
  EXPECT_EQ(found({"a\""}), "[1, ");
  EXPECT_EQ(found({"a\"", "1", "b"}), "-2.5");
  EXPECT_EQ(found({"a\"", "2"}), "\"x]\"");
  EXPECT_EQ(found({"c"}), "{}, ");
  EXPECT_EQ(found({"d"}), "true");
}

TEST(Json, names_the_path_to_what_is_wrong) {
  JsonReader reader(R"({"a/b": [{"c~": [0, "x"]}]})", "x.json");
  reader.root().at("a/b").elements()[0].at("c~").elements()[1].number();
  ASSERT_TRUE(reader.trouble());
  EXPECT_EQ(to_string(*reader.trouble()),
            "x.json:1:21: /a~1b/0/c~0/1: expected a number that is not negative");
}

TEST(Json, only_the_first_trouble_counts) {
  JsonReader reader(R"({"a": 1, "b": 2})", "x.json");
  EXPECT_EQ(reader.root().at("a").text(), "");
  EXPECT_EQ(reader.root().at("b").number(), 0U);
  EXPECT_EQ(reader.trouble()->position, (SourcePosition{1, 7}));
}

}  // namespace
}  // namespace heddle
