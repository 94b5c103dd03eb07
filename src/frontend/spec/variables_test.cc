#include "frontend/spec/variables.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

const Variables kSome = {{"n", "3"}, {"who", "O'Neil"}, {"path", "a\\b"}, {"t", "my \"table\""}};

std::string substitute(std::string_view sql) { return substitute_variables(sql, kSome); }

TEST(Variables, replaces_the_three_forms) {
  EXPECT_EQ(substitute("SELECT :n"), "SELECT 3");
  EXPECT_EQ(substitute("SELECT :'who'"), "SELECT 'O''Neil'");
  EXPECT_EQ(substitute("SELECT * FROM :\"t\""), "SELECT * FROM \"my \"\"table\"\"\"");
}

TEST(Variables, writes_backslashes_as_an_escape_string) {
  EXPECT_EQ(substitute("SELECT:'path'"), "SELECT E'a\\\\b'");
}

TEST(Variables, quotes_arguments_of_redis) {
  const Variables some = {{"v", "it's \"a\"\n\\"}};
  EXPECT_EQ(substitute_variables("SET k :'v'", some, VariableQuotes::redis),
            R"(SET k "it's \"a\"\x0a\\")");
  EXPECT_EQ(substitute_variables("SET :\"v\" user:w", some, VariableQuotes::redis),
            R"(SET "it's \"a\"\x0a\\" user:w)");
}

TEST(Variables, leaves_what_is_not_set) {
  EXPECT_EQ(substitute("SELECT :m, :'m', :\"m\", a[1:m]"), "SELECT :m, :'m', :\"m\", a[1:m]");
}

TEST(Variables, replaces_inside_of_slices_as_psql_does) {
  EXPECT_EQ(substitute("SELECT a[1:n]"), "SELECT a[13]");
}

TEST(Variables, leaves_casts_quotes_and_comments) {
  const std::string_view untouched[] = {
      "x::n",  "':n'",          "\":n\"",   "E'\\':n'",      "$$ :n $$",    "$q$ :n $q$",
      "-- :n", "/* :n /**/ */", "':n'':n'", "$q$ $$ :n $q$", "/* ' */':n'", "E'a'\n'\\':n'",
  };
  for (const std::string_view sql : untouched) EXPECT_EQ(substitute(sql), sql);
}

TEST(Variables, replaces_right_behind_quotes_and_comments) {
  EXPECT_EQ(substitute("':n':n"), "':n'3");
  EXPECT_EQ(substitute("-- :n\n:n"), "-- :n\n3");
  EXPECT_EQ(substitute("/* */:n"), "/* */3");
  EXPECT_EQ(substitute("x:::n"), "x::3");
}

TEST(Variables, does_not_read_values_again) {
  EXPECT_EQ(substitute_variables(":a", {{"a", ":b"}, {"b", "1"}}), ":b");
}

TEST(Variables, tells_whether_one_is_set) { EXPECT_EQ(substitute(":{?n} :{?m}"), "TRUE FALSE"); }

TEST(Variables, lists_what_is_mentioned_once_in_order) {
  EXPECT_EQ(mentioned_variables(":b ':x' :'a' :b :{?c} y::d"),
            (std::vector<std::string>{"b", "a", "c"}));
}

// "true", "false" or the error.
std::string judge(std::string_view condition, const Variables& variables = {}) {
  const Result<bool> value = evaluate_condition(condition, variables);
  if (!value) return value.error().what;
  return *value ? "true" : "false";
}

TEST(Variables, reads_psqls_booleans) {
  for (const std::string_view text : {"true", "TRUE", "t", "tr", "yes", "y", "on", "1", " on "}) {
    EXPECT_EQ(judge(text), "true") << text;
  }
  for (const std::string_view text : {"false", "f", "F", "no", "n", "off", "of", "0"}) {
    EXPECT_EQ(judge(text), "false") << text;
  }
  for (const std::string_view text : {"", "o", "truex", "2", "10", "1 > 0", "maybe"}) {
    EXPECT_NE(judge(text).find("is neither true nor false"), std::string::npos) << text;
  }
}

TEST(Variables, evaluates_conditions_with_variables) {
  const Variables variables = {{"found", "t"}, {"count", "2"}};
  EXPECT_EQ(judge(":found", variables), "true");
  EXPECT_EQ(judge(":{?found}", variables), "true");
  EXPECT_EQ(judge(":{?lost}", variables), "false");
  EXPECT_EQ(judge("'t'"), "true");
  EXPECT_EQ(judge(":count", variables),
            "the condition \":count\" is neither true nor false: it reads \"2\"");
  EXPECT_EQ(judge(":lost", variables),
            "the condition \":lost\" needs the variable \"lost\", which is not set");
}

}  // namespace
}  // namespace heddle
