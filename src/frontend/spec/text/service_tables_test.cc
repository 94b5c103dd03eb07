// Names of tables are read as PostgreSQL's own parser reads them behind FROM.
#include "frontend/spec/text/service_tables.h"

#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "base/text.h"
#include "heddle/statement.h"

namespace heddle {
namespace {

// The slow way.
std::optional<std::string> table_parsed(std::string_view text) {
  const auto read = parse_statements("SELECT FROM " + std::string(text), Dialect::postgres);
  if (!read || read->size() != 1 || read->front().tables.size() != 1) return std::nullopt;
  const TableUse& use = read->front().tables.front();
  if (!use.schema.empty() || !use.alias.empty() || use.table.empty()) return std::nullopt;
  return use.table;
}

TEST(ServiceTables, AreNamedAsInAStatement) {
  const std::vector<std::string> names = {"account",
                                          "Account",
                                          "ORDER",
                                          "order",
                                          "values",
                                          "between",
                                          "user",
                                          "users",
                                          "a$b",
                                          "_a",
                                          "9a",
                                          "a.b",
                                          "a b",
                                          "",
                                          "é",
                                          "Éa",
                                          "\"Order Lines\"",
                                          "\"a\"\"b\"",
                                          "\"a\"b\"",
                                          "\"\"\"\"",
                                          "\"a",
                                          "select",
                                          "table",
                                          "only",
                                          "xmltable",
                                          "row",
                                          "left",
                                          "like",
                                          "isnull",
                                          "setof",
                                          "int",
                                          std::string(70, 'x'),
                                          fmt::format("{}éé", std::string(62, 'x')),
                                          fmt::format("\"{}éé\"", std::string(62, 'x'))};
  for (const std::string& name : names) EXPECT_EQ(table_named_by(name), table_parsed(name)) << name;
}

TEST(ServiceTables, AreNamedAsInAStatementAtRandom) {
  std::mt19937_64 random(5);
  const std::vector<std::string> pieces = {"\"", "a", "B", "_", "9", "$", "é", " ", "."};
  std::size_t named = 0;
  for (std::size_t round = 0; round < test_rounds(2'000); ++round) {
    std::string text = random() % 2 == 0 ? "\"" : "";
    const bool is_quoted = !text.empty();
    for (std::size_t i = 1 + random() % 5; i > 0; --i) text += pieces[random() % pieces.size()];
    if (is_quoted && random() % 8 != 0) text += "\"";
    const std::string trimmed(trim(text));
    // A schema or an alias is no name; that the parser takes both apart is not asked.
    const auto expected = table_parsed(trimmed);
    if (const auto name = table_named_by(trimmed)) {
      ++named;
      EXPECT_EQ(name, expected) << text;
      EXPECT_EQ(table_named_by(name_of_table(*name)), name) << text;
    } else {
      EXPECT_FALSE(expected) << text;
    }
  }
  EXPECT_GT(named, 300U);
}

}  // namespace
}  // namespace heddle
