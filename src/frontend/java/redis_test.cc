// What clients of Redis in Java do, as commands.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/java_program.h"
#include "program/redis_commands.h"

namespace heddle {
namespace {

// The statements of a class with these methods, a line each, and what was said of them.
std::string redis_commands_in(const std::string& fields, const std::string& methods,
                              const std::string& tables = "") {
  auto program = parse_program({{"tables.sql", tables}});
  if (!program) return to_string(program.error());
  const std::string text = "import java.sql.*;\nimport redis.clients.jedis.*;\npublic class T {\n" +
                           fields + "\n" + methods + "\n}\n";
  const auto read = read_java_program({{"T.java", text}}, {}, *program);
  if (!read) return to_string(read.error());
  std::string shown;
  for (const Functionality& functionality : program->functionalities) {
    for (const ListedStatement& one : list_statements(functionality)) {
      shown += (program::is_redis(*one.statement) ? "" : "sql ") +
               program::shown_statement(*one.statement) + "\n";
    }
  }
  for (const Diagnostic& note : program->notes) shown += "note: " + note.what + "\n";
  return shown;
}

std::string jedis_commands(const std::string& body) {
  return redis_commands_in("private Jedis jedis;",
                           "public Object f(int id, String text) {\n" + body + "\nreturn null;\n}");
}

TEST(RedisInJava, commands_of_jedis) {
  EXPECT_EQ("GET a\nSET a text\nSETEX a 60 text\nSETNX a 5\nDEL a\nINCRBY a 2\nEXPIRE a 10\n",
            jedis_commands("jedis.get(\"a\"); jedis.set(\"a\", text); jedis.setex(\"a\", 60, text);"
                           "jedis.setnx(\"a\", \"5\"); jedis.del(\"a\"); jedis.incrBy(\"a\", 2);"
                           "jedis.expire(\"a\", 10);"));
  EXPECT_EQ("SET a text NX EX 60\nSET a text XX\n",
            jedis_commands("jedis.set(\"a\", text, SetParams.setParams().nx().ex(5));"
                           "jedis.set(\"a\", text, new SetParams().xx());"));
}

TEST(RedisInJava, several_commands_that_are_one) {
  EXPECT_EQ("MULTI\nGET a\nSET a text\nEXEC\n", jedis_commands("jedis.getSet(\"a\", text);"));
  EXPECT_EQ("MULTI\nDEL a\nDEL b\nEXEC\n", jedis_commands("jedis.del(\"a\", \"b\");"));
  EXPECT_EQ("MULTI\nSET a text\nINCR b\nEXEC\n",
            jedis_commands("Transaction t = jedis.multi(); t.set(\"a\", text); t.incr(\"b\");"
                           "t.exec();"));
  EXPECT_EQ("SET a text\nINCR b\n",
            jedis_commands("Pipeline p = jedis.pipelined(); p.set(\"a\", text); p.incr(\"b\");"
                           "p.sync();"));
}

TEST(RedisInJava, pools_and_keys_that_are_put_together) {
  const std::string shown =
      redis_commands_in("private JedisPool pool;",
                        "public String f(int id) { try (Jedis j = pool.getResource()) {\n"
                        "  return j.get(\"user:\" + id); } }");
  EXPECT_EQ("GET user_key\n", shown);
}

TEST(RedisInJava, what_is_not_followed_is_said) {
  EXPECT_EQ("RENAME\nnote: the command RENAME of Redis is not followed\n",
            jedis_commands("jedis.rename(\"a\", \"b\");"));
  EXPECT_EQ("HSET a f text\nnote: the command HSET of Redis is not followed\n",
            jedis_commands("jedis.hset(\"a\", \"f\", text);"));
  const std::string watched = jedis_commands(
      "jedis.watch(\"a\"); Transaction t = jedis.multi(); t.set(\"a\", text); t.exec();");
  EXPECT_NE(std::string::npos, watched.find("sql SELECT heddle_unknown('EXEC')")) << watched;
  EXPECT_NE(std::string::npos, watched.find("note: EXEC with watched keys")) << watched;
}

// What is queued takes effect later than what is done meanwhile.
TEST(RedisInJava, what_is_done_while_commands_wait) {
  const auto meanwhile = [](const std::string& begin, const std::string& end) {
    return redis_commands_in("private Jedis jedis; private Connection c;",
                             "public void f() throws SQLException {\n" + begin +
                                 "x.set(\"a\", \"1\");\n"
                                 "c.prepareStatement(\"DELETE FROM t\").executeUpdate();\n" +
                                 end + "\n}",
                             "CREATE TABLE t (id int PRIMARY KEY);");
  };
  EXPECT_NE(std::string::npos,
            meanwhile("Transaction x = jedis.multi();\n", "x.exec();").find("'EXEC'"));
  EXPECT_NE(std::string::npos,
            meanwhile("Pipeline x = jedis.pipelined();\n", "x.sync();").find("'a pipeline'"));
}

TEST(RedisInJava, a_table_of_that_name_is_the_databases) {
  EXPECT_EQ(
      "", redis_commands_in("private Jedis jedis;", "public void f() { jedis.set(\"a\", \"1\"); }",
                            "CREATE TABLE redis (id int PRIMARY KEY);"));
}

}  // namespace
}  // namespace heddle
