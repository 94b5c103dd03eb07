// Changes of where transactions begin and end, on programs of a few statements.
#include "find/repair/boundary_changes.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/search/find_testing.h"
#include "heddle/program.h"

namespace heddle::find {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kTables =
    "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
    "CREATE TABLE note (id int PRIMARY KEY, text text);\n";

Functionality procedure(const std::string& body) {
  Program program = parse(std::string(kTables) + routine("f(a int, b int)", body));
  EXPECT_EQ(program.functionalities.size(), 1U);
  return program.functionalities.front();
}

std::vector<std::string> boundary_sentences(const Functionality& functionality) {
  std::vector<std::string> said;
  for (const ProgramChange& change : possible_boundary_changes(functionality, 0)) {
    said.push_back(change.sentence);
  }
  return said;
}

// First words of its statements, with those of its last change's origins.
struct Changed {
  std::vector<std::string> words;
  std::vector<std::size_t> origins;
};

Changed change(Functionality functionality, const std::vector<ProgramChange>& changes) {
  Changed changed;
  changed.origins = apply_boundary_changes(functionality, changes);
  for (const ListedStatement& listed : list_statements(functionality)) {
    const std::string& text = listed.statement->statement.text;
    changed.words.push_back(text.substr(0, text.find(' ')));
  }
  return changed;
}

ProgramChange of_kind(const Functionality& functionality, RepairKind kind, std::size_t nth = 0) {
  for (const ProgramChange& change : possible_boundary_changes(functionality, 0)) {
    if (change.kind == kind && nth-- == 0) return change;
  }
  ADD_FAILURE() << "no such change";
  return {};
}

const std::string kTwice =
    "BEGIN\nPERFORM balance FROM account WHERE id = a FOR UPDATE;\nDELETE FROM note;\nCOMMIT;\n"
    "UPDATE account SET balance = 1 WHERE id = a;\nINSERT INTO note VALUES (b, 'x');\nCOMMIT;\nEND";

TEST(BoundaryChanges, are_of_commits_that_something_follows) {
  EXPECT_THAT(
      boundary_sentences(procedure(kTwice)),
      ElementsAre("take out the COMMIT at p.sql:7 (f)",
                  "move the UPDATE at p.sql:8 before the COMMIT at p.sql:7 (f)",
                  "move the DELETE at p.sql:6 behind the COMMIT at p.sql:7 (f)",
                  "lock again, behind the COMMIT at p.sql:7 (f), what the SELECT at p.sql:5 "
                  "locked"));
}

TEST(BoundaryChanges, all_commits_may_go_at_once) {
  const Functionality f = procedure(
      "BEGIN\nDELETE FROM note;\nCOMMIT;\nDELETE FROM account;\nCOMMIT;\nDELETE FROM note;\nEND");
  EXPECT_THAT(
      boundary_sentences(f),
      ElementsAre("run all of f in one transaction: commit at its end alone",
                  "take out the COMMIT at p.sql:6 (f)", "take out the COMMIT at p.sql:8 (f)"));
  const Changed changed = change(f, {possible_boundary_changes(f, 0).front()});
  EXPECT_THAT(changed.words, ElementsAre("DELETE", "DELETE", "DELETE"));
  EXPECT_THAT(changed.origins, ElementsAre(0, 2, 4));
}

TEST(BoundaryChanges, statements_keep_their_order) {
  const Functionality f = procedure(kTwice);
  const Changed before = change(f, {of_kind(f, RepairKind::move_statement, 0)});
  EXPECT_THAT(before.words,
              ElementsAre("SELECT", "DELETE", "UPDATE", "COMMIT", "INSERT", "COMMIT"));
  EXPECT_THAT(before.origins, ElementsAre(0, 1, 3, 2, 4, 5));
  const Changed behind = change(f, {of_kind(f, RepairKind::move_statement, 1)});
  EXPECT_THAT(behind.words,
              ElementsAre("SELECT", "COMMIT", "DELETE", "UPDATE", "INSERT", "COMMIT"));
  EXPECT_THAT(behind.origins, ElementsAre(0, 2, 1, 3, 4, 5));
  // Both want the two statements in one transaction.
  const Changed both = change(
      f, {of_kind(f, RepairKind::move_statement, 0), of_kind(f, RepairKind::move_statement, 1)});
  EXPECT_THAT(both.words, ElementsAre("SELECT", "DELETE", "UPDATE", "INSERT", "COMMIT"));
}

TEST(BoundaryChanges, a_lock_is_taken_again_in_front_of_the_next_statement) {
  const Functionality f = procedure(kTwice);
  const Changed again = change(f, {of_kind(f, RepairKind::lock_again)});
  EXPECT_THAT(again.words,
              ElementsAre("SELECT", "DELETE", "COMMIT", "SELECT", "UPDATE", "INSERT", "COMMIT"));
  EXPECT_THAT(again.origins, ElementsAre(0, 1, 2, kAdded, 3, 4, 5));
  // Behind what has been moved in front of the COMMIT.
  const Changed moved =
      change(f, {of_kind(f, RepairKind::move_statement, 0), of_kind(f, RepairKind::lock_again)});
  EXPECT_THAT(moved.words,
              ElementsAre("SELECT", "DELETE", "UPDATE", "COMMIT", "SELECT", "INSERT", "COMMIT"));
  EXPECT_THAT(moved.origins, ElementsAre(0, 1, 3, 2, kAdded, 4, 5));
}

// Another row would be locked.
TEST(BoundaryChanges, no_lock_is_taken_again_by_a_variable_that_changes) {
  const Functionality f = procedure(
      "DECLARE x int := a;\nBEGIN\nPERFORM balance FROM account WHERE id = x FOR UPDATE;\n"
      "x := b;\nCOMMIT;\nDELETE FROM note;\nEND");
  EXPECT_THAT(boundary_sentences(f), ElementsAre("take out the COMMIT at p.sql:8 (f)"));
}

// Taking out what ends the code changes nothing.
TEST(BoundaryChanges, a_commit_before_the_end_is_none) {
  EXPECT_THAT(boundary_sentences(
                  procedure("BEGIN\nDELETE FROM note;\nIF a > b THEN COMMIT; RETURN; END IF;\n"
                            "DELETE FROM account;\nCOMMIT;\nEND")),
              IsEmpty());
}

TEST(BoundaryChanges, a_round_of_a_loop_follows_the_one_before) {
  EXPECT_THAT(
      boundary_sentences(procedure("BEGIN\nFOR i IN 1..3 LOOP\nDELETE FROM note WHERE id = i;\n"
                                   "COMMIT;\nEND LOOP;\nEND")),
      ElementsAre("take out the COMMIT at p.sql:7 (f)"));
}

}  // namespace
}  // namespace heddle::find
