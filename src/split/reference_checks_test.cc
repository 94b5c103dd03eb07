// What callers ask in place of foreign keys between services: before rows are made, and before rows
// are deleted that others refer to.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "split/split_testing.h"

namespace heddle {
namespace {

using split_testing::cut_of;
using split_testing::parse;
using split_testing::routine;
using testing::ElementsAre;
using testing::IsEmpty;

std::string people(const std::string& action) {
  return "CREATE TABLE person (id int PRIMARY KEY, name text NOT NULL);\n"
         "CREATE TABLE note (id int PRIMARY KEY, person int NOT NULL REFERENCES person (id)" +
         action + ");\n";
}

const std::string kApart = R"({"M1": ["person"], "M2": ["note"]})";
const std::string kTogether = R"({"M": ["person", "note"]})";

// The statements on tables of the first functionality, as the services run it.
std::vector<std::string> statements_of(const std::string& text, const std::string& services) {
  const Program program = parse(text);
  const Result<Cut> cut = match_cut(cut_of(services), program.schema);
  EXPECT_TRUE(cut);
  const Result<ChoppedProgram> chopped = chop_program(program, *cut);
  EXPECT_TRUE(chopped);
  std::vector<std::string> texts;
  for (const ListedStatement& listed : list_statements(chopped->program.functionalities[0])) {
    if (listed.statement->statement.tables.empty()) continue;
    texts.push_back(named_text(listed.statement->statement.text, listed.statement->arguments));
  }
  EXPECT_EQ(chopped->origins[0].size(),
            list_statements(chopped->program.functionalities[0]).size());
  return texts;
}

const std::string kForget =
    routine("forget(n text)", "BEGIN\nDELETE FROM person WHERE name = n;\nEND");
const std::string kAdd =
    routine("add(p int, k int)", "BEGIN\nINSERT INTO note (id, person) VALUES (k, p);\nEND");

TEST(ReferenceChecks, go_through_the_rows_that_are_deleted) {
  EXPECT_THAT(statements_of(people("") + kForget + kAdd, kApart),
              ElementsAre("SELECT id FROM person WHERE (name = n)",
                          "SELECT 1 FROM note WHERE person = deleted_id LIMIT 1",
                          "DELETE FROM person WHERE name = n"));
  EXPECT_THAT(statements_of(people(" ON DELETE CASCADE") + kForget + kAdd, kApart),
              ElementsAre("SELECT id FROM person WHERE (name = n)",
                          "DELETE FROM note WHERE person = deleted_id",
                          "DELETE FROM person WHERE name = n"));
  EXPECT_THAT(statements_of(people("") + kForget + kAdd, kTogether),
              ElementsAre("DELETE FROM person WHERE name = n"));
}

TEST(ReferenceChecks, ask_about_each_row_that_is_made) {
  const std::string both =
      routine("add_two(p int, q int, k int)",
              "BEGIN\nINSERT INTO note (id, person) VALUES (k, p), (k + 1, q);\nEND");
  EXPECT_THAT(statements_of(people("") + both + kForget, kApart),
              ElementsAre("SELECT 1 FROM person WHERE id = p", "SELECT 1 FROM person WHERE id = q",
                          "INSERT INTO note (id, person) VALUES (k, p), (k + 1, q)"));
}

// Nobody knows which rows a predicate takes that is not read exactly.
TEST(ReferenceChecks, ask_nothing_about_rows_that_are_not_known) {
  EXPECT_THAT(statements_of(people("") +
                                routine("forget(n text)",
                                        "BEGIN\nDELETE FROM person WHERE name = odd(n);\n"
                                        "END") +
                                kAdd,
                            kApart),
              testing::Contains(testing::StartsWith("DELETE FROM person")));
}

// A note of somebody who is gone.
TEST(ReferenceChecks, orphans_of_what_is_deleted_by_name_are_found) {
  const Program program = parse(people("") + kForget + kAdd);
  const Result<SplitReport> apart = split_program(program, cut_of(kApart), {});
  ASSERT_TRUE(apart) << to_string(apart.error());
  EXPECT_TRUE(std::ranges::any_of(
      apart->causes, [](const SplitCause& cause) { return cause.tables.size() == 2; }));
  const Result<SplitReport> whole = split_program(program, cut_of(kTogether), {});
  ASSERT_TRUE(whole);
  EXPECT_THAT(whole->causes, IsEmpty());
}

}  // namespace
}  // namespace heddle
