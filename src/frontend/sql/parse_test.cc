// Texts, positions, errors and bounds of parse_statements.
#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "frontend/sql/statement_rendering.h"

namespace heddle::sql {
namespace {

// line:column "text" of each statement, or the error.
std::string render_places(std::string_view sql, Dialect dialect) {
  Result<std::vector<Statement>> statements = parse_statements(sql, dialect);
  if (!statements) return render_sql(sql, dialect);
  std::string text;
  for (const Statement& statement : *statements) {
    text += std::to_string(statement.position.line) + ":" +
            std::to_string(statement.position.column) + " " + statement.text + "\n";
  }
  return text;
}

std::string repeat(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string trouble(const std::string& sql, Dialect dialect = Dialect::postgres) {
  Result<std::vector<Statement>> statements = parse_statements(sql, dialect);
  if (statements) return "none";
  return (statements.error().trouble == Trouble::bound ? "bound: " : "") + statements.error().what;
}

constexpr StatementCase kPlaces[] = {
    {"", ""},
    {" ; ;", ""},
    {"SELECT 1", "1:1 SELECT 1\n"},
    {"  SELECT 1 ;\n-- c\n\tBEGIN;COMMIT", "1:3 SELECT 1\n3:2 BEGIN\n3:8 COMMIT\n"},
    {"SELECT 'é', 'ü'; /* x */ SELECT 2", "1:1 SELECT 'é', 'ü'\n1:28 SELECT 2\n"},
    {"SELECT\n  a -- c\n FROM t;", "1:1 SELECT\n  a -- c\n FROM t\n"},
    {"CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT 2; END; BEGIN",
     "1:1 CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT 2; END\n"
     "1:84 BEGIN\n"},
    {"SELECT 1;\nSELECT 'é' FROM x y z", "2:22: syntax error at or near \"z\"\n"},
    {"SELECT 'open", "1:8: unterminated quoted string at or near \"'open\"\n"},
    {"SELECT (1", "1:10: syntax error at end of input\n"},
};

TEST(Parse, PlacesInPostgres) {
  for (const StatementCase& one : kPlaces) {
    EXPECT_EQ(render_places(one.sql, Dialect::postgres), one.expected) << one.sql;
  }
}

constexpr StatementCase kMysqlPlaces[] = {
    {"SELECT `a` # c\n; -- d\n  SELECT \"é\";SELECT 3",
     "1:1 SELECT `a`\n3:3 SELECT \"é\"\n3:15 SELECT 3\n"},
    {"DELIMITER //\nSELECT 1; SELECT 2 //\nDELIMITER ;\nSELECT 3;", "2:1: not one statement\n"},
    {"DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END //\nDELIMITER ;\nSELECT 3;",
     "2:1 CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END\n4:1 SELECT 3\n"},
    {"CREATE PROCEDURE p() BEGIN IF a THEN SELECT 1; END IF; CASE b WHEN 1 THEN SELECT 2; END "
     "CASE; "
     "END; SELECT 3",
     "1:1 CREATE PROCEDURE p() BEGIN IF a THEN SELECT 1; END IF; CASE b WHEN 1 THEN SELECT 2; END "
     "CASE; END\n1:100 SELECT 3\n"},
    {"SELECT a\nFROM `t` LIMIT 1, 2 oops", "2:21: syntax error at or near \"oops\"\n"},
};

TEST(Parse, PlacesInMysql) {
  for (const StatementCase& one : kMysqlPlaces) {
    EXPECT_EQ(render_places(one.sql, Dialect::mysql), one.expected) << one.sql;
  }
}

TEST(Parse, RefusesNulBytes) {
  EXPECT_EQ(trouble(std::string("SELECT 1\0", 9)), "the text contains a NUL byte");
}

TEST(Parse, ReadsTextThatIsNotUtf8) {
  EXPECT_EQ(render_sql("SELECT '\xff' FROM t", Dialect::postgres),
            "select returns row-by-row\n  table t reads()\n  out '\xff'\n");
}

// What would overflow the stack is refused; what is only long is not.
TEST(Parse, BoundsNesting) {
  const std::string deep =
      "bound: the statement is nested too deeply, or one expression is too long";
  EXPECT_EQ(trouble("SELECT " + repeat("(", 5000) + "1" + repeat(")", 5000)), deep);
  EXPECT_EQ(trouble("SELECT 1" + repeat("+1", 100000)), deep);
  EXPECT_EQ(trouble("SELECT 1" + repeat("::int", 100000)), deep);
  EXPECT_EQ(trouble("SELECT 1, 2" + repeat(" UNION SELECT 1, 2", 100000)), deep);
  EXPECT_EQ(trouble("SELECT 1 FROM a" + repeat(" JOIN a ON true", 100000)), deep);
  EXPECT_EQ(trouble("SELECT 1" + repeat("+1", 100000), Dialect::mysql), deep);
  const std::string nested = "bound: queries or joins are nested too deeply";
  EXPECT_EQ(trouble("SELECT 1 FROM a" + repeat(" JOIN a ON true", 1000)), nested);
  EXPECT_EQ(trouble(repeat("SELECT (", 300) + "1" + repeat(")", 300)), nested);
}

TEST(Parse, AcceptsLongStatements) {
  EXPECT_EQ(trouble("INSERT INTO t VALUES (1, 2)" + repeat(", (1, 2)", 20000)), "none");
  EXPECT_EQ(trouble("SELECT a FROM t WHERE b IN (1" + repeat(", 1", 50000) + ")"), "none");
  EXPECT_EQ(trouble("SELECT a FROM t WHERE b = 1" + repeat(" OR b = 1", 3000)), "none");
  EXPECT_EQ(trouble("SELECT 1" + repeat(" UNION ALL SELECT 1", 1500)), "none");
  EXPECT_EQ(trouble("SELECT 1" + repeat("+1", 5000)), "none");
  EXPECT_EQ(trouble(repeat("SELECT 1;", 5000)), "none");
}

TEST(Parse, SaysWhatToDo) {
  Result<std::vector<Statement>> statements = parse_statements("SELEC 1", Dialect::postgres);
  ASSERT_FALSE(statements);
  EXPECT_EQ(statements.error().what, "syntax error at or near \"SELEC\"");
  EXPECT_EQ(statements.error().what_to_do, "check the statement's syntax");
  EXPECT_EQ(statements.error().trouble, Trouble::bad_input);
}

}  // namespace
}  // namespace heddle::sql
