// Parts of a functionality, put together: in their order, each a transaction, with what they share.
#include "frontend/chopped/join_parts.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kParts = R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION take(who int, amount int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT balance INTO v FROM account WHERE id = who;
  IF v < amount THEN RETURN 0; END IF;
  UPDATE account SET balance = v - amount WHERE id = who;
  RETURN v;
END $$;
CREATE PROCEDURE give(to_whom int, amount int) LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT balance INTO v FROM account WHERE id = to_whom;
  UPDATE account SET balance = v + amount WHERE id = to_whom;
END $$;)";

TEST(JoinParts, share_parameters_and_end_transactions) {
  const Result<Program> program = parse_program({{"p.sql", kParts}});
  ASSERT_TRUE(program) << to_string(program.error());
  Program joined{.schema = program->schema, .functionalities = {}, .notes = {}};
  joined.functionalities.push_back(
      join_parts("transfer", program->functionalities, program->schema));
  std::vector<std::string> parameters;
  for (const Variable& one : joined.functionalities[0].parameters) parameters.push_back(one.name);
  EXPECT_THAT(parameters, ElementsAre("who", "amount", "to_whom"));
  std::vector<StatementKind> kinds;
  for (const ListedStatement& listed : list_statements(joined.functionalities[0])) {
    kinds.push_back(listed.statement->statement.kind);
    EXPECT_FALSE(listed.statement->source.file.empty());
  }
  EXPECT_THAT(kinds,
              ElementsAre(StatementKind::select, StatementKind::update, StatementKind::commit,
                          StatementKind::select, StatementKind::update));
  const std::string text = print_program(joined);
  EXPECT_THAT(text, HasSubstr("transfer(who"));
  const Result<Program> again = parse_program({{"p.sql", text}});
  ASSERT_TRUE(again) << to_string(again.error()) << text;
  EXPECT_EQ(print_program(*again), text);
}

TEST(JoinParts, one_part_is_the_whole) {
  const Result<Program> program = parse_program({{"p.sql", kParts}});
  ASSERT_TRUE(program) << to_string(program.error());
  const Functionality only = join_parts("all", {program->functionalities[1]}, program->schema);
  EXPECT_EQ(only.name, "all");
  EXPECT_FALSE(only.states_boundaries);
}

}  // namespace
}  // namespace heddle
