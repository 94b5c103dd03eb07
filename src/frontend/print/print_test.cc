#include <map>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "frontend/print/texts_testing.h"
#include "frontend/sql/words/lexer.h"
#include "heddle/schema.h"
#include "heddle/statement.h"

namespace heddle {
namespace {

using sql::shape_of_text;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Dialect kDialects[] = {Dialect::postgres, Dialect::mysql, Dialect::sqlite};

std::string printed(std::string_view sql, Dialect from, Dialect to) {
  const auto result = print_statement(sql, from, to);
  return result ? result->text : to_string(result.error());
}

// How many were printed. Each of them must come back as the same tree, and as the same text.
struct RoundTrips {
  std::size_t parsed = 0;
  std::size_t printed = 0;
  std::map<std::string, std::size_t> refused;

  void add(const std::string& sql) {
    const std::string shape = shape_of_text(sql);
    if (shape.starts_with("cannot parse") || shape.starts_with("not one")) return;
    ++parsed;
    const auto once = print_statement(sql, Dialect::postgres, Dialect::postgres);
    if (!once) {
      EXPECT_FALSE(once.error().what.empty());
      ++refused[once.error().what];
      return;
    }
    ++printed;
    EXPECT_EQ(shape_of_text(once->text), shape) << sql << "\n" << once->text;
    EXPECT_EQ(printed_again(once->text), once->text) << sql;
  }

  static std::string printed_again(const std::string& sql) {
    return heddle::printed(sql, Dialect::postgres, Dialect::postgres);
  }
};

const std::vector<std::string>& texts() {
  static const std::vector<std::string> kTexts = sql::texts_of_tests();
  return kTexts;
}

TEST(PrintToItself, gives_the_same_tree_for_all_statements_of_tests) {
  RoundTrips trips;
  for (const std::string& text : texts()) {
    trips.add(text);
    for (const StatementText& piece : split_statements(text)) trips.add(piece.text);
  }
  EXPECT_GT(trips.printed, 300U) << trips.parsed;
  RecordProperty("printed", static_cast<int>(trips.printed));
}

// Exchanges, repeats and leaves out tokens, also those of another statement.
std::string mutated(const std::string& text, const std::string& other, std::mt19937& random) {
  const sql::Tokens tokens(text);
  const sql::Tokens others(other);
  std::string result;
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (one_in(30)) continue;
    const bool foreign = one_in(20) && others.size() > 0;
    const std::size_t at = foreign      ? random() % others.size()
                           : one_in(20) ? random() % tokens.size()
                                        : i;
    result += std::string(foreign ? others.text(at) : tokens.text(at)) + " ";
  }
  return result;
}

TEST(PrintToItself, gives_the_same_tree_for_mutations) {
  std::mt19937 random(7);
  std::vector<std::string> statements;
  for (const std::string& text : texts()) {
    const std::string shape = shape_of_text(text);
    if (!shape.starts_with("cannot") && !shape.starts_with("not one")) statements.push_back(text);
  }
  RoundTrips trips;
  for (int i = 0; i < 8'000; ++i) {
    trips.add(mutated(statements[random() % statements.size()],
                      statements[random() % statements.size()], random));
  }
  EXPECT_GT(trips.printed, 500U) << trips.parsed;
  RecordProperty("printed", static_cast<int>(trips.printed));
}

// Whatever is printed can be read again as what it was printed for.
TEST(PrintToOthers, gives_texts_that_are_read_again) {
  std::size_t count = 0;
  for (const std::string& text : texts()) {
    for (const Dialect from : kDialects) {
      for (const Dialect to : kDialects) {
        const auto once = print_statement(text, from, to);
        if (!once) continue;
        ++count;
        const auto again = print_statement(once->text, to, to);
        EXPECT_TRUE(again) << text << "\n" << once->text << "\n" << to_string(again.error());
        if (again) {
          EXPECT_TRUE(equal_ignoring_case(again->text, once->text)) << text << "\n" << again->text;
        }
      }
    }
  }
  EXPECT_GT(count, 800U);
}

TEST(PrintParameters, are_those_of_the_source) {
  const auto mysql = print_statement("SELECT greatest($2, $1) FROM t WHERE a = $3",
                                     Dialect::postgres, Dialect::mysql);
  ASSERT_TRUE(mysql) << to_string(mysql.error());
  EXPECT_EQ(mysql->text, "SELECT COALESCE(GREATEST(?, ?), ?, ?) FROM t WHERE a = ?");
  EXPECT_THAT(mysql->parameters, ElementsAre(2, 1, 2, 1, 3));
  const auto sqlite =
      print_statement("SELECT ?2, ?, :a, ?1, :a", Dialect::sqlite, Dialect::postgres);
  ASSERT_TRUE(sqlite) << to_string(sqlite.error());
  EXPECT_EQ(sqlite->text, "SELECT $2, $3, $4, $1, $4");
  EXPECT_THAT(sqlite->parameters, ElementsAre(1, 2, 3, 4));
}

struct Case {
  std::string_view text;
  Dialect from;
  Dialect to;
  std::string_view printed;  // or the message
};

TEST(PrintToOthers, says_it_in_the_words_of_the_dialect) {
  constexpr auto kPostgres = Dialect::postgres;
  constexpr auto kMysql = Dialect::mysql;
  constexpr auto kSqlite = Dialect::sqlite;
  const Case cases[] = {
      {"SELECT * FROM Account AS A WHERE A.`Key` = 1", kMysql, kMysql,
       "SELECT * FROM Account AS A WHERE A.`key` = 1"},
      {"SELECT \"Name\" FROM \"order\"", kPostgres, kMysql, "SELECT Name FROM `order`"},
      {"SELECT nextval('s')", kPostgres, kMysql, "SELECT NEXTVAL(s)"},
      {"SELECT NEXTVAL(s)", kMysql, kPostgres, "SELECT nextval('s')"},
      {"SELECT id FROM t FOR SHARE SKIP LOCKED", kPostgres, kMysql,
       "SELECT id FROM t LOCK IN SHARE MODE SKIP LOCKED"},
      {"INSERT INTO t DEFAULT VALUES", kPostgres, kMysql, "INSERT INTO t () VALUES ()"},
      {"SELECT a FROM t ORDER BY a", kPostgres, kMysql, "SELECT a FROM t ORDER BY a IS NULL, a"},
      {"SELECT a FROM t ORDER BY a", kSqlite, kPostgres, "SELECT a FROM t ORDER BY a NULLS FIRST"},
      {"SELECT NOW() - INTERVAL 3 MONTH, @x", kMysql, kMysql,
       "SELECT NOW() - INTERVAL 3 month, @x"},
      {"BEGIN ISOLATION LEVEL SERIALIZABLE", kPostgres, kSqlite, "BEGIN"},
      {"START TRANSACTION READ ONLY", kMysql, kPostgres, "START TRANSACTION READ ONLY"},
      {"BEGIN IMMEDIATE", kSqlite, kSqlite, "BEGIN IMMEDIATE"},
      {"ROLLBACK TO s", kSqlite, kMysql, "ROLLBACK TO SAVEPOINT s"},
      {"RELEASE s", kPostgres, kSqlite, "RELEASE SAVEPOINT s"},
  };
  for (const Case& one : cases) EXPECT_EQ(printed(one.text, one.from, one.to), one.printed);
}

TEST(PrintToOthers, says_what_cannot_be_said) {
  constexpr auto kPostgres = Dialect::postgres;
  constexpr auto kMysql = Dialect::mysql;
  constexpr auto kSqlite = Dialect::sqlite;
  const Case cases[] = {
      {"SELECT date_trunc('day', x) FROM t", kPostgres, kMysql,
       "date_trunc of 2 arguments in MySQL"},
      {"SELECT a / b FROM t", kPostgres, kMysql, "cannot say / in MySQL"},
      {"SELECT a || b + 1 FROM t", kSqlite, kPostgres, "cannot say these operators in PostgreSQL"},
      {"SELECT a FROM t FOR UPDATE", kPostgres, kSqlite, "cannot say FOR UPDATE in SQLite"},
      {"SELECT a FROM t FOR NO KEY UPDATE", kPostgres, kMysql, "FOR NO KEY UPDATE in MySQL"},
      {"SELECT a FROM t FOR UPDATE OF t", kPostgres, kMysql, "locks on some of the tables"},
      {"SELECT a INTO b FROM t", kPostgres, kPostgres, "intoClause of SelectStmt"},
      {"SELECT ARRAY[1]", kPostgres, kMysql, "cannot say an array in MySQL"},
      {"SELECT x::uuid FROM t", kPostgres, kMysql, "a cast to uuid"},
      {"UPDATE t SET a = 1 LIMIT 1", kMysql, kMysql, "ORDER BY or LIMIT of an UPDATE or DELETE"},
      {"SELECT a FROM t USE INDEX (i)", kMysql, kMysql, "cannot print USE"},
      {"SELECT a, count(*) FROM t GROUP BY a WITH ROLLUP", kMysql, kMysql, "cannot print WITH"},
      {"SELECT @x", kMysql, kPostgres, "a variable of the session"},
      {"SELECT a FROM t WHERE BINARY a = 'x'", kMysql, kMysql, "cannot print BINARY"},
      {"UPDATE IGNORE t SET a = 1", kMysql, kMysql, "cannot print IGNORE"},
      {"BEGIN IMMEDIATE", kSqlite, kPostgres, "a transaction that begins with immediate"},
      {"BEGIN ISOLATION LEVEL SERIALIZABLE", kPostgres, kMysql, "SET TRANSACTION before it"},
      {"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3", kSqlite, kSqlite, "from left to right"},
      {"WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x", kPostgres, kSqlite,
       "WITH that writes"},
      {"INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", kPostgres, kMysql, "name the columns"},
      {"CREATE TABLE t (a int)", kPostgres, kPostgres, "cannot say CreateStmt"},
      {"SELECT 1; SELECT 2", kMysql, kPostgres, "not one statement"},
      {"SELECT 1; SELECT 2", kPostgres, kPostgres, "not one statement"},
      {"", kSqlite, kPostgres, "not one statement"},
      {"SELECT 'a\xff'", kPostgres, kPostgres, "the text is not UTF-8"},
      {"GET a", Dialect::redis, kPostgres, "commands of Redis are not SQL"},
  };
  for (const Case& one : cases) {
    const auto result = print_statement(one.text, one.from, one.to);
    ASSERT_FALSE(result) << one.text << "\n" << result->text;
    EXPECT_THAT(to_string(result.error()), HasSubstr(std::string(one.printed))) << one.text;
    EXPECT_GT(result.error().position.line, 0U) << one.text;
  }
  const auto result = print_statement("SELECT a,\n  ARRAY[b]", kPostgres, kMysql);
  EXPECT_EQ(result.error().position, (SourcePosition{2, 3}));
}

// MySQL and SQLite do not say which key of a row is in the way; the tables do.
TEST(PrintToOthers, keys_of_tables_name_the_conflict) {
  const Schema mysql =
      parse_schema(
          "CREATE TABLE `Page` (`Name` varchar(80) PRIMARY KEY, views int DEFAULT 0, at datetime);"
          "CREATE TABLE person (id int AUTO_INCREMENT PRIMARY KEY, mail varchar(80) UNIQUE,"
          " nick varchar(9) UNIQUE, size int, twice int AS (size * 2));"
          "CREATE TABLE line (a int, b int, PRIMARY KEY (a, b)); CREATE TABLE log (a int)",
          Dialect::mysql)
          .schema;
  const Schema sqlite =
      parse_schema("CREATE TABLE t (id integer PRIMARY KEY, a text UNIQUE, b)", Dialect::sqlite)
          .schema;
  struct Met {
    const char* text;
    const Schema* schema;
    const char* printed;
  };
  const Met cases[] = {
      {"INSERT INTO page (name, views) VALUES (?, 1) ON DUPLICATE KEY UPDATE views = views + 1",
       &mysql,
       "INSERT INTO page (name, views) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET views = "
       "page.views + 1"},
      {"REPLACE INTO page (name, views) VALUES (?, ?)", &mysql,
       "INSERT INTO page (name, views) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET views = "
       "excluded.views, at = excluded.at"},
      {"INSERT IGNORE INTO line VALUES (?, ?)", &mysql,
       "INSERT INTO line VALUES ($1, $2) ON CONFLICT (a, b) DO NOTHING"},
      {"REPLACE INTO line SET a = 1, b = 2", &mysql,
       "INSERT INTO line (a, b) VALUES (1, 2) ON CONFLICT (a, b) DO UPDATE SET a = excluded.a"},
      // A new number is in nobody's way, neither is NULL.
      {"REPLACE INTO person (mail, size) VALUES (?, 1)", &mysql,
       "INSERT INTO person (mail, size) VALUES ($1, 1) ON CONFLICT (mail) DO UPDATE SET id = "
       "excluded.id, nick = excluded.nick, size = excluded.size"},
      {"INSERT INTO person (id, nick) VALUES (DEFAULT, ?) ON DUPLICATE KEY UPDATE size = "
       "VALUES(size)",
       &mysql,
       "INSERT INTO person (id, nick) VALUES (DEFAULT, $1) ON CONFLICT (nick) DO UPDATE SET "
       "size = excluded.size"},
      {"INSERT INTO person (size) VALUES (3) ON DUPLICATE KEY UPDATE size = 4", &mysql,
       "INSERT INTO person (size) VALUES (3)"},
      {"REPLACE INTO log VALUES (1)", &mysql, "INSERT INTO log VALUES (1)"},
      {"INSERT IGNORE INTO person (mail, nick) VALUES (?, ?)", &mysql,
       "INSERT INTO person (mail, nick) VALUES ($1, $2) ON CONFLICT DO NOTHING"},
      {"INSERT INTO person (mail, nick) VALUES (?, ?) ON DUPLICATE KEY UPDATE size = 1", &mysql,
       "this row may meet several of the table"},
      {"INSERT INTO person VALUES (1, 2, 3, 4) ON DUPLICATE KEY UPDATE size = 1", &mysql,
       "this row may meet several of the table"},
      {"REPLACE INTO elsewhere VALUES (1)", &mysql, "cannot say REPLACE in PostgreSQL"},
      {"INSERT OR REPLACE INTO t (id, b) VALUES (?, ?)", &sqlite,
       "INSERT INTO t (id, b) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET a = excluded.a, b = "
       "excluded.b"},
      {"INSERT OR IGNORE INTO T (A) SELECT b FROM t", &sqlite,
       "INSERT INTO t (a) SELECT b FROM t ON CONFLICT (a) DO NOTHING"},
      {"INSERT INTO t (b, a) VALUES (1, 2) ON CONFLICT DO UPDATE SET b = excluded.b || b", &sqlite,
       "INSERT INTO t (b, a) VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = excluded.b || t.b"},
  };
  for (const Met& one : cases) {
    const auto result =
        print_statement(one.text, one.schema->dialect, Dialect::postgres, one.schema);
    EXPECT_THAT(result ? result->text : to_string(result.error()),
                HasSubstr(std::string(one.printed)))
        << one.text;
  }
}

TEST(PrintToOthers, bounds_the_depth) {
  std::string deep = "1";
  for (int i = 0; i < 5000; ++i) deep += " + 1";
  const auto result = print_statement("SELECT " + deep, Dialect::postgres, Dialect::mysql);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().trouble, Trouble::bound);
}

}  // namespace
}  // namespace heddle
