#include "frontend/java/sql_text.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/program.h"
#include "heddle/statement.h"

namespace heddle::java {
namespace {

constexpr const char* kNotes = "CREATE TABLE note (id int PRIMARY KEY, body text, n int NOT NULL);";

Schema schema_of(Dialect dialect) {
  auto program = parse_program({{.file = "schema.sql", .text = kNotes}}, {.dialect = dialect});
  return program ? std::move(program->schema) : Schema{};
}

// The statement in PostgreSQL's dialect, with these values in place of its question marks.
std::string read(const std::string& text, const std::vector<std::string>& constants,
                 Dialect dialect) {
  const Schema schema = schema_of(dialect);
  const SqlText sql({Piece{.words = text, .value = {}, .is_string = false, .choice = nullptr}},
                    schema);
  std::vector<Expression> values;
  for (const std::string& constant : constants) {
    values.push_back({.kind = ExpressionKind::literal, .text = constant, .operands = {}});
  }
  if (sql.places().size() != values.size()) {
    return std::to_string(sql.places().size()) + " question marks";
  }
  const auto finished = sql.finish(values, false);
  return finished ? finished->statement.text : to_string(finished.error());
}

TEST(SqlText, question_marks_in_quotes_and_comments_are_no_parameters) {
  for (const Dialect dialect : {Dialect::postgres, Dialect::mysql}) {
    EXPECT_EQ(read("UPDATE note SET body = 'why?' -- what's this?\nWHERE id = ?", {"7"}, dialect),
              "UPDATE note SET body = 'why?' WHERE id = 7");
    EXPECT_EQ(read("UPDATE note /* isn't it? */ SET n = ? WHERE id = ?", {"1", "2"}, dialect),
              "UPDATE note SET n = 1 WHERE id = 2");
  }
  EXPECT_EQ(read("UPDATE note /* a /* b' */ ?' */ SET n = ?", {"1"}, Dialect::postgres),
            "UPDATE note SET n = 1");
  EXPECT_EQ(read("UPDATE note SET n = ? # it's ?", {"1"}, Dialect::mysql), "UPDATE note SET n = 1");
  EXPECT_EQ(read("UPDATE note SET n = n--? WHERE id = ?", {"1", "2"}, Dialect::mysql),
            "UPDATE note SET n = n - -1 WHERE id = 2");
}

TEST(SqlText, a_backslash_escapes_a_quote_where_the_dialect_says_so) {
  EXPECT_EQ(read(R"(UPDATE note SET body = 'it\'s "?"' WHERE id = ?)", {"7"}, Dialect::mysql),
            R"(UPDATE note SET body = 'it''s "?"' WHERE id = 7)");
  EXPECT_EQ(read(R"(UPDATE note SET body = 'C:\' WHERE id = ?)", {"7"}, Dialect::postgres),
            R"(UPDATE note SET body = 'C:\' WHERE id = 7)");
  EXPECT_EQ(read(R"(UPDATE note SET body = E'it\'s' WHERE id = ?)", {"7"}, Dialect::postgres),
            R"(UPDATE note SET body = E'it\'s' WHERE id = 7)");
}

TEST(SqlText, a_constant_keeps_its_backslashes) {
  const auto with_text = [](Dialect dialect) {
    return read("UPDATE note SET body = ? WHERE id = ?", {R"('a\b''c')", "7"}, dialect);
  };
  EXPECT_EQ(with_text(Dialect::postgres), R"(UPDATE note SET body = 'a\b''c' WHERE id = 7)");
  EXPECT_EQ(with_text(Dialect::mysql), R"(UPDATE note SET body = E'a\\b''c' WHERE id = 7)");
}

}  // namespace
}  // namespace heddle::java
