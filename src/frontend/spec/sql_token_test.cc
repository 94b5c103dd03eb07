#include "frontend/spec/text/sql_token.h"

#include <string>

#include <gtest/gtest.h>

namespace heddle {
namespace {

// The tokens of `sql`, separated by "|".
std::string cut(std::string_view sql) {
  std::string result;
  for (std::size_t i = 0; i < sql.size();) {
    const SqlToken token = sql_token_at(sql, i);
    if (i != 0) result += '|';
    result += token.text;
    i += token.text.size();
  }
  return result;
}

SqlToken::Kind first_kind(std::string_view sql) { return sql_token_at(sql, 0).kind; }

TEST(SqlToken, cuts_plain_sql) {
  EXPECT_EQ(cut("select a$1,12 from t"), "select| |a$1|,|12| |from| |t");
  EXPECT_EQ(cut("1e5.x"), "1e5|.|x");
}

TEST(SqlToken, keeps_quoted_text_whole) {
  EXPECT_EQ(cut("'it''s' x"), "'it''s'| |x");
  EXPECT_EQ(cut("\"a\"\"b\".c"), "\"a\"\"b\"|.|c");
  EXPECT_EQ(cut("'a\\' x"), "'a\\'| |x");
  EXPECT_EQ(first_kind("'a"), SqlToken::Kind::quoted);
}

TEST(SqlToken, lets_backslashes_escape_in_escape_strings_only) {
  EXPECT_EQ(cut("E'a\\'b' x"), "E'a\\'b'| |x");
  EXPECT_EQ(cut("e'a' -- c\n 'b\\'c' x"), "e'a' -- c\n 'b\\'c'| |x");
  EXPECT_EQ(cut("e'a' 'b\\' x"), "e'a'| |'b\\'| |x");
  EXPECT_EQ(cut("some'a\\' x"), "some|'a\\'| |x");
}

TEST(SqlToken, keeps_dollar_quotes_whole) {
  EXPECT_EQ(cut("$$ ' $x$ $$ y"), "$$ ' $x$ $$| |y");
  EXPECT_EQ(cut("$f$ $$ $f$ y"), "$f$ $$ $f$| |y");
  EXPECT_EQ(cut("a$f$ b"), "a$f$| |b");
  EXPECT_EQ(cut("$1 $2"), "$|1| |$|2");
  EXPECT_EQ(cut("$f$ never closed"), "$f$ never closed");
}

TEST(SqlToken, keeps_comments_whole) {
  EXPECT_EQ(cut("a-- :x\nb"), "a|-- :x|\n|b");
  EXPECT_EQ(cut("a/* /* ' */ :x */b"), "a|/* /* ' */ :x */|b");
  EXPECT_EQ(cut("+/*c*/"), "+|/*c*/");
  EXPECT_EQ(cut("/*/ not closed"), "/*/ not closed");
}

TEST(SqlToken, finds_variables) {
  EXPECT_EQ(cut("x=:a::int"), "x|=|:a|::|int");
  EXPECT_EQ(cut(":'a' :\"b\" :{?c}"), ":'a'| |:\"b\"| |:{?c}");
  EXPECT_EQ(cut(":'a b'"), ":|'a b'");
  EXPECT_EQ(cut("a[1:n]"), "a|[|1|:n|]");
  EXPECT_EQ(cut("a:=b"), "a|:|=|b");
  EXPECT_EQ(sql_token_at(":'a_1'", 0).name, "a_1");
}

TEST(SqlToken, finds_backslash_commands) {
  EXPECT_EQ(sql_token_at("\\gset x", 0).name, "gset");
  EXPECT_EQ(first_kind("\\gset"), SqlToken::Kind::command);
  EXPECT_EQ(first_kind("\\."), SqlToken::Kind::symbol);
  EXPECT_EQ(first_kind("\\"), SqlToken::Kind::symbol);
}

TEST(SqlToken, knows_text_without_sql) {
  EXPECT_FALSE(has_sql(" -- nothing\n /* here */ "));
  EXPECT_TRUE(has_sql("--\nx"));
}

TEST(SqlToken, knows_names_of_variables) {
  EXPECT_TRUE(is_variable_name("a_1"));
  EXPECT_FALSE(is_variable_name("?column?"));
  EXPECT_FALSE(is_variable_name(""));
}

}  // namespace
}  // namespace heddle
