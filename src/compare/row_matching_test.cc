#include "compare/row_matching.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

PatternCell name(std::size_t index) { return {"", index}; }
PatternCell literal_cell(const char* text) { return {text, std::nullopt}; }

Pattern one_block(std::size_t names, std::vector<PatternRow> rows) {
  return {names, {{"", false, std::move(rows)}}};
}

TEST(RowMatching, leaves_only_rows_that_differ) {
  const Pattern from = one_block(2, {{name(0), literal_cell("a")}, {name(1), literal_cell("b")}});
  const Pattern to = one_block(2, {{name(0), literal_cell("c")}, {name(1), literal_cell("a")}});
  const std::vector<UnmatchedRows> rows = match_rows(from, to, PartialRenaming(2));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].from, (std::vector<std::size_t>{1}));
  EXPECT_EQ(rows[0].to, (std::vector<std::size_t>{0}));
}

TEST(RowMatching, respects_known_partners) {
  const Pattern rows = one_block(2, {{name(0)}, {name(1)}});
  EXPECT_TRUE(match_rows(rows, rows, {1, 0})[0].from.empty());
  const Pattern from = one_block(2, {{name(0), literal_cell("a")}, {name(1), literal_cell("b")}});
  EXPECT_EQ(match_rows(from, from, {1, 0})[0].from, (std::vector<std::size_t>{0, 1}));
}

// The second row has one candidate, the first two: taking the first one first could go wrong.
TEST(RowMatching, guesses_last) {
  const Pattern from = one_block(3, {{name(0), name(1)}, {name(2), name(2)}});
  const Pattern to = one_block(3, {{name(1), name(1)}, {name(2), name(0)}});
  EXPECT_TRUE(match_rows(from, to, PartialRenaming(3))[0].from.empty());
  Pattern left = one_block(2, {{name(0), literal_cell("x")}, {name(1), literal_cell("x")}});
  left.blocks.push_back({"", false, {{name(0), literal_cell("y")}}});
  Pattern right = one_block(2, {{name(0), literal_cell("x")}, {name(1), literal_cell("x")}});
  right.blocks.push_back({"", false, {{name(1), literal_cell("y")}}});
  for (const UnmatchedRows& rows : match_rows(left, right, PartialRenaming(2))) {
    EXPECT_TRUE(rows.from.empty());
    EXPECT_TRUE(rows.to.empty());
  }
}

TEST(RowMatching, matches_ordered_rows_by_place) {
  Pattern from = one_block(0, {{literal_cell("a")}, {literal_cell("b")}, {literal_cell("c")}});
  Pattern to = one_block(0, {{literal_cell("b")}, {literal_cell("a")}, {literal_cell("c")}});
  from.blocks[0].ordered = to.blocks[0].ordered = true;
  EXPECT_EQ(match_rows(from, to, {})[0].from, (std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace heddle
