#include "frontend/redis/split.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::vector<std::string>> arguments_of(std::string_view text) {
  std::vector<std::vector<std::string>> all;
  auto commands = split_redis(text);
  if (!commands) {
    ADD_FAILURE() << to_string(commands.error());
    return all;
  }
  for (const RedisCommand& command : *commands) all.push_back(command.arguments);
  return all;
}

std::string trouble_of(std::string_view text) {
  auto commands = split_redis(text);
  if (commands) return "none";
  const SourcePosition at = commands.error().position;
  return fmt::format("{}:{}: {}", at.line, at.column, commands.error().what);
}

TEST(RedisSplit, each_line_is_a_command) {
  EXPECT_THAT(
      arguments_of("  SET user:1  10\r\n\n# GET a\n\tGET user:1 # 2"),
      ElementsAre(ElementsAre("SET", "user:1", "10"), ElementsAre("GET", "user:1", "#", "2")));
  EXPECT_THAT(arguments_of(" \n# nothing\n;\n"), IsEmpty());
}

TEST(RedisSplit, quotes_as_redis_cli_has_them) {
  EXPECT_THAT(arguments_of(R"(SET "a b" 'it\'s \n' "\"\x41\x7d\n\r\t\b\a\\\z\xg" "" '')"),
              ElementsAre(ElementsAre("SET", "a b", "it's \\n", "\"A}\n\r\t\b\a\\zxg", "", "")));
  EXPECT_THAT(arguments_of(R"(SET pre"fix and")"), ElementsAre(ElementsAre("SET", "prefix and")));
}

TEST(RedisSplit, a_semicolon_ends_a_line_but_separates_nothing) {
  EXPECT_THAT(arguments_of("SET a 1;\nSET b \"x\" ;; \nSET c d;e\nSET d ';';"),
              ElementsAre(ElementsAre("SET", "a", "1"), ElementsAre("SET", "b", "x"),
                          ElementsAre("SET", "c", "d;e"), ElementsAre("SET", "d", ";")));
}

TEST(RedisSplit, texts_and_positions_are_those_of_the_source) {
  const auto commands = split_redis("\n  GET a ;\nGET \"b\"");
  ASSERT_TRUE(commands);
  EXPECT_EQ(commands->at(0).text, "GET a");
  EXPECT_EQ(commands->at(0).position, (SourcePosition{2, 3}));
  EXPECT_EQ(commands->at(1).text, "GET \"b\"");
  EXPECT_EQ(commands->at(1).position, (SourcePosition{3, 1}));
}

TEST(RedisSplit, quotes_that_do_not_balance_are_named_with_their_place) {
  EXPECT_EQ(trouble_of("GET a\nSET b \"x\ny\""), "2:7: this quote is not closed on its line");
  EXPECT_EQ(trouble_of("SET a 'x'y"), "1:7: something stands right behind these quotes");
  EXPECT_NE(trouble_of("SET a \"x\\"), "none");
  EXPECT_NE(trouble_of("SET a 'x\\'"), "none");
}

}  // namespace
}  // namespace heddle
