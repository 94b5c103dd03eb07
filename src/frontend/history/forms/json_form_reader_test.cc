// JSON in, forms out, written in one line in the plain form of the tests of EDN.
#include "frontend/history/forms/json_form_reader.h"

#include <random>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/history/forms/jepsen_form_dump_testing.h"

namespace heddle {
namespace {

std::string read_all_json(std::string_view text) {
  JsonFormReader reader(text, "file");
  return dump_forms(reader);
}

TEST(Json, Scalars) {
  EXPECT_EQ(read_all_json("null true false NaN -Infinity Infinity"),
            "nil true false NaN -Infinity Infinity");
  EXPECT_EQ(read_all_json("0 -7 9223372036854775807 9223372036854775808 1.5 -1e+3"),
            "0 -7 9223372036854775807 ~9223372036854775808 ~1.5 ~-1e+3");
  EXPECT_EQ(read_all_json(R"("" "a b" "\t\"\\\/" "\u00e4" "\ud83d\ude00" "\ud83d" "\ud83dx")"),
            "\"\" \"a b\" \"\t\"\\/\" \"\xc3\xa4\" \"\xf0\x9f\x98\x80\" \"\xef\xbf\xbd\" "
            "\"\xef\xbf\xbdx\"");
}

TEST(Json, Collections) {
  EXPECT_EQ(read_all_json("[] {} [1,[2, 3] ]"), "[] {} [1 [2 3]]");
  EXPECT_EQ(read_all_json(R"({"a":1 , "b" : {"c":null}})"), R"({"a" 1 "b" {"c" nil}})");
  EXPECT_EQ(read_all_json(R"({"0":10,"-1":5,"007":1,"1.5":2})"), R"({0 10 -1 5 "007" 1 "1.5" 2})");
}

TEST(Json, NamesWhatIsWrong) {
  EXPECT_EQ(read_all_json("[1\n 2]"),
            "file:2:2: \"2\" stands where a comma or \"]\" is due, put a comma between values");
  EXPECT_EQ(read_all_json("[1,]").substr(0, 29), "file:1:4: \"]\" begins no value");
  EXPECT_EQ(read_all_json("[1,").substr(0, 47), "file:1:1: the array that begins here has no end");
  EXPECT_EQ(read_all_json("{\"a\" 1}"),
            "file:1:6: the colon after the name of a field is missing, add it");
  EXPECT_EQ(read_all_json("{a:1}"),
            "file:1:2: the name of a field is missing, write \"name\": value");
  EXPECT_EQ(read_all_json("nul").substr(0, 38), "file:1:1: \"nul\" is no value of JSON, w");
  EXPECT_EQ(read_all_json("-"), "file:1:1: \"-\" is no number of JSON, write it as 7 or -1.5e3");
  for (const std::string_view number : {"01", "1.", "-.5", "1e", "1e+", "--1", "1.2.3", "1-2"}) {
    EXPECT_NE(read_all_json(number).find("no number of JSON"), std::string::npos) << number;
  }
  EXPECT_EQ(read_all_json("\"\\u12\"").substr(0, 48),
            "file:1:2: a backslash that escapes nothing known");
  EXPECT_NE(read_all_json(std::string(300, '[')).find("more than 200 deep"), std::string::npos);
}

// A value in the plain form, and as JSON with white space.
struct JsonTwice {
  std::string plain;
  std::string json;
};

class RandomJson {
 public:
  explicit RandomJson(std::uint32_t seed) : random_(seed) {}

  JsonTwice value(int depth) {
    static const std::vector<JsonTwice> scalars = {{"nil", "null"},
                                                   {"true", "true"},
                                                   {"0", "0"},
                                                   {"-12", "-12"},
                                                   {"9223372036854775807", "9223372036854775807"},
                                                   {"~9223372036854775808", "9223372036854775808"},
                                                   {"~-1.5e-3", "-1.5e-3"},
                                                   {"\"\"", "\"\""},
                                                   {"\"a b\"", "\"a\\u0020b\""},
                                                   {"\"\\\"\"", R"("\\\"")"},
                                                   {"\"\xc3\xa4\"", "\"\xc3\xa4\""},
                                                   {"\"]\"", "\"]\""}};
    const std::size_t kind = below(depth < 5 ? 4 : 2);
    if (kind < 2) return scalars[below(scalars.size())];
    const bool is_object = kind == 3;
    JsonTwice both{.plain = is_object ? "{" : "[", .json = is_object ? "{" : "["};
    for (std::size_t i = 0, count = below(4); i < count; ++i) {
      if (i > 0) both.plain += ' ';
      if (i > 0) both.json += ',';
      if (is_object) {
        const std::string key = std::to_string(below(20));
        both.plain += key + " ";
        both.json += space() + "\"" + key + "\"" + space() + ":";
      }
      const JsonTwice element = value(depth + 1);
      both.plain += element.plain;
      both.json += space() + element.json + space();
    }
    both.plain += is_object ? '}' : ']';
    both.json += space() + (is_object ? '}' : ']');
    return both;
  }

  // Puts another character in the place of one.
  std::string broken(std::string json) {
    char& c = json[below(json.size())];
    if ((c & 0x80) == 0) c = "{}[]\",:1a\\"[below(10)];
    return json;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::string space() { return std::string(below(3), " \n\t"[below(3)]); }

  std::mt19937 random_;
};

bool is_one_value(std::string_view json) {
  JsonFormReader reader(json, "file");
  return reader.read_form(nullptr) && reader.skip_space() && reader.is_at_end();
}

// The same, slowly: strings become s and other scalars v, then brackets around them become v, from
// inside out, until nothing changes.
bool is_one_value_slowly(std::string text) {
  static const std::regex string(R"re("([^"\\]|\\["\\/bfnrt]|\\u[0-9a-f]{4})*")re");
  static const std::regex scalar(R"(null|true|-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]+)?)");
  static const std::regex brackets(
      R"(\[\s*([sv]\s*(,\s*[sv]\s*)*)?\]|\{\s*(s\s*:\s*[sv]\s*(,\s*s\s*:\s*[sv]\s*)*)?\})");
  if (text.find_first_of("sv") != std::string::npos) return false;
  text = std::regex_replace(text, string, "s");
  text = std::regex_replace(text, scalar, "v");
  for (std::string before; before != text;) {
    before = text;
    text = std::regex_replace(text, brackets, "v");
  }
  return std::regex_match(text, std::regex(R"(\s*[sv]\s*)"));
}

TEST(JsonAgreement, SpaceMakesNoDifference) {
  RandomJson json(7);
  for (int i = 0; i < 5'000; ++i) {
    const JsonTwice both = json.value(0);
    ASSERT_EQ(read_all_json(both.json), both.plain) << both.json;
  }
}

TEST(JsonAgreement, SlowReaderAcceptsAndRefusesTheSame) {
  RandomJson json(8);
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 5'000; ++i) {
    const std::string text = json.broken(json.value(0).json);
    const bool is_good = is_one_value_slowly(text);
    ASSERT_EQ(is_one_value(text), is_good) << text;
    ++(is_good ? accepted : refused);
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
}

// The canary: what only one of them accepts would be noticed.
TEST(JsonAgreement, CanFail) {
  EXPECT_TRUE(is_one_value("NaN"));
  EXPECT_FALSE(is_one_value_slowly("NaN"));
}

}  // namespace
}  // namespace heddle
