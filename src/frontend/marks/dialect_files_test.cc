#include "frontend/marks/dialect_files.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace heddle::marks {
namespace {

const std::string kPlain = "CREATE TABLE t (id int PRIMARY KEY);";
const std::string kMysql = "CREATE TABLE `t` (id int AUTO_INCREMENT PRIMARY KEY);";
const std::string kPostgres = "CREATE TABLE t (id serial PRIMARY KEY);";

std::string left_out(const std::vector<SourceText>& files, std::optional<Dialect> given = {},
                     const std::set<std::string>& named = {}) {
  const auto choice = choose_dialect_files(files, named, given);
  if (!choice) return "none";
  return join({choice->left_out.begin(), choice->left_out.end()}, " ");
}

TEST(DialectFiles, folders_for_databases) {
  const std::vector<SourceText> files = {{"a/h2/s.sql", kPlain},
                                         {"a/mysql/s.sql", kMysql},
                                         {"a/mysql/data.sql", "INSERT INTO t VALUES (1);"},
                                         {"a/postgresql/s.sql", kPostgres}};
  EXPECT_EQ("a/h2/s.sql a/mysql/data.sql a/mysql/s.sql", left_out(files));
  EXPECT_EQ("a/h2/s.sql a/postgresql/s.sql", left_out(files, Dialect::mysql));
  EXPECT_EQ("a/h2/s.sql", left_out(files, {}, {"a/mysql/s.sql", "a/mysql/data.sql"}));
  EXPECT_EQ(Dialect::postgres, choose_dialect_files(files, {}, {})->dialect);
}

TEST(DialectFiles, names_of_files_and_words_of_texts) {
  EXPECT_EQ("schema-mysql.sql", left_out({{"schema.sql", kPlain}, {"schema-mysql.sql", kPlain}}));
  EXPECT_EQ("schema.sql", left_out({{"schema.sql", kPlain}, {"schema_pg.sql", kPlain}}));
  EXPECT_EQ("b.sql", left_out({{"a.sql", kPostgres}, {"b.sql", kMysql}}));
  EXPECT_EQ("x/oracle.sql", left_out({{"x/hsqldb.sql", kPlain}, {"x/oracle.sql", kPlain}}));
  EXPECT_EQ("db/hsqldb/a.sql", left_out({{"db/hsqldb/a.sql", kPlain}, {"db/mysql/a.sql", kMysql}}));
}

TEST(DialectFiles, files_that_do_not_exclude_each_other) {
  EXPECT_EQ("none", left_out({{"a.sql", kPlain}, {"b.sql", "CREATE TABLE u (id int);"}}));
  EXPECT_EQ("none", left_out({{"a/mysql/a.sql", kMysql}}));
  // Two services with tables of their own.
  EXPECT_EQ("none", left_out({{"orders/postgres/a.sql", kPostgres},
                              {"users/mysql/a.sql", "CREATE TABLE u (id int AUTO_INCREMENT);"}}));
  // All are in a folder whose name says nothing of any of them.
  EXPECT_EQ("none", left_out({{"mysql/a.sql", "CREATE TABLE a (i int);"},
                              {"mysql/b.sql", "CREATE TABLE b (i int);"}}));
  // What is for all of them stays.
  EXPECT_EQ("x/mysql/s.sql", left_out({{"x/mysql/s.sql", kMysql},
                                       {"x/postgres/s.sql", kPostgres},
                                       {"x/data.sql", "INSERT INTO t VALUES (1);"}}));
  EXPECT_EQ("none", left_out({}));
}

}  // namespace
}  // namespace heddle::marks
