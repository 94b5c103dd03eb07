// split_statements: the text on the left, its pieces on the right, separated by " | ".
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "frontend/sql/statement_rendering.h"

namespace heddle::sql {
namespace {

std::string render_pieces(std::string_view sql) {
  std::vector<std::string> pieces;
  for (const StatementText& piece : split_statements(sql)) pieces.push_back(piece.text);
  return join(pieces, " | ");
}

constexpr StatementCase kTexts[] = {
    {"", ""},
    {" ;; ; ", ""},
    {"-- only a comment", ""},
    {"SELECT 1", "SELECT 1"},
    {"SELECT 1; SELECT 2;", "SELECT 1 | SELECT 2"},
    {"  SELECT 1  ;\n\n SELECT 2 -- end\n", "SELECT 1 | SELECT 2"},
    {"SELECT ';' ; SELECT 'it''s; x'", "SELECT ';' | SELECT 'it''s; x'"},
    {R"(SELECT E'\';' ; SELECT 2)", R"(SELECT E'\';' | SELECT 2)"},
    {R"(SELECT '\' ; SELECT 2)", R"(SELECT '\' | SELECT 2)"},
    {R"(SELECT "a;b" ; SELECT U&"c;d")", R"(SELECT "a;b" | SELECT U&"c;d")"},
    {"SELECT $$a;b$$; SELECT $x$ $y$ ; $$ ; $x$", "SELECT $$a;b$$ | SELECT $x$ $y$ ; $$ ; $x$"},
    {"SELECT $1; SELECT $2", "SELECT $1 | SELECT $2"},
    {"SELECT a$b$c; SELECT d$b$", "SELECT a$b$c | SELECT d$b$"},
    {"SELECT /* ; /* ; */ ; */ 1; SELECT 2", "SELECT /* ; /* ; */ ; */ 1 | SELECT 2"},
    {"SELECT 1 -- ; no\n, 2; SELECT 3", "SELECT 1 -- ; no\n, 2 | SELECT 3"},
    {"CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2); SELECT 3",
     "CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2) | SELECT 3"},
    {"BEGIN; SELECT 1; END", "BEGIN | SELECT 1 | END"},
    {"CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END; SELECT 3",
     "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END | SELECT 3"},
    {"CREATE OR REPLACE PROCEDURE p() BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; SELECT 2; END; B",
     "CREATE OR REPLACE PROCEDURE p() BEGIN ATOMIC SELECT CASE WHEN a THEN 1 END; SELECT 2; END | "
     "B"},
    {"CREATE FUNCTION f() RETURNS int AS 'BEGIN; END' LANGUAGE sql; SELECT 1",
     "CREATE FUNCTION f() RETURNS int AS 'BEGIN; END' LANGUAGE sql | SELECT 1"},
    {"CREATE TABLE t (begin int); SELECT 1", "CREATE TABLE t (begin int) | SELECT 1"},
    {"SELECT 'open ; SELECT 2", "SELECT 'open ; SELECT 2"},
    {"SELECT $$ open ; SELECT 2", "SELECT $$ open ; SELECT 2"},
    {"SELECT (1; SELECT 2", "SELECT (1; SELECT 2"},
    {"SELECT 1); SELECT 2", "SELECT 1) | SELECT 2"},
    {"SELECT 'é'; SELECT 'ü'", "SELECT 'é' | SELECT 'ü'"},
};

TEST(Split, Pieces) {
  for (const StatementCase& one : kTexts) {
    EXPECT_EQ(render_pieces(one.sql), one.expected) << one.sql;
  }
}

TEST(Split, OffsetsCountBytes) {
  std::vector<StatementText> pieces = split_statements("SELECT 'é';\n  SELECT 2");
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].offset, 0U);
  EXPECT_EQ(pieces[1].offset, 15U);
}

// On valid text the splitter finds what the parser finds.
TEST(Split, AgreesWithTheParser) {
  constexpr std::string_view kStatements[] = {
      "SELECT ';'",
      "SELECT $$;$$ -- ;\n",
      "/* ; */ UPDATE t SET \"a;\" = E'\\';'",
      "CREATE RULE r AS ON INSERT TO t DO ALSO (SELECT 1; SELECT 2)",
      "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT 2; END",
      "BEGIN",
      "SELECT CASE WHEN true THEN 1 END",
  };
  std::string all;
  for (std::string_view one : kStatements) {
    for (std::string_view other : kStatements) {
      all = std::string(one) + ";" + std::string(other);
      Result<std::vector<Statement>> parsed = parse_statements(all, Dialect::postgres);
      ASSERT_TRUE(parsed) << all << ": " << parsed.error().what;
      std::vector<StatementText> pieces = split_statements(all);
      ASSERT_EQ(parsed->size(), pieces.size()) << all;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        EXPECT_EQ((*parsed)[i].text, pieces[i].text) << all;
      }
    }
  }
}

}  // namespace
}  // namespace heddle::sql
