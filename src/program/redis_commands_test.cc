#include "program/redis_commands.h"

#include <gtest/gtest.h>

namespace heddle::program {
namespace {

ProgramStatement statement_of_text(const std::string& sql, std::vector<Expression> arguments = {}) {
  auto statements = parse_statements(sql, Dialect::postgres);
  EXPECT_TRUE(statements && statements->size() == 1) << sql;
  ProgramStatement statement;
  if (statements && !statements->empty()) statement.statement = statements->front();
  statement.arguments = std::move(arguments);
  take_for_redis(statement);
  return statement;
}

Expression client_variable(const std::string& name) {
  return {.kind = ExpressionKind::variable, .text = name, .operands = {}};
}

TEST(RedisCommands, are_statements_and_back) {
  for (const char* name :
       {"get", "exists", "set", "setex", "psetex", "setnx", "setnxex", "setxx", "setxxex", "del",
        "incrby", "incr", "decrby", "decr", "expire", "pexpire", "persist", "multi", "exec"}) {
    const RedisShape* shape = find_redis_shape(name);
    ASSERT_NE(nullptr, shape) << name;
    const std::vector<std::string> all = {"$1", "'it''s'", "-5"};
    const std::vector<std::string> given(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shape->arguments));
    const std::string sql = redis_sql(*shape, given);
    const auto command = redis_command_of(sql);
    ASSERT_TRUE(command) << sql;
    EXPECT_EQ(shape, command->shape) << sql;
    EXPECT_EQ(given, command->arguments) << sql;
    const ProgramStatement statement = statement_of_text(sql, {client_variable("k")});
    EXPECT_TRUE(is_redis(statement));
    EXPECT_TRUE(statement.approximated.empty());
    EXPECT_EQ(std::string(name) == "multi", begins_redis_group(statement));
    EXPECT_EQ(std::string(name) == "exec", ends_redis_group(statement));
  }
  EXPECT_EQ(nullptr, find_redis_shape("lpush"));
  EXPECT_FALSE(redis_command_of("SELECT value FROM other WHERE key = $1"));
  EXPECT_FALSE(redis_command_of("SELECT key FROM redis WHERE key = $1"));
}

TEST(RedisCommands, are_shown_as_redis_takes_them) {
  const auto shown = [](const char* name, const std::vector<std::string>& given) {
    return shown_statement(statement_of_text(redis_sql(*find_redis_shape(name), given),
                                             {client_variable("k"), client_variable("v")}));
  };
  EXPECT_EQ("GET k", shown("get", {"$1"}));
  EXPECT_EQ("SET k v", shown("set", {"$1", "$2"}));
  EXPECT_EQ("SET account:1 'two words'", shown("set", {"'account:1'", "'two words'"}));
  EXPECT_EQ("SET k v NX EX 60", shown("setnxex", {"$1", "60", "$2"}));
  EXPECT_EQ("MULTI", shown("multi", {}));
}

TEST(RedisCommands, that_are_only_known_by_their_keys_are_approximate) {
  const ProgramStatement push =
      statement_of_text(redis_sql_of_other("LPUSH", true, {"$1", "'x'"}), {client_variable("k")});
  EXPECT_EQ("LPUSH k x", shown_statement(push));
  EXPECT_EQ(std::vector<std::string>{"the command LPUSH of Redis"}, push.approximated);
  EXPECT_TRUE(push.statement.tables.at(0).written);
  EXPECT_TRUE(push.statement.tables.at(0).read);
  const ProgramStatement asked = statement_of_text(
      redis_sql_of_other("HGET", false, {"$1", "'name'"}), {client_variable("k")});
  EXPECT_EQ("HGET k name", shown_statement(asked));
  EXPECT_FALSE(asked.statement.tables.at(0).written);
  const ProgramStatement all = statement_of_text(redis_sql_of_anything("EVAL"));
  EXPECT_EQ("EVAL", shown_statement(all));
  EXPECT_TRUE(all.statement.predicate.empty());
}

TEST(RedisCommands, are_sent_with_their_values) {
  const auto sent = [](const char* name, const std::vector<std::string>& given,
                       const std::vector<std::optional<std::string>>& values) {
    return redis_text_with(*redis_command_of(redis_sql(*find_redis_shape(name), given)), values);
  };
  EXPECT_EQ("SET a:1 \"two words\"", sent("set", {"$1", "$2"}, {"a:1", "two words"}));
  EXPECT_EQ("SET \"it's\" \"\"", sent("set", {"'it''s'", "''"}, {}));
  EXPECT_EQ("GET \"a\\\"\\\\\\x0a\"", sent("get", {"$1"}, {"a\"\\\n"}));
  // No time to live ends within a run.
  EXPECT_EQ("SETEX a 1000000 b", sent("setex", {"'a'", "1", "'b'"}, {}));
  EXPECT_EQ("PEXPIRE a 1000000000", sent("pexpire", {"'a'", "1"}, {}));
}

TEST(RedisCommands, have_a_table_that_no_program_has) {
  Table own = redis_table();
  EXPECT_TRUE(is_redis_table(own));
  own.primary_key_name = "redis_pkey";
  EXPECT_FALSE(is_redis_table(own));
}

}  // namespace
}  // namespace heddle::program
