#include "compare/renaming.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace heddle {
namespace {

// "ordered? rows": rows separated by blanks, cells by commas; upper-case letters are names. Blocks
// are separated by "|", an ordered block begins with ">".
Pattern read_pattern(const std::string& text) {
  Pattern pattern;
  std::map<std::string, std::size_t> names;
  pattern.blocks.emplace_back();
  PatternRow row;
  std::string cell;
  auto end_cell = [&] {
    if (cell.empty()) return;
    const bool is_name = cell[0] >= 'A' && cell[0] <= 'Z';
    if (is_name) {
      row.push_back({"", names.emplace(cell, names.size()).first->second});
    } else {
      row.push_back({cell, std::nullopt});
    }
    cell.clear();
  };
  for (char c : text + " ") {
    if (c != ' ' && c != ',' && c != '|' && c != '>') {
      cell += c;
      continue;
    }
    end_cell();
    if (c != ',' && !row.empty()) pattern.blocks.back().rows.push_back(std::exchange(row, {}));
    if (c == '|') pattern.blocks.emplace_back();
    if (c == '>') pattern.blocks.back().ordered = true;
  }
  pattern.names = names.size();
  return pattern;
}

// A block as text under a renaming: equal texts, equal blocks.
std::vector<std::string> print_renamed(const Pattern& pattern,
                                       const std::vector<std::size_t>& names) {
  std::vector<std::string> blocks;
  for (const PatternBlock& block : pattern.blocks) {
    std::vector<std::string> rows;
    for (const PatternRow& row : block.rows) {
      std::string& text = rows.emplace_back();
      for (const PatternCell& cell : row) {
        text += cell.name ? "#" + std::to_string(names[*cell.name]) : "=" + cell.literal;
        text += ',';
      }
    }
    if (!block.ordered) std::sort(rows.begin(), rows.end());
    std::string& text = blocks.emplace_back(block.label + (block.ordered ? ">" : "|"));
    for (const std::string& row : rows) text += row + ";";
  }
  return blocks;
}

std::vector<std::size_t> identity(std::size_t names) {
  std::vector<std::size_t> order(names);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// The slow, obvious answer: tries every bijection.
bool try_all_renamings(const Pattern& from, const Pattern& to) {
  if (from.names != to.names) return false;
  const auto expected = print_renamed(to, identity(to.names));
  std::vector<std::size_t> names = identity(from.names);
  do {
    if (print_renamed(from, names) == expected) return true;
  } while (std::next_permutation(names.begin(), names.end()));
  return false;
}

bool is_equal(const std::string& from, const std::string& to) {
  const Pattern left = read_pattern(from);
  const Pattern right = read_pattern(to);
  const Renaming renaming = find_renaming(left, right);
  const bool exists = renaming.verdict == RenamingVerdict::exists;
  EXPECT_EQ(exists, try_all_renamings(left, right));
  return exists;
}

TEST(Renaming, compares_literals_as_multisets) {
  EXPECT_TRUE(is_equal("1,a 2,b", "2,b 1,a"));
  EXPECT_TRUE(is_equal("", ""));
  EXPECT_FALSE(is_equal("1 1 2", "1 2 2"));
  EXPECT_FALSE(is_equal("1 1", "1"));
  EXPECT_FALSE(is_equal("1 | 2", "2 | 1"));
  EXPECT_FALSE(is_equal("1,2", "1 2"));
}

TEST(Renaming, compares_ordered_blocks_as_lists) {
  EXPECT_TRUE(is_equal("> 1 2", "> 1 2"));
  EXPECT_FALSE(is_equal("> 1 2", "> 2 1"));
  EXPECT_FALSE(is_equal("> 1 2", "1 2"));
  EXPECT_TRUE(is_equal("> A B A", "> X Y X"));
  EXPECT_FALSE(is_equal("> A B A", "> X Y Y"));
}

TEST(Renaming, renames_consistently_across_blocks) {
  EXPECT_TRUE(is_equal("A,ann B,bob | A,10 B,20", "B,ann A,bob | A,20 B,10"));
  EXPECT_FALSE(is_equal("A,ann B,bob | A,10 B,20", "A,ann B,bob | A,20 B,10"));
}

TEST(Renaming, is_a_bijection) {
  EXPECT_FALSE(is_equal("A,1 A,2", "A,1 B,2"));
  EXPECT_FALSE(is_equal("A,1 B,2", "A,1 A,2"));
  EXPECT_FALSE(is_equal("A,A", "A,B"));
  EXPECT_FALSE(is_equal("A", "a"));
}

TEST(Renaming, tells_apart_what_refinement_cannot) {
  // Two triangles against a hexagon: every name looks alike.
  const std::string triangles = "A,B B,C C,A D,E E,F F,D";
  const std::string hexagon = "A,B B,C C,D D,E E,F F,A";
  EXPECT_FALSE(is_equal(triangles, hexagon));
  EXPECT_TRUE(is_equal(triangles, "A,C C,E E,A B,D D,F F,B"));
  EXPECT_TRUE(is_equal(hexagon, "F,E E,D D,C C,B B,A A,F"));
  EXPECT_NE(renaming_key(read_pattern(triangles)), renaming_key(read_pattern(hexagon)));
}

TEST(Renaming, returns_the_partners) {
  const Renaming renaming = find_renaming(read_pattern("A,1 B,2 C,3"), read_pattern("A,3 B,1 C,2"));
  ASSERT_EQ(renaming.verdict, RenamingVerdict::exists);
  EXPECT_EQ(renaming.names, (std::vector<std::size_t>{1, 2, 0}));
}

TEST(Renaming, says_unknown_when_the_bound_is_hit) {
  const Pattern ring = read_pattern("A,B B,C C,D D,E E,F F,A");
  EXPECT_EQ(find_renaming(ring, ring, 10).verdict, RenamingVerdict::unknown);
  const Pattern other = read_pattern("B,A A,C C,D D,E E,F F,B");
  EXPECT_EQ(renaming_key(ring, 10), renaming_key(ring, 10));
  const Pattern triangles = read_pattern("A,B B,C C,A D,E E,F F,D");
  EXPECT_NE(renaming_key(triangles, 10), renaming_key(other, 10));
}

// Rows alike, each with names of its own, need no search at all.
TEST(Renaming, is_quick_on_many_interchangeable_rows) {
  Pattern pattern;
  pattern.names = 2000;
  pattern.blocks.emplace_back();
  for (std::size_t i = 0; i < pattern.names; i += 2) {
    pattern.blocks[0].rows.push_back({{"id", i}, {"time", i + 1}, {"new", std::nullopt}});
  }
  Pattern shuffled = pattern;
  for (PatternRow& row : shuffled.blocks[0].rows) row[0].name = *row[0].name * 7 % 2000;
  const Renaming renaming = find_renaming(pattern, shuffled, 100'000);
  ASSERT_EQ(renaming.verdict, RenamingVerdict::exists);
  EXPECT_EQ(print_renamed(pattern, renaming.names), print_renamed(shuffled, identity(2000)));
  EXPECT_EQ(renaming_key(pattern, 100'000), renaming_key(shuffled, 100'000));
}

Pattern random_pattern(std::mt19937& random) {
  auto below = [&](std::size_t limit) { return random() % limit; };
  Pattern pattern;
  std::map<std::size_t, std::size_t> names;
  const std::size_t name_limit = 1 + below(5);
  const std::size_t blocks = 1 + below(2);
  for (std::size_t block = 0; block < blocks; ++block) {
    PatternBlock& content = pattern.blocks.emplace_back();
    content.ordered = below(4) == 0;
    const std::size_t rows = below(5);
    for (std::size_t i = 0; i < rows; ++i) {
      PatternRow& row = content.rows.emplace_back();
      for (std::size_t cells = 1 + below(2); cells > 0; --cells) {
        if (below(4) == 0) {
          row.push_back({std::to_string(below(2)), std::nullopt});
        } else {
          const std::size_t name = names.emplace(below(name_limit), names.size()).first->second;
          row.push_back({"", name});
        }
      }
    }
  }
  pattern.names = names.size();
  return pattern;
}

// The same pattern under a random renaming, its multisets shuffled; sometimes with one cell
// changed.
Pattern disguise(Pattern pattern, std::mt19937& random) {
  std::vector<std::size_t> names = identity(pattern.names);
  std::shuffle(names.begin(), names.end(), random);
  for (PatternBlock& block : pattern.blocks) {
    for (PatternRow& row : block.rows) {
      for (PatternCell& cell : row) {
        if (cell.name) cell.name = names[*cell.name];
      }
    }
    if (!block.ordered) std::shuffle(block.rows.begin(), block.rows.end(), random);
  }
  if (random() % 2 == 0 && pattern.names > 1) {
    PatternBlock& block = pattern.blocks[random() % pattern.blocks.size()];
    if (!block.rows.empty()) {
      PatternCell& cell = block.rows[random() % block.rows.size()].back();
      if (cell.name) cell.name = random() % pattern.names;
    }
  }
  return pattern;
}

// Names that the change above left without a row are dropped.
Pattern renumber(Pattern pattern) {
  std::map<std::size_t, std::size_t> names;
  for (PatternBlock& block : pattern.blocks) {
    for (PatternRow& row : block.rows) {
      for (PatternCell& cell : row) {
        if (cell.name) cell.name = names.emplace(*cell.name, names.size()).first->second;
      }
    }
  }
  pattern.names = names.size();
  return pattern;
}

using Equality = std::function<bool(const Pattern&, const Pattern&)>;

struct RenamingAgreement {
  std::size_t equal = 0;
  std::size_t different = 0;
  std::size_t disagreements = 0;
};

RenamingAgreement compare_renamings(const Equality& engine, std::uint32_t seed,
                                    std::size_t rounds) {
  std::mt19937 random(seed);
  RenamingAgreement agreement;
  for (std::size_t i = 0; i < rounds; ++i) {
    const Pattern left = random_pattern(random);
    const Pattern right = renumber(disguise(left, random));
    const bool expected = try_all_renamings(left, right);
    ++(expected ? agreement.equal : agreement.different);
    if (engine(left, right) != expected) ++agreement.disagreements;
  }
  return agreement;
}

TEST(Renaming, agrees_with_trying_all_bijections) {
  const RenamingAgreement agreement = compare_renamings(
      [](const Pattern& left, const Pattern& right) {
        const Renaming renaming = find_renaming(left, right);
        if (renaming.verdict != RenamingVerdict::exists) return false;
        return print_renamed(left, renaming.names) == print_renamed(right, identity(right.names));
      },
      1, 3'000);
  EXPECT_EQ(agreement.disagreements, 0U);
  EXPECT_GT(agreement.equal, 800U);
  EXPECT_GT(agreement.different, 250U);
}

TEST(Renaming, gives_equal_keys_only_to_equal_patterns) {
  std::size_t missed = 0;
  const RenamingAgreement agreement = compare_renamings(
      [&](const Pattern& left, const Pattern& right) {
        const bool same_key = renaming_key(left) == renaming_key(right);
        const bool equal = find_renaming(left, right).verdict == RenamingVerdict::exists;
        missed += equal && !same_key;
        return same_key || equal;  // a missed pair is no disagreement, a false one is
      },
      2, 3'000);
  EXPECT_EQ(agreement.disagreements, 0U);
  EXPECT_LT(missed * 100, agreement.equal);
}

// The canary: engines broken in ways that are easy to write must not agree with the oracle.
TEST(Renaming, oracle_notices_broken_engines) {
  const Equality ignores_names = [](const Pattern& left, const Pattern& right) {
    return print_renamed(left, std::vector<std::size_t>(left.names)) ==
           print_renamed(right, std::vector<std::size_t>(right.names));
  };
  const Equality never_renames = [](const Pattern& left, const Pattern& right) {
    return left.names == right.names &&
           print_renamed(left, identity(left.names)) == print_renamed(right, identity(right.names));
  };
  EXPECT_GT(compare_renamings(ignores_names, 3, 2'000).disagreements, 0U);
  EXPECT_GT(compare_renamings(never_renames, 3, 2'000).disagreements, 0U);
}

}  // namespace
}  // namespace heddle
