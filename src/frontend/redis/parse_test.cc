#include "frontend/redis/parse.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace heddle {
namespace {

using testing::ElementsAre;

// "update rw expires,value key = 'a'"
std::string summary(const Statement& statement) {
  static const std::vector<std::pair<StatementKind, std::string>> kKinds = {
      {StatementKind::select, "select"},  {StatementKind::update, "update"},
      {StatementKind::delete_, "delete"}, {StatementKind::begin, "begin"},
      {StatementKind::commit, "commit"},  {StatementKind::rollback, "rollback"},
      {StatementKind::set, "set"},        {StatementKind::call, "call"},
      {StatementKind::notify, "notify"},  {StatementKind::other, "other"},
  };
  std::string text = "?";
  for (const auto& [kind, name] : kKinds) {
    if (kind == statement.kind) text = name;
  }
  if (statement.tables.empty()) return text;
  const TableUse& use = statement.tables[0];
  EXPECT_EQ(use.table, "redis");
  EXPECT_EQ(statement.tables.size(), 1U);
  EXPECT_EQ(statement.single_table_predicate, !statement.predicate.empty());
  text += fmt::format(" {}{} ", use.read ? "r" : "", use.written ? "w" : "");
  text += join(use.read ? use.columns_read : use.columns_written, ",");
  return statement.predicate.empty() ? text : text + " " + statement.predicate;
}

std::string read(std::string_view text) {
  auto statements = parse_redis(text);
  if (!statements) return to_string(statements.error());
  if (statements->size() != 1) return fmt::format("{} statements", statements->size());
  EXPECT_TRUE(statements->front().returns_rows);
  return summary(statements->front());
}

TEST(RedisParse, commands_of_one_key) {
  EXPECT_EQ(read("GET user:1"), "select r value key = 'user:1'");
  EXPECT_EQ(read("get \"it's\""), "select r value key = 'it''s'");
  EXPECT_EQ(read("INCR n"), "update rw value key = 'n'");
  EXPECT_EQ(read("LPUSH l a b"), "update rw value key = 'l'");
  EXPECT_EQ(read("EXPIRE a 10"), "update rw expires,value key = 'a'");
  EXPECT_EQ(read("TTL a"), "select r expires,value key = 'a'");
  EXPECT_EQ(read("XGROUP CREATE s g $"), "update rw value key = 's'");
  EXPECT_EQ(read("OBJECT ENCODING a"), "select r value key = 'a'");
}

TEST(RedisParse, set_is_blind_unless_an_option_asks) {
  EXPECT_EQ(read("SET a 1"), "update w expires,value key = 'a'");
  EXPECT_EQ(read("SET a 1 ex 10"), "update w expires,value key = 'a'");
  EXPECT_EQ(read("SETEX a 10 1"), "update w expires,value key = 'a'");
  EXPECT_EQ(read("SET a nx"), "update w expires,value key = 'a'");
  for (const char* option : {"NX", "xx", "GET", "KEEPTTL", "EX 10 NX", "NX PX 10"}) {
    EXPECT_EQ(read(fmt::format("SET a 1 {}", option)), "update rw expires,value key = 'a'");
  }
}

TEST(RedisParse, commands_of_several_keys) {
  EXPECT_EQ(read("MGET a b"), "select r value key IN ('a', 'b')");
  EXPECT_EQ(read("DEL a"), "delete rw expires,value key = 'a'");
  EXPECT_EQ(read("MSET a 1 b 2"), "update w expires,value key IN ('a', 'b')");
  EXPECT_EQ(read("RENAME a b"), "update rw expires,value key IN ('a', 'b')");
  EXPECT_EQ(read("BLPOP a b 0"), "update rw value key IN ('a', 'b')");
  EXPECT_EQ(read("BLMPOP 0 2 a b LEFT"), "update rw value key IN ('a', 'b')");
  EXPECT_EQ(read("ZUNIONSTORE d 2 a b WEIGHTS 1 2"),
            "update rw expires,value key IN ('d', 'a', 'b')");
  EXPECT_EQ(read("ZINTER 2 a b"), "select r value key IN ('a', 'b')");
  EXPECT_EQ(read("BITOP AND d a b"), "update rw expires,value key IN ('d', 'a', 'b')");
  EXPECT_EQ(read("XREAD COUNT 1 BLOCK 0 STREAMS s t 0 $"), "select r value key IN ('s', 't')");
  EXPECT_EQ(read("XREADGROUP GROUP g c STREAMS s >"), "update rw value key = 's'");
}

TEST(RedisParse, what_may_store_is_a_read_when_it_does_not) {
  EXPECT_EQ(read("SORT l ALPHA"), "select r expires,value key = 'l'");
  EXPECT_EQ(read("SORT l STORE d"), "update rw expires,value key IN ('l', 'd')");
  EXPECT_EQ(read("SORT l BY w_*"), "select r expires,value");
  EXPECT_EQ(read("GEORADIUS g 1 2 3 m"), "select r expires,value key = 'g'");
  EXPECT_EQ(read("GEORADIUS g 1 2 3 m STOREDIST d"), "update rw expires,value key IN ('g', 'd')");
}

TEST(RedisParse, commands_of_any_key) {
  EXPECT_EQ(read("KEYS *"), "select r value");
  EXPECT_EQ(read("FLUSHDB"), "delete w expires,value");
  EXPECT_EQ(read("EVAL \"return 1\" 1 a"), "call rw expires,value");
  EXPECT_EQ(read("EVAL_RO \"return 1\" 0"), "select r expires,value");
  // The server will refuse these.
  EXPECT_EQ(read("GET"), "select r value");
  EXPECT_EQ(read("ZINTER x a"), "select r value");
  EXPECT_EQ(read("ZINTER 18446744073709551615 a"), "select r value");
  EXPECT_EQ(read("XREAD COUNT 1"), "select r value");
}

TEST(RedisParse, transactions_and_sessions) {
  EXPECT_EQ(read("MULTI"), "begin");
  EXPECT_EQ(read("EXEC"), "commit");
  EXPECT_EQ(read("DISCARD"), "rollback");
  EXPECT_EQ(read("WATCH a b"), "set r value key IN ('a', 'b')");
  EXPECT_EQ(read("UNWATCH"), "set");
  EXPECT_EQ(read("CLIENT SETNAME x"), "set");
  EXPECT_EQ(read("PUBLISH c m"), "notify");
  EXPECT_EQ(read("PING"), "select");
}

TEST(RedisParse, what_is_unknown_may_be_anything) {
  const auto statements = parse_redis("JSON.SET a $ 1\nCONFIG SET maxmemory 0");
  ASSERT_TRUE(statements);
  EXPECT_EQ(summary(statements->at(0)), "other");
  EXPECT_THAT(statements->at(0).over_approximated, ElementsAre("the command JSON.SET"));
  EXPECT_EQ(summary(statements->at(1)), "other");
}

TEST(RedisParse, answers_that_differ_without_meaning_are_marked) {
  const auto generated = [](std::string_view text) {
    const auto statements = parse_redis(text);
    return statements && !statements->front().output.empty() &&
           statements->front().output.front().generated;
  };
  EXPECT_TRUE(generated("XADD s * f v"));
  EXPECT_FALSE(generated("XADD s 1-1 f v"));
  EXPECT_TRUE(generated("PTTL a"));
  EXPECT_TRUE(generated("TIME"));
  EXPECT_FALSE(generated("GET a"));
}

TEST(RedisParse, an_unbalanced_quote_is_the_only_error) {
  const auto statements = parse_redis("GET a\nSET a \"b");
  ASSERT_FALSE(statements);
  EXPECT_EQ(statements.error().position, (SourcePosition{2, 7}));
}

TEST(RedisParse, predicates_are_read_back) {
  for (const std::vector<std::string>& keys :
       {std::vector<std::string>{"a"}, {"it's", "b, 'c'"}, {"", ")"}, {"', '"}}) {
    EXPECT_EQ(keys_of_redis_predicate(redis_predicate(keys)), keys);
  }
  for (const char* other : {"", "key = ", "key = 'a", "key = 'a' OR true", "key IN ()",
                            "key IN ('a'", "key IN ('a',", "value = 'a'"}) {
    EXPECT_EQ(keys_of_redis_predicate(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace heddle
