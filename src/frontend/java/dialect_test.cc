// Java whose SQL, and whose tables, are not PostgreSQL's.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/java_program.h"

namespace heddle {
namespace {

constexpr const char* kTables =
    "CREATE TABLE `Account` (`Id` int AUTO_INCREMENT PRIMARY KEY, Owner varchar(20), "
    "Balance int unsigned NOT NULL);";

Result<Program> read_method(const std::string& body, const ProgramOptions& options,
                            const std::string& tables = "") {
  auto program = parse_program({{"tables.sql", tables}}, options);
  if (!program) return program;
  const std::string text =
      "import java.sql.*;\npublic class T {\nprivate Connection c;\n" + body + "\n}\n";
  if (auto read = read_java_program({{"T.java", text}}, {}, *program); !read) return read.error();
  return program;
}

// The tables of each statement with their columns, and the notes.
std::string accesses_of(const Result<Program>& program) {
  if (!program) return to_string(program.error());
  std::string text;
  for (const Functionality& functionality : program->functionalities) {
    for (const ListedStatement& one : list_statements(functionality)) {
      for (const TableUse& use : one.statement->statement.tables) {
        text += use.table;
        for (const std::string& column : use.columns_read) text += " r:" + column;
        for (const std::string& column : use.columns_written) text += " w:" + column;
        text += "\n";
      }
    }
  }
  for (const Diagnostic& note : program->notes) text += to_string(note) + "\n";
  return text;
}

constexpr const char* kRead =
    "public int read(int id) throws SQLException {\n"
    "  PreparedStatement s = c.prepareStatement("
    "\"SELECT * FROM ACCOUNT a WHERE A.ID = ? LIMIT 0, 1\");\n"
    "  s.setInt(1, id);\n  ResultSet r = s.executeQuery();\n"
    "  r.next();\n  return r.getInt(\"BALANCE\");\n}";

TEST(Dialects, names_compare_regardless_of_case_in_mysql) {
  const auto program = read_method(kRead, {.dialect = Dialect::mysql}, kTables);
  EXPECT_EQ(accesses_of(program), "account r:balance r:id r:owner\n");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->schema.tables.at(0).name, "Account");
}

// What is printed is PostgreSQL's, and reads as a program with the same accesses.
TEST(Dialects, programs_print_as_those_of_postgres) {
  const auto program = read_method(kRead, {.dialect = Dialect::mysql}, kTables);
  ASSERT_TRUE(program) << to_string(program.error());
  const auto again = parse_program({{"read.sql", print_program(*program)}});
  EXPECT_EQ(accesses_of(again), accesses_of(program)) << print_program(*program);
}

TEST(Dialects, tables_of_a_database_come_before_those_of_files) {
  ProgramOptions options{.dialect = Dialect::mysql, .tables = Schema()};
  options.tables = parse_schema(kTables, Dialect::mysql).schema;
  const auto program = read_method(kRead, options, "CREATE TABLE account (nothing int);");
  EXPECT_EQ(accesses_of(program), "account r:balance r:id r:owner\n");
}

TEST(Dialects, are_told_by_the_options_where_no_table_tells) {
  EXPECT_EQ(accesses_of(read_method(kRead, {.dialect = Dialect::mysql})), "account r:* r:id\n");
  EXPECT_NE(accesses_of(read_method(kRead, {})).find("is not SQL"), std::string::npos);
}

// The key of the table says which row is in the way, so that nothing is left unknown.
TEST(Dialects, upserts_of_mysql_meet_the_row_of_the_key) {
  const char* method =
      "public void hit(String page) throws SQLException {\n"
      "  PreparedStatement s = c.prepareStatement(\"INSERT INTO views (page, count) VALUES (?, 1) "
      "ON DUPLICATE KEY UPDATE count = count + 1\");\n"
      "  s.setString(1, page);\n  s.executeUpdate();\n"
      "  s = c.prepareStatement(\"REPLACE INTO views VALUES (?, 0)\");\n"
      "  s.setString(1, page);\n  s.executeUpdate();\n}";
  const auto program = read_method(
      method, {.dialect = Dialect::mysql},
      "CREATE TABLE `views` (`page` varchar(80) PRIMARY KEY, `count` int) ENGINE=InnoDB;");
  EXPECT_EQ(accesses_of(program),
            "views r:count r:page w:count w:page\nviews r:page w:count w:page\n");
}

TEST(Dialects, sqlite_compares_names_regardless_of_case) {
  const auto program =
      read_method(kRead, {.dialect = Dialect::sqlite},
                  "CREATE TABLE [Account] (Id integer PRIMARY KEY, [Balance] int) ;");
  EXPECT_EQ(accesses_of(program), "account r:balance r:id\n");
}

TEST(Dialects, postgres_tells_quoted_names_apart) {
  const std::string method =
      "public void pay() throws SQLException {\n"
      "  c.createStatement().executeUpdate(\"UPDATE Account SET \\\"Balance\\\" = 1\");\n}";
  EXPECT_EQ(
      accesses_of(read_method(method, {}, "CREATE TABLE account (balance int, \"Balance\" int);")),
      "account w:Balance\n");
}

TEST(Dialects, routines_of_mysql_are_noted) {
  const auto program = parse_program(
      {{"p.sql",
        "CREATE TABLE t (a int);\nDELIMITER //\n"
        "CREATE DEFINER=`me`@`%` PROCEDURE p()\nBEGIN\n  CREATE TABLE u (a int);\nEND//\n"
        "CREATE VIEW v AS SELECT a FROM t//\n"}},
      {.dialect = Dialect::mysql});
  EXPECT_EQ(accesses_of(program),
            "p.sql:3:1: routines are read in PL/pgSQL and PostgreSQL's SQL only, leave it to code "
            "in Java, or say it in PL/pgSQL\n");
}

}  // namespace
}  // namespace heddle
