#include "format/json/json_fields.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

// "path kind text" per field, one per line; the kind is its first letter, of empty ones "[" or "{".
std::string shown(std::string_view document) {
  const auto fields = list_json_fields(document);
  if (!fields) return "none";
  std::string text;
  for (const JsonField& each : *fields) {
    text += each.path + ' ' + "tnb0[{"[static_cast<std::size_t>(each.kind)] + ' ' + each.text;
    if (each.place != each.path) text += " at " + each.place;
    text += '\n';
  }
  return text;
}

TEST(JsonFields, have_the_way_to_each_value) {
  EXPECT_EQ(shown(R"({"id": 7, "lines": [{"price": 12.50, "paid": true}, {"price": -1e3}],
                      "note": null, "tags": [], "more": {}})"),
            "$.id n 7\n"
            "$.lines[0].price n 12.50 at $.lines[].price\n"
            "$.lines[0].paid b true at $.lines[].paid\n"
            "$.lines[1].price n -1e3 at $.lines[].price\n"
            "$.note 0 null\n"
            "$.tags [ \n"
            "$.more { \n");
}

TEST(JsonFields, are_of_any_document) {
  EXPECT_EQ(shown("\"text\""), "$ t text\n");
  EXPECT_EQ(shown("18446744073709551615"), "$ n 18446744073709551615\n");
  EXPECT_EQ(shown("[[1], [], [[2]]]"),
            "$[0][0] n 1 at $[][]\n$[1] [  at $[]\n$[2][0][0] n 2 at $[][][]\n");
}

TEST(JsonFields, quote_keys_that_could_be_mistaken) {
  EXPECT_EQ(shown(R"({"a.b": 1, "": 2, "caf\u00e9": 3})"),
            "$[\"a.b\"] n 1\n$[\"\"] n 2\n$.caf\xc3\xa9 n 3\n");
}

TEST(JsonFields, are_none_of_what_is_no_json) {
  for (const char* text : {"", "<html>", "{\"a\": }", "{} {}", "\xff", "[1,"}) {
    EXPECT_EQ(shown(text), "none") << text;
  }
  EXPECT_EQ(shown(std::string(200, '[') + std::string(200, ']')).substr(0, 3), "$[0");
  EXPECT_EQ(shown(std::string(100'000, '[') + std::string(100'000, ']')), "none");
}

}  // namespace
}  // namespace heddle
