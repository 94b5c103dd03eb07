// Orders with fewer changes of service, and what must not change its place.
#include "split/reorder.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/split.h"

namespace heddle::chopping {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The new order of the body's statements; empty: as it is.
std::vector<std::size_t> order_of(const std::string& body, const std::string& key = "") {
  const std::string sql =
      "CREATE TABLE a (id int PRIMARY KEY, x int);\n"
      "CREATE TABLE b (id int PRIMARY KEY, x int" +
      key +
      ");\nCREATE TABLE c (id int PRIMARY KEY, x int);\n"
      "CREATE PROCEDURE f(p int) LANGUAGE plpgsql AS $$ DECLARE v int; w int; BEGIN\n" +
      body + "\nEND $$;\n";
  const Result<Program> program = parse_program({{"p.sql", sql}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  const Result<Cut> cut =
      match_cut(*parse_cut(R"({"A": ["a"], "B": ["b"], "C": ["c"]})", "cut.json"), program->schema);
  const auto reordered = reorder_statements(program->functionalities[0], program->schema,
                                            TableServices(*cut, program->schema));
  return reordered ? reordered->order : std::vector<std::size_t>{};
}

constexpr const char* kSetA = "UPDATE a SET x = 1 WHERE id = p; ";
constexpr const char* kSetB = "UPDATE b SET x = 1 WHERE id = p; ";
constexpr const char* kReadA = "SELECT x INTO v FROM a WHERE id = p; ";
constexpr const char* kReadB = "SELECT x INTO w FROM b WHERE id = p; ";

TEST(Reorder, brings_together_what_is_of_one_service) {
  EXPECT_THAT(order_of(fmt::format("{}{}DELETE FROM a;", kReadA, kReadB)), ElementsAre(0, 2, 1));
  EXPECT_THAT(order_of(fmt::format("{}{}{}{}", kReadA, kReadB, kSetA, kSetB)),
              ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(order_of(fmt::format("{}{}{}", kReadA, kSetA, kSetB)), IsEmpty());
}

TEST(Reorder, keeps_what_needs_another_behind_it) {
  // The read of b needs what was read of a, and the write of a what was read of b.
  const std::string read_b = "SELECT x INTO w FROM b WHERE id = v; ";
  EXPECT_THAT(order_of(kReadA + read_b + "UPDATE a SET x = w WHERE id = p;"), IsEmpty());
  EXPECT_THAT(
      order_of(kReadA + read_b + "FOR i IN 1..w LOOP DELETE FROM a WHERE id = i; END LOOP;"),
      IsEmpty());
  // Behind the check that may end it.
  EXPECT_THAT(order_of(fmt::format("{}{}IF v > 1 THEN RAISE EXCEPTION 'no'; END IF; {}", kReadA,
                                   kReadB, kSetA)),
              IsEmpty());
}

TEST(Reorder, the_fewest_changes_begin_where_they_must) {
  // b first, though a comes first in the text: a, b, a would be one change more.
  EXPECT_THAT(order_of("DELETE FROM a WHERE id = 1; SELECT x INTO w FROM b WHERE id = p; "
                       "UPDATE a SET x = w WHERE id = p;"),
              ElementsAre(1, 0, 2));
  EXPECT_THAT(order_of("SELECT x INTO v FROM c WHERE id = 1; SELECT x INTO w FROM b WHERE id = p; "
                       "UPDATE c SET x = 2 WHERE id = 2; UPDATE a SET x = v WHERE id = w;"
                       "UPDATE b SET x = 0 WHERE id = 3;"),
              ElementsAre(0, 2, 1, 4, 3));
}

TEST(Reorder, keys_of_other_tables_keep_their_order) {
  const std::string body =
      "INSERT INTO a VALUES (p, 1); INSERT INTO b VALUES (p, p); DELETE FROM a WHERE id = 9;";
  EXPECT_THAT(order_of(body), ElementsAre(0, 2, 1));
  EXPECT_THAT(order_of(body, " REFERENCES a"), IsEmpty());
}

TEST(Reorder, goes_into_branches_and_loops) {
  EXPECT_THAT(
      order_of(fmt::format("IF p > 0 THEN {}{}{}END IF; DELETE FROM c;", kReadA, kReadB, kSetA)),
      ElementsAre(0, 2, 1, 3));
}

TEST(Reorder, what_was_found_belongs_to_the_statement_before) {
  EXPECT_THAT(order_of(fmt::format("{}{}IF found THEN {} END IF;", kReadA, kReadB, kSetA)),
              IsEmpty());
}

TEST(Reorder, is_proposed_where_sub_transactions_are_saved) {
  const std::string sql =
      "CREATE TABLE a (id int PRIMARY KEY);\nCREATE TABLE b (id int PRIMARY KEY);\n"
      "CREATE PROCEDURE f(p int) LANGUAGE plpgsql AS $$ BEGIN\n"
      "DELETE FROM a WHERE id = p; DELETE FROM b WHERE id = p; DELETE FROM a WHERE id = 0;\n"
      "END $$;\n";
  const Result<Program> program = parse_program({{"p.sql", sql}});
  ASSERT_TRUE(program);
  const Result<SplitReport> report = split_program(
      *program, *parse_cut(R"({"A": ["a"], "B": ["b"]})", "cut.json"), SplitOptions{});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->orders.size(), 1U);
  EXPECT_THAT(report->orders[0].statements, ElementsAre(0, 2, 1));
  EXPECT_EQ(report->orders[0].before, 3U);
  EXPECT_EQ(report->orders[0].after, 2U);
}

}  // namespace
}  // namespace heddle::chopping
