// A routine and what became of it in another order leave the same rows.
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "heddle/split.h"
#include "split/reorder.h"
#include "split/routine_testing.h"

namespace heddle::chopping {
namespace {

using namespace routines;

std::string random_statement(std::mt19937& random) {
  const auto pick = [&](const std::vector<std::string>& words) {
    return words[random() % words.size()];
  };
  const std::string value = pick({"p", "v", "w", "1", "2"});
  const std::string to = pick({"v", "w"});
  switch (random() % 9) {
    case 0:
      return fmt::format("SELECT x INTO {} FROM a WHERE id = {};\n", to, value);
    case 1:
      return fmt::format("SELECT y INTO {} FROM b WHERE id = {};\n", to, value);
    case 2:
      return fmt::format("SELECT w INTO {} FROM c WHERE id = {};\n", to, value);
    case 3:
      return fmt::format("UPDATE a SET x = coalesce({}, 7) WHERE id = p;\n", value);
    case 4:
      return fmt::format("UPDATE b SET y = y + coalesce({}, 1);\n", value);
    case 5:
      return fmt::format("DELETE FROM b WHERE id = {};\n", value);
    case 6:
      return fmt::format("{} := coalesce({}, 0) + 1;\n", to, value);
    case 7:
      return fmt::format("IF {} > 1 THEN\n{}{}END IF;\n", value, random_statement(random),
                         random_statement(random));
    default:
      return fmt::format("INSERT INTO told (v) VALUES ('{}' || coalesce({}::text, '-'));\n", to,
                         value);
  }
}

std::string random_body(std::mt19937& random) {
  std::string body;
  for (int i = 0; i < 8; ++i) body += random_statement(random);
  return "DECLARE v int; w int;\nBEGIN\n" + body + "END";
}

// The routine in another order; empty: no order is better.
std::string reordered(const std::string& body) {
  const auto program = parse_program({{"p.sql", kRoutineTables + procedure(body)}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error())) << body;
  const auto cut = match_cut(*parse_cut(kCut, "cut.json"), program->schema);
  auto other = reorder_statements(program->functionalities[0], program->schema,
                                  TableServices(*cut, program->schema));
  if (!other) return "";
  return only_routine(
      {.schema = {}, .functionalities = {std::move(other->functionality)}, .notes = {}});
}

TEST(ReorderOracle, another_order_leaves_the_same_rows) {
  std::mt19937 random(1);
  std::size_t others = 0;
  for (std::size_t round = 0; round < test_rounds(150); ++round) {
    const std::string body = random_body(random);
    const std::string other = reordered(body);
    if (other.empty()) continue;
    ++others;
    for (unsigned seed = 0; seed < 3; ++seed) {
      const std::string rows = random_rows(seed);
      const int argument = static_cast<int>(seed % 4U) + 1;
      ASSERT_EQ(called(other, rows, argument), called(procedure(body), rows, argument))
          << body << "\n"
          << other << rows;
    }
  }
  EXPECT_GT(others, test_rounds(150) / 4);
}

// A canary: an order that means something else is seen.
TEST(ReorderOracle, sees_an_order_that_means_something_else) {
  const std::string rows = "INSERT INTO a VALUES (1, 1, 1, 'a');";
  const std::string read = "SELECT x INTO v FROM a WHERE id = 1; ";
  const std::string write = "UPDATE a SET x = x + 1; ";
  const std::string tell = "INSERT INTO told (v) VALUES (v); ";
  const auto run = [&](const std::string& body) {
    return called(procedure("DECLARE v int; BEGIN " + body + "END"), rows, 1);
  };
  EXPECT_NE(run(read + write + tell), run(write + read + tell));
}

}  // namespace
}  // namespace heddle::chopping
