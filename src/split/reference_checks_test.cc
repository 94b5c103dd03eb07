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

std::string drafts(const std::string& action = "") {
  return people(action) +
         "CREATE TABLE draft (id int PRIMARY KEY, person int NOT NULL, owner int NOT NULL);\n";
}
const std::string kDrafts = R"({"M1": ["person"], "M2": ["note", "draft"]})";

TEST(ReferenceChecks, ask_about_each_row_that_a_query_makes) {
  const auto asked = [](const std::string& query) {
    return statements_of(drafts() + routine("add(k int)", "BEGIN\n" + query + ";\nEND") + kForget,
                         kDrafts);
  };
  const std::string insert = "INSERT INTO note (id, person) ";
  const std::string each = "SELECT id, person FROM draft WHERE owner = k";
  const std::string check = "SELECT 1 FROM person WHERE id = made_person";
  EXPECT_THAT(asked(insert + each), ElementsAre(each, check, insert + each));
  const std::string all = "SELECT id, person FROM draft UNION SELECT owner, person FROM draft";
  EXPECT_THAT(asked("INSERT INTO note " + all + " ON CONFLICT DO NOTHING"),
              ElementsAre(all, check, "INSERT INTO note " + all + " ON CONFLICT DO NOTHING"));
  const std::string inner = "VALUES (k, (SELECT person FROM draft WHERE id = k))";
  EXPECT_THAT(asked(insert + inner),
              ElementsAre("SELECT (SELECT person FROM draft WHERE id = k)", check, insert + inner));
}

TEST(ReferenceChecks, ask_about_each_row_that_gets_the_value_of_a_query) {
  const std::string move =
      "UPDATE note AS n SET person = d.person FROM draft d WHERE d.id = n.id AND n.id = k";
  EXPECT_THAT(
      statements_of(drafts() + routine("move(k int)", "BEGIN\n" + move + ";\nEND") + kForget,
                    kDrafts),
      ElementsAre("SELECT d.person FROM note AS n, draft d WHERE d.id = n.id AND n.id = k",
                  "SELECT 1 FROM person WHERE id = becomes_person", move));
}

TEST(ReferenceChecks, ask_about_what_is_deleted_with_other_tables) {
  const std::string forget = "DELETE FROM person USING extra e WHERE e.id = person.id AND e.k = n";
  const std::string extra = "CREATE TABLE extra (id int PRIMARY KEY, k int NOT NULL);\n";
  EXPECT_THAT(
      statements_of(
          people("") + extra + routine("forget(n int)", "BEGIN\n" + forget + ";\nEND") + kAdd,
          R"({"M1": ["person", "extra"], "M2": ["note"]})"),
      ElementsAre("SELECT person.id FROM person, extra e WHERE e.id = person.id AND e.k = n",
                  "SELECT 1 FROM note WHERE person = deleted_id LIMIT 1", forget));
  // In another service: the caller goes through its rows, and asks about each that it names.
  EXPECT_THAT(statements_of(people("") + extra +
                                routine("forget(n int)", "BEGIN\n" + forget + ";\nEND") + kAdd,
                            R"({"M1": ["person"], "M2": ["note", "extra"]})"),
              testing::Contains("SELECT 1 FROM note WHERE person = extra_row.id LIMIT 1"));
}

TEST(ReferenceChecks, ask_who_refers_to_what_gets_another_key) {
  const std::string renumber =
      routine("renumber(p int, q int)", "BEGIN\nUPDATE person SET id = q WHERE id = p;\nEND");
  const std::string update = "UPDATE person SET id = q WHERE id = p";
  EXPECT_THAT(statements_of(people("") + renumber + kAdd, kApart),
              ElementsAre("SELECT 1 FROM note WHERE person = p LIMIT 1", update));
  EXPECT_THAT(statements_of(people(" ON UPDATE CASCADE") + renumber + kAdd, kApart),
              ElementsAre("UPDATE note SET person = q WHERE person = p", update));
  const std::string all =
      routine("renumber(n text)", "BEGIN\nUPDATE person SET id = id + 100 WHERE name = n;\nEND");
  EXPECT_THAT(statements_of(people("") + all + kAdd, kApart),
              ElementsAre("SELECT person.id, (id + 100) FROM person WHERE name = n",
                          "SELECT 1 FROM note WHERE person = changed_id LIMIT 1",
                          "UPDATE person SET id = id + 100 WHERE name = n"));
  const std::string rename =
      routine("rename(p int, n text)", "BEGIN\nUPDATE person SET name = n WHERE id = p;\nEND");
  EXPECT_THAT(statements_of(people("") + rename + kForget + kAdd, kApart), testing::SizeIs(1));
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
