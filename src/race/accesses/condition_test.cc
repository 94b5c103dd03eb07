#include "race/accesses/condition.h"

#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/sql/tree.h"
#include "race/accesses/read_condition.h"

namespace heddle::race {
namespace {

Condition condition_of(const std::string& text, const std::vector<std::string>& values = {}) {
  std::vector<TraceParameter> parameters;
  for (const std::string& each : values) parameters.push_back({.value = {.text = each}});
  const sql::ParseOutcome parsed = sql::parse_tree("SELECT 1 FROM t WHERE " + text);
  EXPECT_TRUE(parsed.is_ok) << text;
  const auto owner = [](const std::vector<std::string>& path) {
    return path.size() == 1 || path.front() == "t" ? path.back() : std::string();
  };
  return read_condition(parsed.tree.statements.front().node->content()["whereClause"],
                        {.owner = owner, .parameters = &parameters});
}

Truth truth_of(const std::string& text, const KnownRow& row,
               const std::vector<std::string>& values = {}) {
  return evaluate(condition_of(text, values), row);
}

TEST(Condition, IsEvaluatedOnWhatIsKnown) {
  const KnownRow row{{"a", text_value("7")}, {"b", null_value()}, {"flag", text_value("f")}};
  EXPECT_EQ(truth_of("a = 7", row), Truth::yes);
  EXPECT_EQ(truth_of("t.a = $1", row, {"7"}), Truth::yes);
  EXPECT_EQ(truth_of("a = '7.0'::numeric", row), Truth::unknown);
  EXPECT_EQ(truth_of("a = 8", row), Truth::no);
  EXPECT_EQ(truth_of("a > 7", row), Truth::unknown);  // as a text it might be
  EXPECT_EQ(truth_of("a > 6 AND a <= 10", row), Truth::yes);
  EXPECT_EQ(truth_of("a BETWEEN 8 AND 9", row), Truth::no);
  EXPECT_EQ(truth_of("a IN (1, 2)", row), Truth::no);
  EXPECT_EQ(truth_of("a = ANY ($1)", row, {"{5,7}"}), Truth::yes);
  EXPECT_EQ(truth_of("a <> ALL ('{5,7}')", row), Truth::no);
  EXPECT_EQ(truth_of("b = 1", row), Truth::null);
  EXPECT_EQ(truth_of("NOT b = 1", row), Truth::null);
  EXPECT_EQ(truth_of("b IS NULL", row), Truth::yes);
  EXPECT_EQ(truth_of("NOT flag", row), Truth::yes);
  EXPECT_EQ(truth_of("flag IS NOT TRUE", row), Truth::yes);
  EXPECT_EQ(truth_of("c = 1", row), Truth::unknown);
  EXPECT_EQ(truth_of("c = 1 AND a = 8", row), Truth::no);
  EXPECT_EQ(truth_of("c = 1 OR a = 7", row), Truth::yes);
  EXPECT_EQ(truth_of("lower(a) = 'x'", row), Truth::unknown);
  EXPECT_EQ(truth_of("(a, flag) = (7, false)", row), Truth::unknown);
  EXPECT_EQ(truth_of("b IS NOT DISTINCT FROM null", row), Truth::yes);
  EXPECT_EQ(truth_of("other.a = 8", row), Truth::unknown);
}

TEST(Condition, BindsColumnsToTheirValues) {
  const auto rows = [](const std::string& text) {
    std::string all;
    for (const KnownRow& row : partial_rows(condition_of(text))) all += row_text(row) + ";";
    return all;
  };
  EXPECT_EQ(rows("a = 1 AND b IN (2, 3)"), "a=1, b=2;a=1, b=3;");
  EXPECT_EQ(rows("a = 1 OR a = 2"), "a=1;a=2;");
  EXPECT_EQ(rows("a = 1 OR b = 2"), ";");
  EXPECT_EQ(rows("NOT a = 1"), ";");
  EXPECT_EQ(rows("a = b"), ";");
}

TEST(Condition, ReadsArrays) {
  const ArrayElements elements = array_elements(R"({1,"a, b",NULL,"q\"x"})");
  ASSERT_TRUE(elements.is_known);
  ASSERT_EQ(elements.values.size(), 4U);
  EXPECT_EQ(elements.values[1].text, "a, b");
  EXPECT_EQ(elements.values[2], null_value());
  EXPECT_EQ(elements.values[3].text, "q\"x");
  EXPECT_FALSE(array_elements("{{1},{2}}").is_known);
  EXPECT_FALSE(array_elements("1").is_known);
}

// The oracle: every value of every column. A truth that is certain for a row of which a part is
// known has to be that of each row with this part.
TEST(Condition, IsCertainOnlyWhereEveryRowAgrees) {
  std::mt19937 random(1);
  const auto below = [&](unsigned end) { return random() % end; };
  const std::vector<std::string> names = {"a", "b", "c"};
  const std::function<std::string(int)> draw = [&](int depth) -> std::string {
    const std::string name = names[below(3)];
    const std::string value = std::to_string(below(3));
    switch (depth > 3 ? below(5) : below(8)) {
      case 0:
        return name + " = " + value;
      case 1:
        return name + " < " + value;
      case 2:
        return name + " IS NULL";
      case 3:
        return name + " IN (0, " + value + ")";
      case 4:
        return name + " <> " + names[below(3)];
      case 5:
        return "(" + draw(depth + 1) + " AND " + draw(depth + 1) + ")";
      case 6:
        return "(" + draw(depth + 1) + " OR " + draw(depth + 1) + ")";
      default:
        return "NOT (" + draw(depth + 1) + ")";
    }
  };
  const std::vector<KnownValue> values = {text_value("0"), text_value("1"), text_value("2"),
                                          null_value()};
  for (int round = 0; round < 300; ++round) {
    const std::string text = draw(0);
    const Condition condition = condition_of(text);
    KnownRow part;
    for (const std::string& name : names) {
      if (below(2) == 0) part[name] = values[below(4)];
    }
    const Truth certain = evaluate(condition, part);
    bool is_any_true = false;
    for (const KnownValue& a : values) {
      for (const KnownValue& b : values) {
        for (const KnownValue& c : values) {
          KnownRow whole{{"a", a}, {"b", b}, {"c", c}};
          for (const auto& [column, value] : part) whole[column] = value;
          const Truth truth = evaluate(condition, whole);
          if (truth == Truth::yes) {
            is_any_true = true;
            bool stands_for_it = false;
            for (const KnownRow& row : partial_rows(condition)) {
              bool fits = true;
              for (const auto& [column, value] : row) fits = fits && whole[column] == value;
              stands_for_it = stands_for_it || fits;
            }
            EXPECT_TRUE(stands_for_it) << text << " and " << row_text(whole);
          }
          EXPECT_TRUE(certain != Truth::yes || truth == Truth::yes) << text;
        }
      }
    }
    EXPECT_TRUE(may_hold(certain) || !is_any_true) << text << " and " << row_text(part);
  }
}

}  // namespace
}  // namespace heddle::race
