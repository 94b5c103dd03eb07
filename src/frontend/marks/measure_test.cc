#include "frontend/marks/measure.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "frontend/marks/files.h"
#include "heddle/java_program.h"

namespace heddle::marks {
namespace {

constexpr std::string_view kSchema = "CREATE TABLE t (id int PRIMARY KEY, n int);\n";
constexpr std::string_view kBank = R"(import java.sql.*;
public class Bank {
  private static final String ADD = "UPDATE t SET n = n + 1 WHERE id = ?";
  public void add(Connection c, int id) throws SQLException {
    PreparedStatement s = c.prepareStatement(ADD);
    s.setInt(1, id);
    s.executeUpdate();
  }
  public int look(Connection c, int id) throws SQLException {
    return number(c, id);
  }
  private int number(Connection c, int id) throws SQLException {
    try (PreparedStatement s = c.prepareStatement("SELECT n FROM t WHERE id = ?")) {
      s.setInt(1, id);
      ResultSet r = s.executeQuery();
      return r.next() ? r.getInt("n") : 0;
    }
  }
}
)";

// A folder with files, and the program that is read from them.
class CoverageOfFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = *make_private_directory(testing::TempDir(), "coverage");
    write("schema.sql", kSchema);
  }
  void TearDown() override { EXPECT_TRUE(remove_tree(folder_).has_value()); }

  void write(const std::string& name, std::string_view text) {
    const std::filesystem::path path = std::filesystem::path(folder_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    const SourceText source{.file = path.string(), .text = std::string(text)};
    if (name.ends_with(".sql")) sql_.push_back(source);
    if (name.ends_with(".java")) java_.push_back(source);
  }

  Program read() const {
    Program program = *parse_program(sql_);
    EXPECT_TRUE(java_.empty() || read_java_program(java_, {}, program).has_value());
    return program;
  }

  // "technology: file:line, ..." of what is unread; files without the folder.
  std::string unread(const Program& program) const {
    std::string text;
    for (const UnreadUse& use : measure_coverage(program, files()).unread) {
      text += use.technology + ":";
      for (const UnreadPlace& place : use.places) {
        text += fmt::format(" {}:{}", place.file.substr(folder_.size() + 1), place.position.line);
      }
      text += "\n";
    }
    return text;
  }

  const std::string& folder() const { return folder_; }

  // Links to folders are not followed.
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const auto& one : std::filesystem::recursive_directory_iterator(folder_)) {
      if (one.is_regular_file()) all.push_back(one.path().string());
    }
    std::vector<std::string> found;
    add_foreign_sources(all, folder_, false, found);
    return found;
  }

 private:
  std::string folder_;
  std::vector<SourceText> sql_;
  std::vector<SourceText> java_;
};

TEST_F(CoverageOfFiles, what_is_read_leaves_nothing) {
  write("Bank.java", kBank);
  const Program program = read();
  EXPECT_EQ("", unread(program));
  const Coverage coverage = measure_coverage(program, files());
  EXPECT_EQ((ReadCounts{.exactly = 2}), coverage.functionalities);
  EXPECT_EQ((ReadCounts{.exactly = 2}), coverage.statements);
  EXPECT_TRUE(is_exact(coverage));
}

// The canary: a reader that passes over a file, or over one method of it.
TEST_F(CoverageOfFiles, what_a_reader_passes_over_is_noticed) {
  write("Bank.java", kBank);
  write("Second.java",
        "import java.sql.*;\nclass Second {\n  public void f(Connection c) throws SQLException {\n"
        "    c.createStatement().executeUpdate(\"DELETE FROM t\");\n  }\n}\n");
  Program program = read();
  ASSERT_EQ(3U, program.functionalities.size());
  EXPECT_EQ("", unread(program));
  const std::vector<Functionality> all = program.functionalities;
  program.functionalities.clear();
  EXPECT_EQ("JDBC that no functionality runs: Bank.java:7 Bank.java:15 Second.java:4\n",
            unread(program));
  for (const Functionality& left_out : all) {
    program.functionalities = all;
    std::erase_if(program.functionalities,
                  [&](const Functionality& one) { return one.name == left_out.name; });
    EXPECT_NE("", unread(program)) << left_out.name;
  }
}

TEST_F(CoverageOfFiles, a_routine_that_nobody_reads_is_noticed) {
  write("f.sql",
        "-- first\nCREATE OR REPLACE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS $$\n"
        "BEGIN UPDATE t SET n = a; RETURN 1; END $$;\n/* second */ CREATE PROCEDURE g() LANGUAGE "
        "sql\n"
        "BEGIN ATOMIC DELETE FROM t; UPDATE t SET n = 1; END;\nINSERT INTO t VALUES (1, 1);\n");
  Program program = read();
  ASSERT_EQ(2U, program.functionalities.size());
  EXPECT_EQ("", unread(program));
  program.functionalities.pop_back();
  EXPECT_EQ("routines that are not read: f.sql:4\n", unread(program));
  program.functionalities.clear();
  EXPECT_EQ("routines that are not read: f.sql:2 f.sql:4\n", unread(program));
}

// Of a few classes that may be meant each one is followed.
TEST_F(CoverageOfFiles, code_that_is_called_without_being_followed_counts_as_approximate) {
  write("Store.java",
        "public interface Store { void put(java.sql.Connection c) throws Exception; }\n");
  for (const char* name :
       {"First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth"}) {
    write(std::string(name) + ".java",
          fmt::format("import java.sql.*;\npublic class {} implements Store {{\n"
                      "  public void put(Connection c) throws SQLException {{ write(c); }}\n"
                      "  private void write(Connection c) throws SQLException {{\n"
                      "    c.createStatement().executeUpdate(\"UPDATE t SET n = 1\");\n  }}\n}}\n",
                      name));
  }
  write("User.java",
        "import java.sql.*;\npublic class User {\n  public void use(Connection c, Store store) "
        "throws Exception {\n"
        "    store.put(c);\n  }\n}\n");
  const Program program = read();
  EXPECT_EQ("", unread(program));
  EXPECT_EQ(1U, measure_coverage(program, files()).statements.approximately);
}

TEST_F(CoverageOfFiles, tests_and_dead_methods_are_no_places) {
  write("Bank.java", kBank);
  write("Dead.java",
        "import java.sql.*;\npublic class Dead {\n  private void a(Connection c) throws "
        "SQLException {\n"
        "    c.createStatement().executeUpdate(\"UPDATE t SET n = 1\");\n    b(c);\n  }\n"
        "  private void b(Connection c) throws SQLException {\n"
        "    c.createStatement().executeUpdate(\"UPDATE t SET n = 2\");\n  }\n}\n");
  write("Checks.java",
        "import java.sql.*;\nclass Checks {\n  @Test void f() throws Exception {\n"
        "    connection().createStatement().executeUpdate(\"DELETE FROM t\");\n  }\n}\n");
  write("Setup.java",
        "import java.sql.*;\nclass Setup {\n  public static void main(String[] a) throws Exception "
        "{\n"
        "    connection().createStatement().execute(\"CREATE TABLE u (id int)\");\n  }\n}\n");
  EXPECT_EQ("", unread(read()));
  const Coverage coverage = measure_coverage(read(), files());
  ASSERT_EQ(1U, coverage.remarks.size());
  EXPECT_EQ("2 statements are in private methods that nothing calls", coverage.remarks[0]);
}

TEST_F(CoverageOfFiles, constructors_blocks_and_fields_run_statements_too) {
  write(
      "Late.java",
      "import java.sql.*;\npublic class Late {\n  static int rows = count();\n"
      "  static { run(\"x\"); }\n"
      "  Late(Connection c) throws SQLException {\n"
      "    c.createStatement().executeUpdate(\"UPDATE t SET n = 1\");\n  }\n"
      "  private static int count() throws SQLException {\n"
      "    return connection().createStatement().executeUpdate(\"UPDATE t SET n = 2\");\n  }\n}\n");
  EXPECT_EQ("JDBC that no functionality runs: Late.java:6 Late.java:9\n", unread(read()));
}

TEST_F(CoverageOfFiles, texts_that_something_unknown_executes) {
  write("Queries.java",
        "public interface Queries {\n  String ALL = \"SELECT n FROM t\";\n"
        "  String OTHER = \"SELECT id FROM other\";\n}\n");
  write("Bank.java", kBank);
  EXPECT_EQ("SQL in Java that nothing known executes: Queries.java:3\n", unread(read()));
}

TEST_F(CoverageOfFiles, what_builds_and_links_bring_in_is_none) {
  write("Bank.java", kBank);
  write("node_modules/pg/a.js", "const { Pool } = require('pg');\npool.query('SELECT 1');\n");
  write("target/generated/a.py", "import sqlalchemy\n");
  std::filesystem::create_directory_symlink(folder(), folder() + "/again");
  EXPECT_EQ("", unread(read()));
  write("web/a.js", "const { Pool } = require('pg');\npool.query('SELECT 1');\n");
  EXPECT_EQ("drivers of JavaScript: web/a.js:2\n", unread(read()));
  write("web/big.py", "import sqlalchemy\n" + std::string(std::size_t{17} << 20, '#'));
  EXPECT_EQ(
      "drivers of JavaScript: web/a.js:2\nfiles that are too large to be looked at: web/big.py:0\n",
      unread(read()));
}

}  // namespace
}  // namespace heddle::marks
