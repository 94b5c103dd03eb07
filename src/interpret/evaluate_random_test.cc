// Random expressions, computed here and by PostgreSQL.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "interpret/interpret_testing.h"
#include "interpret/random_expression_testing.h"

namespace heddle::interpreter {
namespace {

constexpr std::size_t kExpressions = 2'500;
constexpr std::size_t kBatch = 500;
constexpr std::size_t kDepth = 4;

std::vector<Expression> batch_of(std::uint64_t seed) {
  RandomExpressions random(seed);
  std::vector<Expression> expressions;
  for (std::size_t i = 0; i < kBatch; ++i) expressions.push_back(random.next(kDepth));
  return expressions;
}

std::string declarations() {
  std::string text;
  for (const RandomVariable& variable : random_variables()) {
    const bool plain = variable.value.starts_with('\'') || variable.value == "null";
    text += variable.name + " " + variable.type +
            " := " + (plain ? variable.value : "'" + variable.value + "'") + "; ";
  }
  return text;
}

Variables variables_here() {
  Variables variables;
  for (const RandomVariable& variable : random_variables()) {
    Errors errors;
    const Type type = parse_type(variable.type);
    const bool quoted = variable.value.starts_with('\'');
    const std::string text =
        quoted ? variable.value.substr(1, variable.value.size() - 2) : variable.value;
    const Value value =
        variable.value == "null" ? null_of(type) : read_value_text(text, type, errors);
    variables.insert({variable.name, {type, value}});
  }
  return variables;
}

std::vector<std::string> answers_to(const std::vector<Expression>& expressions) {
  std::vector<std::string> texts;
  for (const Expression& expression : expressions) texts.push_back(print_expression(expression));
  return answered(texts, declarations());
}

TEST(EvaluateRandom, is_what_postgres_says) {
  const Variables variables = variables_here();
  std::size_t errors = 0;
  std::size_t unknown = 0;
  const std::size_t batches = test_rounds(kExpressions) / kBatch;
  for (std::uint64_t seed = 1; seed <= batches; ++seed) {
    const std::vector<Expression> expressions = batch_of(seed);
    const std::vector<std::string> answers = answers_to(expressions);
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      const std::string mine = computed(expressions[i], variables);
      if (answers[i].starts_with("ERROR")) ++errors;
      if (mine.starts_with("?")) {
        ++unknown;
        continue;
      }
      EXPECT_EQ(mine, answers[i]) << "seed " << seed << ": " << print_expression(expressions[i]);
    }
  }
  // Otherwise the test would say little.
  EXPECT_LT(errors, batches * kBatch / 2);
  EXPECT_LT(unknown, batches * kBatch / 100);
  RecordProperty("errors", static_cast<int>(errors));
  RecordProperty("unknown", static_cast<int>(unknown));
}

// Replaces an operator everywhere: an evaluator that is wrong about it.
Expression broken(Expression expression, const std::string& from, const std::string& to) {
  if (expression.kind == ExpressionKind::call && expression.text == from) expression.text = to;
  for (Expression& operand : expression.operands) operand = broken(operand, from, to);
  return expression;
}

TEST(EvaluateRandom, notices_a_wrong_operator) {
  const Variables variables = variables_here();
  const std::vector<Expression> expressions = batch_of(1);
  const std::vector<std::string> answers = answers_to(expressions);
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"+", "-"}, {"and", "or"}, {"=", "<>"}, {"greatest", "least"}, {"nullif", "coalesce"}};
  for (const auto& [from, to] : mistakes) {
    std::size_t noticed = 0;
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      if (computed(broken(expressions[i], from, to), variables) != answers[i]) ++noticed;
    }
    EXPECT_GT(noticed, 0U) << from << " as " << to;
  }
}

}  // namespace
}  // namespace heddle::interpreter
