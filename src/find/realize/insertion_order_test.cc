#include "find/realize/insertion_order.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle::find {

namespace {

Schema schema_of(const std::string& sql) { return parse_schema(sql, Dialect::postgres).schema; }

FilledRow row(const Schema& schema, const std::string& table, std::map<std::string, Cell> cells) {
  return {.table = find_table(schema, table, Dialect::postgres), .cells = std::move(cells)};
}

// "1 2+3 0": rows 2 and 3 come at once.
std::string order_of(const Schema& schema, const std::vector<FilledRow>& rows) {
  std::string text;
  for (const std::vector<std::size_t>& group : insertion_order(schema, rows)) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      text += fmt::format("{}{}", i > 0 ? "+" : text.empty() ? "" : " ", group[i]);
    }
  }
  return text;
}

TEST(InsertionOrder, keeps_rows_that_refer_to_nothing_where_they_are) {
  const Schema schema = schema_of("CREATE TABLE a (id int PRIMARY KEY, up int REFERENCES a);");
  EXPECT_EQ(order_of(schema, {}), "");
  EXPECT_EQ(order_of(schema, {row(schema, "a", {{"id", "2"}, {"up", std::nullopt}}),
                              row(schema, "a", {{"id", "1"}}),
                              row(schema, "a", {{"id", "3"}, {"up", "3"}})}),
            "0 1 2");
}

TEST(InsertionOrder, takes_what_is_named_first_also_within_a_table) {
  const Schema schema = schema_of(
      "CREATE TABLE a (id int PRIMARY KEY, up int REFERENCES a);"
      "CREATE TABLE b (id int PRIMARY KEY, a int NOT NULL REFERENCES a (id));");
  EXPECT_EQ(order_of(schema, {row(schema, "b", {{"id", "1"}, {"a", "7"}}),
                              row(schema, "a", {{"id", "7"}, {"up", "8"}}),
                              row(schema, "a", {{"id", "8"}, {"up", "9"}}),
                              row(schema, "a", {{"id", "9"}})}),
            "3 2 1 0");
}

TEST(InsertionOrder, takes_circles_at_once) {
  const Schema schema = schema_of(
      "CREATE TABLE a (id int PRIMARY KEY, up int NOT NULL REFERENCES a);"
      "CREATE TABLE b (id int PRIMARY KEY, c int NOT NULL);"
      "CREATE TABLE c (id int PRIMARY KEY, b int NOT NULL REFERENCES b);"
      "ALTER TABLE b ADD FOREIGN KEY (c) REFERENCES c;");
  EXPECT_EQ(order_of(schema, {row(schema, "a", {{"id", "1"}, {"up", "2"}}),
                              row(schema, "b", {{"id", "1"}, {"c", "5"}}),
                              row(schema, "a", {{"id", "2"}, {"up", "3"}}),
                              row(schema, "a", {{"id", "3"}, {"up", "2"}}),
                              row(schema, "c", {{"id", "5"}, {"b", "1"}})}),
            "1+4 2+3 0");
}

TEST(InsertionOrder, compares_all_columns_of_a_key) {
  const Schema schema = schema_of(
      "CREATE TABLE a (x int, y int, up_x int, up_y int, PRIMARY KEY (x, y),"
      " FOREIGN KEY (up_x, up_y) REFERENCES a);");
  // The second names the third; the first, half of whose key is null, nothing.
  EXPECT_EQ(
      order_of(schema, {row(schema, "a", {{"x", "1"}, {"y", "1"}, {"up_x", "3"}, {"up_y", {}}}),
                        row(schema, "a", {{"x", "2"}, {"y", "1"}, {"up_x", "3"}, {"up_y", "1"}}),
                        row(schema, "a", {{"x", "3"}, {"y", "1"}}),
                        row(schema, "a", {{"x", "3"}, {"y", "2"}, {"up_x", "1"}, {"up_y", "1"}})}),
      "0 2 3 1");
}

}  // namespace

}  // namespace heddle::find
