#include "race/requests/predicate_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

// "a: 1 2, b: x" of a predicate with the parameters 7, x, {1,2} and one that is binary.
std::string values(std::string_view predicate) {
  const std::vector<TraceParameter> parameters = {{.value = {.text = "7"}},
                                                  {.value = {.text = "x"}},
                                                  {.value = {.text = "{1,2}"}},
                                                  {.value = {.text = "7", .is_binary = true}}};
  std::string all;
  for (const auto& [column, each] : predicate_values(predicate, parameters)) {
    all += fmt::format("{}:{} ", column, fmt::join(each, "|"));
  }
  return all;
}

TEST(PredicateValues, of_equalities) {
  EXPECT_EQ(values("id = $1"), "id:7 ");
  EXPECT_EQ(values("$2 = o.Name AND \"Id\" = 3"), "Id:3 o.name:x ");
  EXPECT_EQ(values("(id = $1::int) and ((state) = ('a''b'))"), "id:7 state:a'b ");
  EXPECT_EQ(values("id = -3 AND done = true AND price = 7.50"), "done:true id:-3 price:7.5 ");
  EXPECT_EQ(values("id IN (1, $1, 'x') AND b = ANY ($3)"), "b:1|2 id:1|7|x ");
  EXPECT_EQ(values("id = 1 AND id IN (1, 2)"), "id:1 ");
}

TEST(PredicateValues, nothing_where_anything_is_possible) {
  for (const char* const predicate : {"",
                                      "id = 1 OR id = 2",
                                      "NOT id = 1",
                                      "id <> 1",
                                      "id >= 1",
                                      "id <= 1",
                                      "id != 1",
                                      "id = b",
                                      "id = $4",
                                      "id = $9",
                                      "id = a + 1",
                                      "lower(name) = 'x'",
                                      "id NOT IN (1, 2)",
                                      "id IN (SELECT 1)",
                                      "id BETWEEN 1 AND 2",
                                      "at = '2026-01-31'",
                                      "id IS NULL",
                                      "id = NULL",
                                      "name LIKE 'a=1'",
                                      "id =",
                                      "= 1",
                                      "id = ANY ($1)",
                                      "a ->> 'b' = 'c'",
                                      "((("}) {
    EXPECT_EQ(values(predicate), "") << predicate;
  }
  EXPECT_EQ(values("a = 1 AND (b = 2 OR c = 3) AND d = 4"), "a:1 d:4 ");
}

TEST(PredicateValues, a_predicate_that_is_nested_very_deeply_ends) {
  std::string predicate = "a = 1";
  for (int i = 0; i < 3000; ++i) predicate = "(" + predicate + " AND b = 2)";
  values(predicate);
}

TEST(PredicateValues, of_constants) {
  const std::vector<TraceParameter> none;
  EXPECT_EQ(constant_value("'a'", none), "a");
  EXPECT_EQ(constant_value("'t'::bool", none), "true");
  EXPECT_EQ(constant_value("E'a\\n'", none), std::nullopt);
  EXPECT_EQ(constant_value("now()", none), std::nullopt);
  EXPECT_EQ(constant_value("NULL", none), std::nullopt);
  EXPECT_EQ(constant_value("", none), std::nullopt);
}

}  // namespace
}  // namespace heddle
